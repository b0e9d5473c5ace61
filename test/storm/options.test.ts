import { expect, test } from 'vitest';
import { readOptions, USAGE } from './options.ts';
import { worldNames } from './worlds.ts';

test('all worlds are on unless some are named, and a world that is none is refused with those there are', () => {
  expect([...readOptions([]).worlds]).toEqual(worldNames);
  expect([...readOptions(['--worlds', 'tls,console']).worlds]).toEqual(['tls', 'console']);
  expect([...readOptions(['--worlds', 'none']).worlds]).toEqual([]);
  expect(() => readOptions(['--worlds', 'tls,rain'])).toThrow(/restores.*not rain/);
});

test('the usage names every world', () => {
  for (const world of worldNames) expect(USAGE).toContain(world);
});
