/**
 * House rules that no linter knows, checked on the sources themselves. When a rule is in the way, change the rule in
 * test/tidy/rules.ts, in a commit that says why; do not work around it.
 */
import { describe, expect, test } from 'vitest';
import {
  badName,
  bannedInSource,
  bannedWords,
  belongsToOneFile,
  type Complaint,
  looseImports,
  reach,
  tooLong,
  uphillImports,
} from './tidy/rules.ts';
import { importsOf, type ProjectFile, projectFiles } from './tidy/scanner.ts';

const everything = projectFiles();
const code = everything.filter((file) => /^(src|console|test|script|examples)\/.*\.(tsx?|mjs)$/.test(file.path));
const isWritten = ({ path }: ProjectFile): boolean => !path.includes('/generated/');
const sources = code.filter((file) => file.path.startsWith('src/'));
const folderReadmes = everything.filter((file) => /^(src|console|test)\/.*README\.md$/.test(file.path));

/** What is started or published, so that everything else must be reached from it. */
const ENTRIES = [
  'src/main.ts',
  'src/producer/index.ts',
  'src/producer/testing.ts',
  'src/events/library.ts',
  'src/campaigns/library.ts',
  'src/client/library.ts',
  'src/library.ts',
];

/** What somebody who installs the library gets with it. */
const LIBRARIES = ['src/library.ts', 'src/producer/index.ts', 'src/events/library.ts'];
const LIBRARY_PACKAGES = ['bullmq', 'ioredis', 'pg', 'pg-copy-streams', 'zod'];

describe('the sources', () => {
  test('of the client need no package', () => {
    expect([...reach(sources, ['src/client/library.ts']).packages]).toEqual([]);
  });
  test('import downhill only', () => expect(complaints(sources, uphillImports)).toEqual([]));
  test('take time, chance and settings as arguments', () => expect(complaints(sources, bannedInSource)).toEqual([]));
  test('are all used by something that runs', () => {
    const { files } = reach(sources, ENTRIES);
    const unreferenced = sources
      .map((file) => file.path)
      .filter((path) => !files.has(path) && !path.endsWith('.d.ts'));
    expect(unreferenced).toEqual([]);
  });
  test.for(LIBRARIES)('%s brings nothing but what a producer needs', (library) => {
    const { packages } = reach(sources, [library]);
    expect([...packages].filter((name) => !LIBRARY_PACKAGES.includes(name))).toEqual([]);
  });
});

describe('every file', () => {
  test('keeps to our words', () => expect(complaints(everything, bannedWords)).toEqual([]));
  test('has a name that says what is inside', () => expect(complaints(code, badName)).toEqual([]));
  test('is short enough to read', () =>
    expect(complaints([...code.filter(isWritten), ...folderReadmes], tooLong)).toEqual([]));
  test('names its imports in full', () => expect(complaints(code, looseImports)).toEqual([]));
});

/** A file of tests is loaded for itself alone; what it imports is shared. */
const isOfTests = ({ path }: ProjectFile): boolean => path.endsWith('.test.ts');

/** A module of which only types are named is not loaded. */
const withoutTypes = (file: ProjectFile): ProjectFile => ({
  ...file,
  imports: importsOf(file.text.replace(/^import type [^;]*;/gm, '')),
});

test('what files of tests share opens nothing for the first of them alone', () => {
  const starts = code.filter(isOfTests).map(({ path }) => path);
  const { files } = reach(code.map(withoutTypes), starts);
  const shared = code.filter((file) => file.path.startsWith('test/') && files.has(file.path) && !isOfTests(file));
  expect(shared.map(({ path }) => path)).toContain('test/support/fresh-redis.ts');
  expect(complaints(shared, belongsToOneFile)).toEqual([]);
});

test('the rules looked at something', () => {
  const paths = everything.map((file) => file.path);
  expect(sources.length).toBeGreaterThan(10);
  expect([...ENTRIES, ...LIBRARIES, 'script/setup'].filter((path) => !paths.includes(path))).toEqual([]);
});

function complaints(files: readonly ProjectFile[], rule: (file: ProjectFile) => readonly Complaint[]) {
  return files.flatMap((file) => rule(file).map((complaint) => `${file.path}: ${complaint}`));
}
