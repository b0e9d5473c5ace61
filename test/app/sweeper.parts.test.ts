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

test('what waits in a queue that is taken in bulk is what is due, and it is told so', async () => {
  await service.call('POST', '/v1/queues/disbursement/pause');
  const asked = { accountAlias: '771234567', amount: 500, withdrawMode: 'wallet-a-senegal' };
  const notBefore = new Date(Date.now() + 3_600_000).toISOString();
  for (const body of [
    { ...asked, reference: 'now' },
    { ...asked, reference: 'later', notBefore },
  ]) {
    expect((await service.call('POST', '/v1/disbursements', { body })).status).toBe(202);
  }
  const { items } = (await service.call('GET', '/v1/queues')).body;
  expect(items.find(({ name }: { name: string }) => name === 'disbursement')).toMatchObject({
    paused: true,
    waiting: 1,
    due: 2,
  });
  const page = await (await fetch(`${service.metrics}/metrics`)).text();
  expect(page).toContain('relais_jobs{queue="disbursement",state="waiting"} 1');
  expect(page).toContain('relais_jobs{queue="disbursement",state="delayed"} 1');
  await service.call('POST', '/v1/queues/disbursement/resume');
  const [{ id }] = (await service.call('GET', '/v1/disbursements?reference=now')).body.items;
  await service.until(`/v1/disbursements/${id}`, ({ state }: { state: string }) => state === 'succeeded');
});

test('what is due is taken though its wake-up was lost', async () => {
  await service.call('POST', '/v1/queues/disbursement/pause');
  const body = { accountAlias: '771234567', amount: 500, withdrawMode: 'wallet-a-senegal', reference: 'lost' };
  const { id } = (await service.call('POST', '/v1/disbursements', { body })).body;
  await vi.waitFor(async () => expect(await service.redis.llen('disbursement:wait')).toBe(1), { timeout: 5_000 });
  await service.redis.del('disbursement:wait');
  await service.call('POST', '/v1/queues/disbursement/resume');
  await service.until(`/v1/disbursements/${id}`, ({ state }: { state: string }) => state === 'succeeded');
});
