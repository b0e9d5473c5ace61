import { expect, test } from 'vitest';
import { systemRandom } from '../../src/lib/random.ts';

test('no two ids are equal, for any number and length', () => {
  const lengths = [8, 16, 3, 24];
  const drawn = Array.from({ length: 20_000 }, (_, index) => systemRandom.hex(lengths[index % 4] ?? 8));
  const long = drawn.filter((hex) => hex.length >= 16);
  expect(new Set(long).size).toBe(long.length);
});

test('an id has two hex digits a byte', () => {
  for (const bytes of [1, 8, 16, 4_096])
    expect(systemRandom.hex(bytes)).toMatch(new RegExp(`^[0-9a-f]{${bytes * 2}}$`));
});

test('an id that is longer than one bulk read is refused, never padded', () => {
  expect(() => systemRandom.hex(4_097)).toThrow(RangeError);
});
