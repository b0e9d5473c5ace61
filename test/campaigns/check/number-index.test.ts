import { describe, expect, it } from 'vitest';
import { NumberIndex } from '../../../src/campaigns/check/tally.ts';
import { seededRandom } from '../../../src/lib/random.ts';

describe('the index of numbers', () => {
  it('returns the row of a number’s first occurrence', () => {
    const numbers = new NumberIndex();
    expect(numbers.add('+221770000001', 2)).toBe(0);
    expect(numbers.add('+221770000001', 9)).toBe(2);
    expect(numbers.add('+221770000001', 12)).toBe(2);
    expect(numbers.size).toBe(1);
  });

  it('contains its numbers and no others', () => {
    const numbers = new NumberIndex(4);
    numbers.add('+221770000001', 2);
    expect(numbers.has('+221770000001')).toBe(true);
    expect(numbers.has('+221770000002')).toBe(false);
    expect(numbers.has('+999999999999999')).toBe(false);
  });

  it('keeps fifteen digits apart', () => {
    const numbers = new NumberIndex();
    expect(numbers.add('+999999999999998', 1)).toBe(0);
    expect(numbers.add('+999999999999999', 2)).toBe(0);
  });

  it('answers as a Map does, through every growth', () => {
    const random = seededRandom(7);
    const numbers = new NumberIndex(1);
    const map = new Map<string, number>();
    for (let row = 1; row <= 50_000; row += 1) {
      const number = `+22177${Math.floor(random.fraction() * 40_000)}`;
      if (numbers.add(number, row) !== (map.get(number) ?? 0)) expect.fail(`${number} on row ${row}`);
      if (!map.has(number)) map.set(number, row);
    }
    expect(numbers.size).toBe(map.size);
  });
});
