import { expect, test } from 'vitest';
import { createWatchdog } from '../../src/app/watchdog.ts';
import { clockByHand } from '../metrics/by-hand.ts';

const WAITING = new Map([['disbursement', 5]]);

function watching() {
  const { clock, turn } = clockByHand();
  const watchdog = createWatchdog({ clock, leaseMs: 130_000 });
  const attempt = watchdog.watch('disbursement', 2);
  const look = (afterMs: number, waiting: ReadonlyMap<string, number> | 'no answer' = WAITING) => {
    turn(afterMs);
    watchdog.look(waiting === 'no answer' ? undefined : waiting);
    return watchdog.stuckMs().get('disbursement');
  };
  /** An attempt that ends when it is told to. */
  const begin = () => {
    let end = (): void => undefined;
    const done = attempt(() => new Promise<void>((resolve) => (end = resolve)));
    return async () => {
      end();
      await done;
    };
  };
  return { watchdog, look, begin };
}

test('a worker that takes nothing while jobs wait is stuck, and says so after half a minute', () => {
  const { watchdog, look } = watching();
  expect([look(0), look(20_000)]).toEqual([0, 20_000]);
  expect(watchdog.reasons()).toEqual([]);
  look(15_000);
  expect(watchdog.reasons()).toEqual(['the worker of disbursement takes no jobs though jobs wait, for 35s now']);
});

test('one that has nothing to take is not, however long', () => {
  const { watchdog, look } = watching();
  look(0, new Map([['disbursement', 0]]));
  expect(look(3_600_000, new Map())).toBe(0);
  expect(watchdog.reasons()).toEqual([]);
});

test('one that took something in between begins anew', async () => {
  const { look, begin } = watching();
  look(0);
  look(29_000);
  await begin()();
  expect(look(1_000)).toBe(1_000);
});

test('a queue that was emptied in between begins anew', () => {
  const { look } = watching();
  look(0);
  look(29_000);
  look(1_000, new Map());
  expect([look(1_000), look(5_000)]).toEqual([0, 5_000]);
});

test('one whose every slot is busy may wait for the service as long as a lease', () => {
  const { watchdog, look, begin } = watching();
  begin();
  begin();
  look(0);
  expect(look(130_000)).toBe(0);
  look(40_000);
  expect(watchdog.reasons()).toHaveLength(1);
});

test('one with a free slot may not, though another attempt is in progress', () => {
  const { watchdog, look, begin } = watching();
  begin();
  look(0);
  look(40_000);
  expect(watchdog.reasons()).toHaveLength(1);
});

test('while Redis cannot be asked nobody is accused', () => {
  const { watchdog, look } = watching();
  look(0);
  look(60_000);
  expect(look(1_000, 'no answer')).toBe(0);
  expect(watchdog.reasons()).toEqual([]);
});

test('one that is being closed is not watched', () => {
  const { watchdog, look } = watching();
  look(0);
  look(60_000);
  watchdog.forget('disbursement');
  expect(watchdog.reasons()).toEqual([]);
  expect(look(1_000)).toBeUndefined();
});

test('an attempt that throws has ended all the same', async () => {
  const { clock } = clockByHand();
  const watchdog = createWatchdog({ clock, leaseMs: 1 });
  const attempt = watchdog.watch('intake', 1);
  await expect(attempt(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  watchdog.look(new Map([['intake', 1]]));
  expect(watchdog.stuckMs().get('intake')).toBe(0);
});
