import { expect, test } from 'vitest';
import { bannedInSource, reach, uphillImports } from './rules.ts';
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
  ['src/provider/x.ts', '../operations/record.ts', 'imports operations, which is not below provider'],
  ['src/sandbox/x.ts', '../provider/verdict.ts', 'imports provider, which is not below sandbox'],
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
  ['await fetch(url);', 'src/provider/x.ts'],
  ['console.log(1);', 'src/config.ts'],
  ['const q = new Queue(name);', 'src/api/x.ts'],
  ['const w = new Worker<Data, Result>(name);', 'src/processors/x.ts'],
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
  expect(bannedInSource(fileOf('src/api/x.ts', '\n\nDate.now();'))).toEqual(['line 3: take a Clock']);
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
