import { expect, test } from 'vitest';
import type { RecipientState } from '../../src/kinds/recipient.ts';
import { mayBeOfOne, nextPart, readPlan, splitPart } from '../../src/processors/chunk-plan.ts';

const queued = (count: number): RecipientState[] => Array.from({ length: count }, () => 'queued');

/** How many requests it takes until everybody but the bad ones is sent to. */
function requests(count: number, bad: readonly number[]): { posts: number; states: RecipientState[] } {
  const states = queued(count);
  let plan = splitPart(
    '',
    states.map((_, index) => index),
    states,
  );
  let posts = 0;
  for (let part = nextPart(states, readPlan(plan)); part.length > 0; part = nextPart(states, readPlan(plan))) {
    posts += 1;
    const spoilt = part.some((index) => bad.includes(index));
    if (spoilt && part.length > 1) plan = splitPart(plan, part, states);
    else for (const index of part) states[index] = spoilt ? 'failed' : 'sent';
  }
  return { posts, states };
}

test('without a plan everybody who waits goes out in one request', () => {
  expect(nextPart(['sent', 'queued', 'unknown', 'queued'], [])).toEqual([1, 3]);
});

test('one bad recipient costs at most thirteen requests, wherever it is', () => {
  for (let bad = 0; bad < 50; bad += 1) {
    const { posts, states } = requests(50, [bad]);
    expect(posts).toBeLessThanOrEqual(13);
    expect(states.map((state, index) => [index, state]).filter(([, state]) => state !== 'sent')).toEqual([
      [bad, 'failed'],
    ]);
  }
});

test('with many bad ones it goes out one by one in the end, and no recipient twice', () => {
  const bad = [0, 5, 9, 13, 21, 22, 23, 24, 31, 40, 44, 49];
  const { posts, states } = requests(50, bad);
  expect(states.flatMap((state, index) => (state === 'failed' ? [index] : []))).toEqual(bad);
  expect(posts).toBeLessThanOrEqual(80);
});

test('a code that is the same for all of them is not about one of them', () => {
  const person = (to: string, text: string) => ({ to, text });
  const two = [person('+221770000001', 'a'), person('+221770000002', 'a')];
  expect(mayBeOfOne('ERROR_110', two)).toBe(true);
  expect(mayBeOfOne('ERROR_113', two)).toBe(false);
  expect(mayBeOfOne('ERROR_108', two)).toBe(false);
  expect(mayBeOfOne('ERROR_104', two)).toBe(false);
  expect(mayBeOfOne('ERROR_110', two.slice(0, 1))).toBe(false);
});
