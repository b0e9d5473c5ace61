/** Rules of the sources beyond the linter's. To change one, change test/tidy/rules.ts in a commit with the reason. */
import { expect, test } from 'vitest';
import { bannedInSource, reach, uphillImports } from './tidy/rules.ts';
import { importsOf, type ProjectFile, projectFiles } from './tidy/scanner.ts';

const sources = projectFiles('src').filter(({ path }) => path.endsWith('.ts'));

function complaints(rule: (file: ProjectFile) => readonly string[]): readonly string[] {
  return sources.flatMap((file) => rule(file).map((complaint) => `${file.path}: ${complaint}`));
}

test('the sources import downhill only', () => expect(complaints(uphillImports)).toEqual([]));

test('the sources take time, chance and settings as arguments', () => expect(complaints(bannedInSource)).toEqual([]));

test('the client needs no package', () => {
  const { files, packages } = reach(sources, ['src/client/library.ts']);
  expect(files.size).toBeGreaterThan(5);
  expect([...packages]).toEqual([]);
});

test.for(['src/library.ts', 'src/producer/index.ts', 'src/events/library.ts'])(
  '%s imports only what a producer needs',
  (library) => {
    const { files, packages } = reach(sources, [library]);
    const needed = ['bullmq', 'ioredis', 'pg', 'pg-copy-streams', 'zod'];
    expect(files.size).toBeGreaterThan(5);
    expect([...packages].filter((name) => !needed.includes(name))).toEqual([]);
  },
);

/** The output of script/generate does not exist when it runs. */
test('the code generator needs no generated code', () => {
  const files = [...sources, ...projectFiles('script')].map((file) => ({
    ...file,
    // Type-only imports load no module.
    imports: importsOf(file.text.replace(/^import type [^;]*;/gm, '')),
  }));
  const reached = [...reach(files, ['script/generate.ts']).files];
  expect(reached).toContain('src/api/routes.ts');
  expect(reached.filter((path) => path.includes('/generated/'))).toEqual([]);
});
