import { expect, test } from 'vitest';
import { Buckets } from '../../src/api/buckets.ts';

function bucketsAt(everyMs: number, most: number) {
  let mono = 1_000;
  const buckets = new Buckets({ clock: { monotonic: () => mono }, everyMs, most });
  const takeAll = (name: string, count: number): readonly number[] =>
    Array.from({ length: count }, () => buckets.take(name));
  return { buckets, takeAll, pass: (ms: number): void => void (mono += ms) };
}

test('a full bucket gives all its tokens at once, and then one every so often', () => {
  const { takeAll, pass } = bucketsAt(200, 5);
  expect(takeAll('key', 7)).toEqual([0, 0, 0, 0, 0, 200, 200]);
  pass(199);
  expect(takeAll('key', 1)).toEqual([1]);
  pass(1);
  expect(takeAll('key', 2)).toEqual([0, 200]);
  pass(10_000);
  expect(takeAll('key', 6)).toEqual([0, 0, 0, 0, 0, 200]);
});

test('a refused request takes no token', () => {
  const { takeAll, pass } = bucketsAt(1_000, 1);
  expect(takeAll('key', 100).filter((waitMs) => waitMs === 0)).toHaveLength(1);
  pass(1_000);
  expect(takeAll('key', 1)).toEqual([0]);
});

test('each name has a bucket of its own', () => {
  const { takeAll } = bucketsAt(1_000, 1);
  expect([takeAll('first', 2), takeAll('second', 1)]).toEqual([[0, 1_000], [0]]);
});

test('names that have not asked for a while take no memory, and those that have keep their bucket', () => {
  const { buckets, pass } = bucketsAt(1_000, 1);
  for (let nth = 0; nth < 10_000; nth += 1) buckets.take(`key ${nth}`);
  expect(buckets.take('key 1')).toBe(1_000);
  pass(500);
  buckets.take('late');
  expect(buckets.take('key 1')).toBe(500);
  pass(500);
  expect([buckets.take('one more'), buckets.take('late')]).toEqual([0, 500]);
});
