import type { Queue } from 'bullmq';
import { expect, test } from 'vitest';
import { Waker } from '../../src/queues/open.ts';

/** A queue that counts additions, and a clock that sleeps until the test wakes it. */
function waking({ ready = true, waiting = 0 } = {}) {
  const added: unknown[] = [];
  const lost: unknown[] = [];
  const sleeping: (() => void)[] = [];
  const state = { waiting };
  const queue = {
    getWaitingCount: async () => state.waiting,
    add: async (_name: string, data: unknown) => void added.push(data),
  } as unknown as Queue;
  const waker = new Waker({
    queues: { disbursement: queue },
    ready: () => ready,
    clock: { sleep: () => new Promise((resolve) => sleeping.push(resolve)) },
    onLost: (error) => lost.push(error),
  });
  const later = async () => {
    for (const wake of sleeping.splice(0)) wake();
    await turn();
  };
  return { waker, added, state, later };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a wake-up carries nothing', async () => {
  const { waker, added } = waking();
  waker.wake('disbursement');
  await turn();
  expect(added).toEqual([{}]);
});

test('simultaneous due operations cause one wake-up, and later ones another', async () => {
  const { waker, added, later } = waking();
  for (let n = 0; n < 50; n += 1) waker.wake('disbursement');
  await turn();
  waker.wake('disbursement');
  waker.wake('disbursement');
  await turn();
  expect(added).toEqual([{}]);
  await later();
  expect(added).toEqual([{}, {}]);
  await later();
  expect(added).toEqual([{}, {}]);
});

test('if a wake-up waits already, none is added', async () => {
  const { waker, added, state, later } = waking({ waiting: 1 });
  waker.wake('disbursement');
  await turn();
  expect(added).toEqual([]);
  await later();
  state.waiting = 0;
  waker.wake('disbursement');
  await turn();
  expect(added).toEqual([{}]);
});

test('without a connection nothing is added, and no caller waits', async () => {
  const { waker, added, later } = waking({ ready: false });
  waker.wake('disbursement');
  await turn();
  await later();
  await waker.settled();
  expect(added).toEqual([]);
});
