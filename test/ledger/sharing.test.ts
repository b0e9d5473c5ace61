/** Requests that share statements, on lanes that this file answers for by hand. */
import { expect, test } from 'vitest';
import type { Lane } from '../../src/ledger/lane.ts';
import { Sharing } from '../../src/ledger/sharing.ts';
import { systemClock } from '../../src/lib/clock.ts';

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

function byHand(lanes: number) {
  const running: { items: readonly string[]; answer: (answers: readonly (string | Error)[]) => void }[] = [];
  const sharing = new Sharing<string, string>({
    lanes: Array.from({ length: lanes }, () => ({}) as Lane),
    most: 10,
    clock: systemClock,
    patience: 60_000,
    mostWaiting: 1_000,
    keysOf: (item) => [item],
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

test('the failure of one item rejects that item alone', async () => {
  const { sharing, running } = byHand(1);
  const asked = ['a', 'b'].map((item) => sharing.ask(item));
  await settled();
  running[0]?.answer(['done', new Error('unread')]);
  expect(await Promise.allSettled(asked)).toMatchObject([{ value: 'done' }, { reason: { message: 'unread' } }]);
});
