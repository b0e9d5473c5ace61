import { expect, test } from 'vitest';
import { dueQueues, type QueueName } from '../../src/kinds/due-queues.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type SweeperOptions, sweep } from '../../src/processors/sweeper.ts';

const everyQueueHasOneDue = (changes: Partial<SweeperOptions>) => {
  const claimed: QueueName[] = [];
  const woken: QueueName[] = [];
  const options: SweeperOptions = {
    operations: {
      claim: async (queue) => {
        claimed.push(queue);
        return [{ id: 'dsb_1', rev: '1' }];
      },
    },
    clock: systemClock,
    intervalMs: 1_000,
    pushMs: 10_000,
    waiting: async () => 0,
    paused: async () => false,
    wake: (queue) => woken.push(queue),
    onError: () => undefined,
    ...changes,
  };
  return { claimed, woken, run: () => sweep(options) };
};

test('what is due is woken, in every queue', async () => {
  const { woken, run } = everyQueueHasOneDue({});
  expect(await run()).toBe(dueQueues.length);
  expect(woken).toEqual([...dueQueues]);
});

test('a paused queue collects no wake-ups, and what is due there stays due', async () => {
  const { claimed, woken, run } = everyQueueHasOneDue({ paused: async (queue) => queue === 'status-poll' });
  await run();
  const others = dueQueues.filter((queue) => queue !== 'status-poll');
  expect([claimed, woken]).toEqual([others, others]);
});

test('a deep queue is not fed', async () => {
  const { claimed, run } = everyQueueHasOneDue({ waiting: async () => 1_000 });
  await run();
  expect(claimed).toEqual([]);
});
