import { Queue, QueueEvents } from 'bullmq';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CollectService, startCollectService } from '../support/collect-service.ts';
import { operationIds } from '../support/stored.ts';

let service: CollectService;
let queue: Queue;
let events: QueueEvents;
beforeAll(async () => {
  service = await startCollectService({ DIRECT_CREDIT: 'on' });
  const { host = '', port = 0, db = 0 } = service.redis.options;
  const options = { connection: { host, port, db }, prefix: '{relais}' };
  queue = new Queue('intake', options);
  events = new QueueEvents('intake', options);
  await events.waitUntilReady();
});
afterAll(async () => {
  await events.close();
  await queue.close();
  await service.stop();
});

const ask = async (request: object): Promise<{ id: string; outcome: string }> => {
  const job = await queue.add('request', request);
  return job.waitUntilFinished(events, 10_000) as Promise<{ id: string; outcome: string }>;
};

test('an invoice from the intake queue is created without a waiting caller', async () => {
  const request = { kind: 'invoice', totalAmount: 15_000, store: { name: 'x' }, reference: 'queued-invoice' };
  const { id, outcome } = await ask(request);
  expect(outcome).toBe('accepted');
  const made = await service.until(`/v1/invoices/${id}`, ({ state }: { state: string }) => state === 'pending');
  expect(made.url).toContain(made.token);
  expect(await ask(request)).toEqual({ id, outcome: 'duplicate' });
});

test('so is a payment request', async () => {
  const request = { amount: 5_000, phone: '+221771234567', feesPaidBy: 'merchant', reference: 'queued-request' };
  const { id } = await ask({ kind: 'payment_request', ...request });
  const made = await service.until(
    `/v1/payment-requests/${id}`,
    ({ state }: { state: string }) => state === 'pending',
  );
  expect(made.referenceNumber).toEqual(expect.any(String));
});

test('a direct credit is made', async () => {
  const { id } = await ask({ kind: 'direct_credit', accountAlias: '771234567', amount: 1_000, reference: 'queued' });
  await service.until(`/v1/direct-credits/${id}`, ({ state }: { state: string }) => state === 'succeeded');
});

test('a request that is not valid names every problem, and records nothing', async () => {
  const kept = await operationIds(service);
  const wrong = ask({ kind: 'invoice', totalAmount: '1', store: {}, reference: 'wrong' });
  await expect(wrong).rejects.toThrow(/\/totalAmount .*\/store\/name/);
  expect(await operationIds(service)).toEqual(kept);
});

test('an invoice whose process died before it was created is created by the due index', async () => {
  const reference = 'died';
  const { body } = await service.post('/v1/invoices', { totalAmount: 1_000, store: { name: 'x' }, reference });
  // The record after acceptance, before any further step.
  await service.ledger.query('alter table relais.operation disable trigger operation_enters_state');
  await service.ledger.query(`update relais.operation set state = 'creating', token = null, facts = facts - 'url' - 'request',
    request = request || '{"request": {"totalAmount": 1000, "store": {"name": "x"}}}', lease = null, lease_until = null, version = version + 1, queue = 'invoice-confirm', due_at = now()
    where id = '${body.id}'`);
  const made = await service.until(`/v1/invoices/${body.id}`, ({ state }: { state: string }) => state === 'pending');
  expect(made.token).not.toBe(body.token);
});

test('endless nesting is refused with its position, as through every other entry point', async () => {
  let deep: object = {};
  for (let level = 0; level < 3_000; level += 1) deep = { deep };
  const request = { totalAmount: 15_000, store: { name: 'x' }, customData: { deep }, reference: 'bottomless' };
  await expect(ask({ kind: 'invoice', ...request })).rejects.toThrow(
    '/customData must have at most 32 nested levels',
  );
});
