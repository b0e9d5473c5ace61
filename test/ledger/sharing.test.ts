/** Requests that share statements, on lanes that this file answers manually. */
import { expect, test } from 'vitest';
import type { Lane } from '../../src/ledger/lane.ts';
import { HELD_UP_MS, Sharing } from '../../src/ledger/sharing.ts';
import type { Clock } from '../../src/lib/clock.ts';

const PATIENCE_MS = 60_000;

interface Bounds {
  readonly mostWaiting: number;
  readonly most: number;
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

/** `pass` advances the clock of the lanes, and fires due timers. */
function byHand(lanes: number, { mostWaiting = 1_000, most = 10 }: Partial<Bounds> = {}) {
  let now = 0;
  const alarms = new Set<{ readonly at: number; readonly ring: () => void }>();
  const clock: Pick<Clock, 'monotonic' | 'after'> = {
    monotonic: () => now,
    after: (ms, ring) => {
      const alarm = { at: now + ms, ring };
      alarms.add(alarm);
      return () => void alarms.delete(alarm);
    },
  };
  const pass = async (ms: number): Promise<void> => {
    now += ms;
    for (const alarm of alarms) {
      if (alarm.at > now) continue;
      alarms.delete(alarm);
      alarm.ring();
    }
    await settled();
  };
  const running: { items: readonly string[]; answer: (answers: readonly (string | Error)[]) => void }[] = [];
  const sharing = new Sharing<string, string>({
    lanes: Array.from({ length: lanes }, () => ({}) as Lane),
    most,
    clock,
    patience: PATIENCE_MS,
    mostWaiting,
    keysOf: (item) => [item],
    sumsOf: (item) => item.match(/[+]\w+/g) ?? [],
    orderBy: (item) => item,
    run: (_, items) => new Promise((answer) => running.push({ items, answer })),
  });
  return { sharing, running, pass };
}

test('requests that come while a statement is under way share the next one', async () => {
  const { sharing, running, pass } = byHand(2);
  void sharing.ask('a');
  await settled();
  for (const item of ['b', 'c']) void sharing.ask(item);
  await pass(HELD_UP_MS - 1);
  expect(running.map(({ items }) => items)).toEqual([['a']]);
  running[0]?.answer(['done']);
  await settled();
  expect(running.map(({ items }) => items)).toEqual([['a'], ['b', 'c']]);
});

test('another lane is used at once when a whole statement of requests waits', async () => {
  const { sharing, running } = byHand(2, { most: 2 });
  void sharing.ask('a');
  await settled();
  for (const item of ['b', 'c', 'd']) void sharing.ask(item);
  await settled();
  expect(running.map(({ items }) => items)).toEqual([['a'], ['b', 'c']]);
});

test('a statement that is held up does not keep others from a free lane', async () => {
  const { sharing, running, pass } = byHand(2);
  void sharing.ask('slow');
  await settled();
  void sharing.ask('slow');
  await settled();
  const other = sharing.ask('other');
  await pass(HELD_UP_MS);
  expect(running.map(({ items }) => items)).toEqual([['slow'], ['other']]);
  running[1]?.answer(['done']);
  expect(await other).toBe('done');
});

test('items that write the same sum share a statement, and two statements under way never do', async () => {
  const { sharing, running, pass } = byHand(2);
  const first = ['a +awa', 'b +awa', 'c +awa'].map((item) => sharing.ask(item));
  await settled();
  const later = sharing.ask('d +awa');
  void sharing.ask('e +fatou');
  await pass(HELD_UP_MS);
  expect(running.map(({ items }) => items)).toEqual([['a +awa', 'b +awa', 'c +awa'], ['e +fatou']]);
  running[0]?.answer(['done', 'done', 'done']);
  await Promise.all(first);
  await settled();
  expect(running[2]?.items).toEqual(['d +awa']);
  running[2]?.answer(['done']);
  expect(await later).toBe('done');
});

test('the failure of one item rejects that item alone', async () => {
  const { sharing, running } = byHand(1);
  const asked = ['a', 'b'].map((item) => sharing.ask(item));
  await settled();
  running[0]?.answer(['done', new Error('unread')]);
  expect(await Promise.allSettled(asked)).toMatchObject([{ value: 'done' }, { reason: { message: 'unread' } }]);
});

test('an item that finds no lane in time is refused, and the others continue', async () => {
  const { sharing, running, pass } = byHand(1);
  void sharing.ask('slow');
  await settled();
  const late = sharing.ask('late').catch((error: unknown) => error);
  await pass(PATIENCE_MS - 1);
  const early = sharing.ask('early');
  await pass(1);
  expect(await late).toMatchObject({ name: 'DatabaseAway' });
  running[0]?.answer(['done']);
  await settled();
  expect(running[1]?.items).toEqual(['early']);
  running[1]?.answer(['done']);
  expect(await early).toBe('done');
});

test('no more items wait than are allowed', async () => {
  const { sharing } = byHand(1, { mostWaiting: 2 });
  void sharing.ask('under way');
  await settled();
  void sharing.ask('first');
  void sharing.ask('second');
  await expect(sharing.ask('third')).rejects.toMatchObject({ name: 'DatabaseAway' });
});
