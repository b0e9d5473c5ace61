import { expect, test } from 'vitest';
import { codeOf, importsOf, resolveImport } from './scanner.ts';

test.for([
  ['a line comment', 'const a = 1; // Date.now()', 'const a = 1; '],
  ['a block comment', '/** Date.now() */ const a = 1;', ' const a = 1;'],
  ['a string', "say('Date.now()');", "say('');"],
  ['a string with a quote in it', String.raw`say('it\'s Date.now()');`, "say('');"],
  ['a URL, which is no comment', "get('http://x'); Date.now();", "get(''); Date.now();"],
  ['a pattern', 'if (/Date.now/.test(a)) return;', "if (''.test(a)) return;"],
  ['a pattern with a quote in it', "a.replace(/['/]/g, '') + Date.now()", "a.replace('', '') + Date.now()"],
  ['a template', 'say(`Date.now()`);', "say('');"],
] as const)('%s does not run', ([, text, code]) => {
  expect(codeOf(text)).toBe(code);
});

test('what a template computes does run', () => {
  expect(codeOf('say(`at ${Date.now()}`);')).toContain('Date.now()');
});

test('a division is not a pattern', () => {
  expect(codeOf('const half = all / 2; Date.now(); const third = all / 3;')).toContain('Date.now()');
});

test('line numbers survive', () => {
  expect(codeOf('/*\n\n*/\n`\n`\nlast').split('\n').at(-1)).toBe('last');
  expect(codeOf('/*\n\n*/\n`\n`\nlast').split('\n')).toHaveLength(6);
});

test.for([
  ["import { a } from './a.ts';", ['./a.ts']],
  ["import type { A } from './a.ts';", ['./a.ts']],
  ["import {\n  a,\n  b,\n} from './ab.ts';", ['./ab.ts']],
  ["import './effect.ts';", ['./effect.ts']],
  ["export { a } from './a.ts';", ['./a.ts']],
  ["const a = await import('./a.ts');", ['./a.ts']],
  ["// import { a } from './a.ts';", []],
  ["const text = 'import'; const from = './a.ts';", []],
] as const)('imports of %s', ([text, imports]) => {
  expect(importsOf(text)).toEqual(imports);
});

test('an import is resolved from the file that names it, a package is not ours', () => {
  expect(resolveImport('src/redis/connections.ts', '../lib/clock.ts')).toBe('src/lib/clock.ts');
  expect(resolveImport('src/redis/connections.ts', 'ioredis')).toBeUndefined();
});
