import { expect, test } from 'vitest';
import {
  badName,
  bannedInSource,
  bannedWords,
  belongsToOneFile,
  looseImports,
  reach,
  tooLong,
  uphillImports,
} from './rules.ts';
import { fileOf } from './scanner.ts';

test.for([
  ['src/redis/x.ts', '../lib/clock.ts'],
  ['src/main.ts', './metrics/metrics.ts'],
  ['src/main.ts', './config.ts'],
  ['src/lib/ids.ts', './clock.ts'],
] as const)('%s may import %s', ([path, target]) => {
  expect(uphillImports(fileOf(path, `import { a } from '${target}';`))).toEqual([]);
});

test.for([
  ['src/lib/x.ts', '../redis/connections.ts', 'imports redis, which is not below lib'],
  ['src/upstream/x.ts', '../operations/record.ts', 'imports operations, which is not below upstream'],
  ['src/sandbox/x.ts', '../upstream/verdict.ts', 'imports upstream, which is not below sandbox'],
  ['src/cli/x.ts', '../config.ts', 'imports main, which is not below cli'],
  ['src/cli/x.ts', '../metrics/metrics.ts', 'imports metrics, which only main may'],
  ['src/api/x.ts', '../../test/x.ts', 'imports test/x.ts (outside src), which is not below api'],
  ['src/lost/x.ts', '../lib/clock.ts', 'the folder "lost" has no row: give it one in test/tidy/rules.ts'],
] as const)('%s may not import %s', ([path, target, complaint]) => {
  expect(uphillImports(fileOf(path, `import type { A } from '${target}';`))).toEqual([complaint]);
});

test.for([
  ['const url = process.env.REDIS_URL;', 'src/redis/x.ts'],
  ['const now = Date.now();', 'src/api/x.ts'],
  ['const now = new Date();', 'src/main.ts'],
  ['setTimeout(run, 5);', 'src/queues/x.ts'],
  ['const n = Math.random();', 'src/lib/random.ts'],
  ["import { randomUUID } from 'node:crypto';", 'src/operations/x.ts'],
  ['await fetch(url);', 'src/upstream/x.ts'],
  ['console.log(1);', 'src/config.ts'],
  ['const q = new Queue(name);', 'src/api/x.ts'],
  ['const w = new Worker<Data, Result>(name);', 'src/processors/x.ts'],
  ['export default 1;', 'src/lib/x.ts'],
  ["export * from './x.ts';", 'src/lib/x.ts'],
] as const)('%s is refused in %s', ([text, path]) => {
  expect(bannedInSource(fileOf(path, text))).toHaveLength(1);
});

test.for([
  ['const url = process.env.REDIS_URL;', 'src/main.ts'],
  ['const now = Date.now();', 'src/lib/clock.ts'],
  ['const then = new Date(ms).toISOString();', 'src/api/x.ts'],
  ['request.setTimeout(5);', 'src/api/x.ts'],
  ['// never Date.now() here', 'src/api/x.ts'],
  ['const q = new Queue(name);', 'src/queues/open.ts'],
  ['await fetch(url);', 'src/cli/x.ts'],
] as const)('%s is fine in %s', ([text, path]) => {
  expect(bannedInSource(fileOf(path, text))).toEqual([]);
});

test('a complaint tells the line and what to do instead', () => {
  expect(bannedInSource(fileOf('src/api/x.ts', '\n\nDate.now();'))).toEqual([
    expect.stringMatching(/^line 3: .*take a Clock$/),
  ]);
});

/** Written apart, because the rules read this file too. */
const refused = ['pay|out', 'Pay|outs', 'TO|DO: later', '/wo|rk/main', 'DES|IGN.md'].map((word) =>
  word.replace('|', ''),
);
const mergeMark = '<|<<<<<< HEAD'.replace('|', '');

test.for(refused)('the word "%s" is refused, in a comment and in a document too', (word) => {
  expect(bannedWords(fileOf('src/lib/x.ts', `// ${word}`))).toHaveLength(1);
  expect(bannedWords(fileOf('docs/x.md', word))).toHaveLength(1);
});

test('the mark of a merge that was left is refused', () => {
  expect(bannedWords(fileOf('docs/x.md', `a line\n${mergeMark}\nanother`))).toHaveLength(1);
});

test.for(['a disbursement', 'https://example.test/at/work/today', 'todo-list', 'design'])('"%s" is fine', (words) => {
  expect(bannedWords(fileOf('docs/x.md', words))).toEqual([]);
});

test.for([
  'src/lib/utils.ts',
  'src/helpers/x.ts',
  'test/redis-helper.ts',
  'src/queue-manager.ts',
  'src/lib/index.ts',
])('the name %s is refused', (path) => {
  expect(badName(fileOf(path, ''))).toHaveLength(1);
});

test.for(['src/lib/clock.ts', 'src/queues/index.ts', 'src/managed.ts', 'src/commonwealth.ts'])(
  'the name %s is fine',
  (path) => {
    expect(badName(fileOf(path, ''))).toEqual([]);
  },
);

test('450 lines of 120 characters are fine, one more of either is not', () => {
  const line = 'x'.repeat(120);
  expect(tooLong(fileOf('src/x.ts', `${line}\n`.repeat(450)))).toEqual([]);
  expect(tooLong(fileOf('src/x.ts', `${line}\n`.repeat(451)))).toEqual(['451 lines; 450 is the most']);
  expect(tooLong(fileOf('src/x.ts', `\n${line}x`))).toEqual(['line 2 is longer than 120 characters']);
});

test('a folder’s README is read standing', () => {
  expect(tooLong(fileOf('src/redis/README.md', 'x\n'.repeat(15)))).toEqual([]);
  expect(tooLong(fileOf('src/redis/README.md', 'x\n'.repeat(16)))).toHaveLength(1);
});

test('an import without its extension is refused', () => {
  expect(looseImports(fileOf('src/a.ts', "import { b } from './b.js';"))).toHaveLength(1);
  expect(looseImports(fileOf('src/a.ts', "import { b } from './b.ts';\nimport 'zod';"))).toEqual([]);
});

test.for([
  'export const store = storeOfThisFile();',
  'export const world =\n  historyOfThisFile(store, 0);',
  'afterEach(async () => close());',
  'if (slow) beforeAll(() => start());',
  'export const redis = new Redis(url);',
  'const server = http.createServer().listen(0);',
  "const fresh = await import('./fresh.ts');",
  'let seed = 1;',
])('a module that files of tests share may not have: %s', (text) => {
  expect(belongsToOneFile(fileOf('test/x.ts', text))).not.toEqual([]);
});

test.for([
  'export const store = () => storeOfThisFile();',
  'export function world() {\n  let now = 0;\n  beforeEach(() => (now = 0));\n}',
  'export const open = async () => await freshRedis();',
  "const ROOT = new URL('../', import.meta.url);\nfor (const name of names) known.add(name);",
  'export const openAll = { redis: () => new Redis(url), store: storeOfThisFile };',
])('it may have: %s', (text) => {
  expect(belongsToOneFile(fileOf('test/x.ts', text))).toEqual([]);
});

test('reaching follows our files, and names the packages on the way', () => {
  const files = [
    fileOf('src/a.ts', "import './b.ts';\nimport { z } from 'zod/v4';\nimport 'node:fs';"),
    fileOf('src/b.ts', "import './a.ts';\nimport '@scope/name/part';"),
    fileOf('src/lonely.ts', "import './a.ts';\nimport 'express';"),
  ];
  const { files: reached, packages } = reach(files, ['src/a.ts']);
  expect([...reached]).toEqual(['src/a.ts', 'src/b.ts']);
  expect([...packages].toSorted()).toEqual(['@scope/name', 'zod']);
});
