import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readOptions, USAGE } from './options.ts';
import { mutantNames, mutants, patched } from './mutants.ts';

const sources = join(import.meta.dirname, '../../src');

test.for(mutantNames)('what %s takes out stands in the sources once', (name) => {
  for (const patch of mutants[name].patches) {
    const text = readFileSync(join(sources, `${patch.file}.ts`), 'utf8');
    expect(patched(text, patch)).not.toBe(text);
  }
});

test('a guard that has moved is told, and not left in', () => {
  const patch = { file: 'one', stands: 'if (a)', becomes: 'if (true)' };
  expect(patched('x; if (a) b();', patch)).toBe('x; if (true) b();');
  expect(() => patched('if (b) c();', patch)).toThrow('one has it 0 times');
  expect(() => patched('if (a) b(); if (a) c();', patch)).toThrow('one has it 2 times');
});

test('a storm without a guard is asked for by its name', () => {
  expect(readOptions([]).without).toBeUndefined();
  expect(readOptions(['--without', 'slice-lease']).without).toBe('slice-lease');
  expect(() => readOptions(['--without', 'rain'])).toThrow(/slice-lease.*not rain/);
  for (const name of mutantNames) expect(USAGE).toContain(name);
});
