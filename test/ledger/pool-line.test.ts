/** The order of callers for a connection, and when a caller is refused. */
import { expect, test } from 'vitest';
import { DatabaseAway } from '../../src/ledger/errors.ts';
import { PoolLine } from '../../src/ledger/pool-line.ts';

/** A manual clock. */
function handClock() {
  let now = 0;
  let armed: { readonly at: number; readonly run: () => void } | undefined;
  const clock = {
    monotonic: () => now,
    after: (ms: number, run: () => void) => {
      armed = { at: now + ms, run };
      return () => (armed = undefined);
    },
  };
  const turn = (ms: number): void => {
    const until = now + ms;
    for (let due = armed; due && due.at <= until; due = armed) {
      now = due.at;
      armed = undefined;
      due.run();
    }
    now = until;
  };
  return { clock, turn };
}

function lineOf(size: number, most = 100) {
  const { clock, turn } = handClock();
  const still: true[] = [];
  const line = new PoolLine({ size, patience: 100, most, clock, onStill: () => void still.push(true) });
  const told: string[] = [];
  const enter = (name: string): Promise<void> =>
    line.enter().then(
      () => void told.push(name),
      (error: unknown) => void told.push(`${name} ${error instanceof DatabaseAway ? 'refused' : String(error)}`),
    );
  return { line, turn, told, enter, still };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('callers get connections in the order in which they came', async () => {
  const { line, told, enter } = lineOf(1);
  void enter('a');
  void enter('b');
  void enter('c');
  await settled();
  expect([told, line.waiting]).toEqual([['a'], 2]);
  line.leave(true);
  await settled();
  line.leave(true);
  await settled();
  expect([told, line.waiting]).toEqual([['a', 'b', 'c'], 0]);
});

test('a caller waits as long as connections come free', async () => {
  const { line, turn, told, enter, still } = lineOf(1);
  for (let n = 0; n < 8; n += 1) void enter(String(n));
  for (let n = 0; n < 7; n += 1) {
    turn(90);
    line.leave(true);
    await settled();
  }
  expect([told, still]).toEqual([['0', '1', '2', '3', '4', '5', '6', '7'], []]);
});

test('callers are refused when no connection comes free', async () => {
  const { line, turn, told, enter, still } = lineOf(1);
  void enter('a');
  void enter('b');
  turn(50);
  void enter('c');
  turn(50);
  await settled();
  expect([told, line.waiting]).toEqual([['a', 'b refused'], 1]);
  turn(50);
  await settled();
  expect(told).toEqual(['a', 'b refused', 'c refused']);
  expect(still).toHaveLength(2);
});

test('a connection that failed does not prolong the wait of the others', async () => {
  const { line, turn, told, enter } = lineOf(1);
  void enter('a');
  void enter('b');
  void enter('c');
  turn(90);
  line.leave(false);
  turn(10);
  await settled();
  expect(told).toEqual(['a', 'b', 'c refused']);
});

test('no more callers wait than are allowed', async () => {
  const { told, enter, still } = lineOf(1, 2);
  for (const name of ['a', 'b', 'c', 'd']) void enter(name);
  await settled();
  expect([told, still]).toEqual([['a', 'd refused'], []]);
});

test('a connection that no caller waits for is free for the next one', async () => {
  const { line, told, enter } = lineOf(1);
  void enter('a');
  await settled();
  line.leave(true);
  void enter('b');
  await settled();
  expect(told).toEqual(['a', 'b']);
});
