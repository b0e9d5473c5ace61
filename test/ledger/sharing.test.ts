/** Requests that share statements, on lanes that this file answers for by hand. */
import { expect, test } from 'vitest';
import type { Lane } from '../../src/ledger/lane.ts';
import { Sharing } from '../../src/ledger/sharing.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';

const PATIENCE_MS = 60_000;

interface Bounds {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly mostWaiting: number;
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

function byHand(lanes: number, { clock = systemClock, mostWaiting = 1_000 }: Partial<Bounds> = {}) {
  const running: { items: readonly string[]; answer: (answers: readonly (string | Error)[]) => void }[] = [];
  const sharing = new Sharing<string, string>({
    lanes: Array.from({ length: lanes }, () => ({}) as Lane),
    most: 10,
    clock,
    patience: PATIENCE_MS,
    mostWaiting,
    keysOf: (item) => [item],
    sumsOf: (item) => item.match(/[+]\w+/g) ?? [],
    orderBy: (item) => item,
    run: (_, items) => new Promise((answer) => running.push({ items, answer })),
  });
  return { sharing, running };
}

test('an item that waits for a slow statement does not keep others from a free lane', async () => {
  const { sharing, running } = byHand(2);
  void sharing.ask('slow');
  await settled();
  void sharing.ask('slow');
  await settled();
  const other = sharing.ask('other');
  await settled();
  expect(running.map(({ items }) => items)).toEqual([['slow'], ['other']]);
  running[1]?.answer(['done']);
  expect(await other).toBe('done');
});

test('items that write the same sum share a statement, and two statements under way never do', async () => {
  const { sharing, running } = byHand(2);
  const first = ['a +awa', 'b +awa', 'c +awa'].map((item) => sharing.ask(item));
  await settled();
  const later = sharing.ask('d +awa');
  void sharing.ask('e +fatou');
  await settled();
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

test('an item that finds no lane in time is refused, and the others go on', async () => {
  let now = 0;
  const alarms: (() => void)[] = [];
  const clock = { monotonic: () => now, after: (_: number, run: () => void) => (alarms.push(run), () => undefined) };
  const { sharing, running } = byHand(1, { clock });
  void sharing.ask('slow');
  await settled();
  const late = sharing.ask('late').catch((error: unknown) => error);
  await settled();
  now = PATIENCE_MS - 1;
  const early = sharing.ask('early');
  await settled();
  now = PATIENCE_MS;
  for (const ring of alarms.splice(0)) ring();
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
