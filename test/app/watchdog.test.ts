import { expect, test } from 'vitest';
import { createWatchdog } from '../../src/app/watchdog.ts';
import { clockByHand } from '../metrics/by-hand.ts';

const QUEUE = 'intake';
const POLL_MS = 1_000;
const NOBODY: ReadonlyMap<string, number> = new Map();

function watching() {
  const { clock, turn } = clockByHand();
  const watchdog = createWatchdog({ clock, leaseMs: 130_000 });
  const watch = watchdog.watch(QUEUE, { slots: 2, pollMs: POLL_MS });
  /** The poll loop hangs for this time. */
  const look = (afterMs: number, waiting = NOBODY) => {
    turn(afterMs);
    watchdog.look(waiting);
    return watchdog.stuckMs().get(QUEUE);
  };
  /** The poll loop works between two checks. */
  const lookAfterPoll = (afterMs: number, waiting = NOBODY) => {
    turn(afterMs);
    watch.moved();
    return look(0, waiting);
  };
  /** An attempt that ends when the returned function is called. */
  const begin = () => {
    let end = (): void => undefined;
    const done = watch.attempt(() => new Promise<void>((resolve) => (end = resolve)));
    return async () => {
      end();
      await done;
    };
  };
  return { watchdog, look, lookAfterPoll, begin };
}

const JOBS = new Map([[QUEUE, 5]]);

test('a worker whose poll does not end is stuck, and is reported after half a minute', () => {
  const { watchdog, look } = watching();
  expect([look(0), look(20_000)]).toEqual([0, 19_000]);
  expect(watchdog.reasons()).toEqual([]);
  look(15_000);
  expect(watchdog.reasons()).toEqual(['the worker of intake is stuck: it has taken no work for 34s']);
});

test('a worker that polls and finds nothing is not stuck, however long', () => {
  const { watchdog, lookAfterPoll } = watching();
  expect([lookAfterPoll(3_600_000), lookAfterPoll(3_600_000)]).toEqual([0, 0]);
  expect(watchdog.reasons()).toEqual([]);
});

test('a poll or an attempt that ends starts the count again', async () => {
  const { look, lookAfterPoll, begin } = watching();
  look(29_000);
  expect(lookAfterPoll(0)).toBe(0);
  look(29_000);
  await begin()();
  expect(look(2_000)).toBe(1_000);
});

test('a worker that polls and takes no job is stuck while jobs wait', () => {
  const { watchdog, lookAfterPoll } = watching();
  expect([lookAfterPoll(0, JOBS), lookAfterPoll(20_000, JOBS)]).toEqual([0, 20_000]);
  lookAfterPoll(15_000, JOBS);
  expect(watchdog.reasons()).toHaveLength(1);
});

test('a worker that takes a job, or whose queue is emptied, starts the count again', async () => {
  const { lookAfterPoll, begin } = watching();
  lookAfterPoll(0, JOBS);
  lookAfterPoll(29_000, JOBS);
  await begin()();
  expect(lookAfterPoll(1_000, JOBS)).toBe(1_000);
  lookAfterPoll(28_000, NOBODY);
  expect([lookAfterPoll(1_000, JOBS), lookAfterPoll(5_000, JOBS)]).toEqual([0, 5_000]);
});

test('a worker whose every slot is busy may wait for the provider as long as a lease', () => {
  const { watchdog, look, begin } = watching();
  begin();
  begin();
  look(0, JOBS);
  expect(look(130_000, JOBS)).toBe(0);
  look(40_000, JOBS);
  expect(watchdog.reasons()).toHaveLength(1);
});

test('a worker with a free slot may not, though another attempt is in progress', () => {
  const { watchdog, look, begin } = watching();
  begin();
  look(40_000);
  expect(watchdog.reasons()).toHaveLength(1);
});

test('a worker that is being closed is not watched', () => {
  const { watchdog, look } = watching();
  look(60_000);
  watchdog.forget(QUEUE);
  expect(watchdog.reasons()).toEqual([]);
  expect(look(1_000)).toBeUndefined();
});

test('an attempt that throws has ended all the same', async () => {
  const { clock } = clockByHand();
  const watchdog = createWatchdog({ clock, leaseMs: 1 });
  const watch = watchdog.watch(QUEUE, { slots: 1, pollMs: POLL_MS });
  await expect(watch.attempt(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  watchdog.look(JOBS);
  expect(watchdog.stuckMs().get(QUEUE)).toBe(0);
});
