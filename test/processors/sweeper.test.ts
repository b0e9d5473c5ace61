import { expect, test } from 'vitest';
import { dueQueues, type QueueName } from '../../src/kinds/due-queues.ts';
import { queues } from '../../src/queues/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type SweeperOptions, sweep } from '../../src/processors/sweeper.ts';

/** What is taken in bulk is not waited for by anybody's job. */
const swept = dueQueues.filter((queue) => !('inBulk' in queues[queue]));

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
    pushMs: 10_000,
    waiting: async () => 0,
    paused: async () => false,
    wake: (queue) => woken.push(queue),
    ...changes,
  };
  return { claimed, woken, run: () => sweep(options) };
};

test('what is due is woken, in every queue whose operations have a job each', async () => {
  const { woken, run } = everyQueueHasOneDue({});
  expect(await run()).toBe(swept.length);
  expect(woken).toEqual(swept);
});

test('a paused queue collects no wake-ups, and what is due there stays due', async () => {
  const { claimed, woken, run } = everyQueueHasOneDue({ paused: async (queue) => queue === 'sms-otp' });
  await run();
  const others = swept.filter((queue) => queue !== 'sms-otp');
  expect([claimed, woken]).toEqual([others, others]);
});

test('a deep queue is not fed', async () => {
  const { claimed, run } = everyQueueHasOneDue({ waiting: async () => 1_000 });
  await run();
  expect(claimed).toEqual([]);
});
