import { expect, test } from 'vitest';
import { ttlCache } from '../../src/metrics/ttl-cache.ts';
import { clockByHand } from './by-hand.ts';

/** Every read is answered manually. */
function reading() {
  const { clock, turn } = clockByHand();
  const asked: Array<{ answer: (value: string) => void; fail: (error: Error) => void }> = [];
  const errors: unknown[] = [];
  const ask = ttlCache<string>({
    read: () => new Promise((answer, fail) => void asked.push({ answer, fail })),
    clock,
    keepMs: 1_000,
    limitMs: 1_500,
    onError: (error) => errors.push(error),
  });
  return { ask, asked, errors, turn };
}

test('concurrent callers share one read', async () => {
  const { ask, asked } = reading();
  const answers = [ask(), ask(), ask()];
  asked[0]?.answer('a');
  expect(await Promise.all(answers)).toEqual(['a', 'a', 'a']);
  expect(asked).toHaveLength(1);
});

test('an answer is good for a second', async () => {
  const { ask, asked, turn } = reading();
  const first = ask();
  asked[0]?.answer('a');
  await first;
  turn(999);
  expect(await ask()).toBe('a');
  turn(1);
  const second = ask();
  asked[1]?.answer('b');
  expect(await second).toBe('b');
});

test('a slow answer is good for a second from when it came', async () => {
  const { ask, asked, turn } = reading();
  const first = ask();
  turn(1_400);
  asked[0]?.answer('a');
  await first;
  turn(500);
  expect(await ask()).toBe('a');
  expect(asked).toHaveLength(1);
});

test('a time-out is undefined, and is reported', async () => {
  const { ask, errors, turn } = reading();
  const answer = ask();
  turn(1_500);
  expect(await answer).toBeUndefined();
  expect(errors).toHaveLength(1);
});

test('a late answer is not shown to the next caller', async () => {
  const { ask, asked, turn } = reading();
  const first = ask();
  turn(1_500);
  await first;
  asked[0]?.answer('late');
  turn(1_000);
  const second = ask();
  asked[1]?.answer('new');
  expect(await second).toBe('new');
});

test('a failure too is cached for a second: a returning Redis gets no rush', async () => {
  const { ask, asked, errors } = reading();
  const first = ask();
  asked[0]?.fail(new Error('gone'));
  expect(await first).toBeUndefined();
  expect(await ask()).toBeUndefined();
  expect([asked.length, errors.length]).toEqual([1, 1]);
});
