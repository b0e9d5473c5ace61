import { expect, test } from 'vitest';
import { Taker, type TakerOptions } from '../../src/processors/run.ts';
import { clockByHand } from '../metrics/by-hand.ts';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A queue with this many due operations, and attempts that end when the test allows it. */
function queueOf(due: number, changes: Partial<TakerOptions> = {}) {
  const { clock, turn } = clockByHand();
  const ids = Array.from({ length: due }, (_, n) => `dsb_${n}`);
  const asked: number[] = [];
  const begun: string[] = [];
  const handedBack: string[] = [];
  const failures: unknown[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  let calls = 0;
  const taker = new Taker({
    slots: 8,
    patienceMs: 65_000,
    clock,
    take: async (atMost) => {
      asked.push(atMost);
      return ids.splice(0, atMost);
    },
    handBack: async (back) => void handedBack.push(...back),
    attempt: (id) => {
      begun.push(id);
      return new Promise((resolve, reject) => {
        ends.set(id, (error) => (error ? reject(error) : resolve()));
      });
    },
    callOthers: () => (calls += 1),
    onFailed: (error) => failures.push(error),
    ...changes,
  });
  const end = async (...which: string[]) => {
    for (const id of which) ends.get(id)?.();
    await settled();
  };
  return { taker, turn, ids, asked, begun, handedBack, failures, ends, end, calls: () => calls };
}

test('due operations are taken in bulk, and each starts at once', async () => {
  const { taker, asked, begun, calls } = queueOf(5);
  await taker.run();
  expect([asked, begun.length, calls()]).toEqual([[8], 5, 0]);
});

test('no more is begun than there are slots, and others are called once for the rest', async () => {
  const { taker, begun, end, calls } = queueOf(20);
  void taker.run();
  await settled();
  expect([begun.length, calls()]).toEqual([8, 1]);
  await end('dsb_0', 'dsb_1');
  expect([begun.length, calls()]).toEqual([10, 1]);
});

test('one that waits long for its answer holds up none that was taken with it', async () => {
  const { taker, begun, end, ends } = queueOf(100);
  const all = taker.run();
  await settled();
  while (begun.length < 100) await end(...[...ends.keys()].filter((id) => id !== 'dsb_0'));
  await all;
  expect(new Set(begun).size).toBe(100);
});

test('a quarter of the slots is waited for, and no longer than a moment', async () => {
  const { taker, turn, asked, end } = queueOf(20);
  void taker.run();
  await settled();
  await end('dsb_0');
  expect(asked).toEqual([8]);
  turn(10);
  await settled();
  expect(asked).toEqual([8, 1]);
});

test('a signal during a claim causes one more claim before the queue counts as empty', async () => {
  let arrived: () => void = () => undefined;
  const asked: number[] = [];
  const take = (atMost: number) =>
    new Promise<readonly string[]>((resolve) => {
      asked.push(atMost);
      arrived = () => resolve([]);
    });
  const { taker } = queueOf(0, { take });
  const first = taker.run();
  await settled();
  const second = taker.run();
  arrived();
  await settled();
  arrived();
  await Promise.all([first, second]);
  expect(asked).toHaveLength(2);
});

test('operations taken and not started when the process stops are released', async () => {
  let arrived: (ids: readonly string[]) => void = () => undefined;
  const take = () => new Promise<readonly string[]>((resolve) => (arrived = resolve));
  const { taker, begun, handedBack } = queueOf(0, { take });
  const all = taker.run();
  await settled();
  taker.stop();
  arrived(['dsb_1', 'dsb_2']);
  await all;
  expect([begun, handedBack]).toEqual([[], ['dsb_1', 'dsb_2']]);
});

test('a stopping process waits for running attempts, and takes no more', async () => {
  const { taker, asked, end } = queueOf(20);
  void taker.run();
  await settled();
  taker.stop();
  let over = false;
  const ended = taker.ended().then(() => (over = true));
  await settled();
  expect(over).toBe(false);
  await end(...Array.from({ length: 8 }, (_, n) => `dsb_${n}`));
  await ended;
  await taker.run();
  expect(asked).toEqual([8]);
});

test('an attempt that throws is reported, and its slot is free again', async () => {
  const { taker, begun, failures, ends } = queueOf(9);
  const all = taker.run();
  await settled();
  ends.get('dsb_0')?.(new Error('Redis is away'));
  ends.get('dsb_1')?.(new Error('Redis is away'));
  await all;
  expect([begun.length, failures.length]).toEqual([9, 2]);
});

test('a run that has gone on for long gives its job back, and asks for another', async () => {
  const { taker, turn, calls, end } = queueOf(100);
  const all = taker.run();
  await settled();
  turn(65_000);
  await end('dsb_0', 'dsb_1');
  await all;
  expect(calls()).toBe(2);
});

test('one that a caller has named takes a slot as any other', async () => {
  const { taker, begun, end } = queueOf(8);
  void taker.run();
  await settled();
  const one = taker.one('dsb_named');
  await settled();
  expect(begun).not.toContain('dsb_named');
  await end('dsb_0');
  await settled();
  expect(begun).toContain('dsb_named');
  await end('dsb_named');
  await one;
});

test('Redis that cannot be asked ends the run with its error, and the next run asks again', async () => {
  let away = true;
  const take = async () => {
    if (away) throw new Error('Redis is away');
    return [];
  };
  const { taker } = queueOf(0, { take });
  await expect(taker.run()).rejects.toThrow('away');
  away = false;
  await taker.run();
});
