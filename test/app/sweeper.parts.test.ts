import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { QueueName } from '../../src/kinds/due-queues.ts';
import { keys } from '../../src/operations/keys.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const ID = 'dsb_00000000000000000000000000';
const makeDue = (queue: QueueName) => service.redis.zadd(keys.due(queue), 0, ID);
const score = (queue: QueueName) => service.redis.zscore(keys.due(queue), ID);
const swept = (queue: QueueName) =>
  vi.waitFor(async () => expect(await score(queue)).not.toBe('0'), { timeout: 5_000, interval: 20 });

test('what is due in a paused queue stays in the index until the queue is resumed', async () => {
  await service.call('POST', '/v1/queues/disbursement/pause');
  await makeDue('disbursement');
  // A sweep may be half over, so the second one that reaches the later queue is the one that has seen the paused one.
  for (const _sweep of [1, 2]) {
    await makeDue('status-poll');
    await swept('status-poll');
  }
  expect(await score('disbursement')).toBe('0');
  await service.call('POST', '/v1/queues/disbursement/resume');
  await swept('disbursement');
});
