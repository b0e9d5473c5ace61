import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CollectService, startCollectService } from '../support/collect-service.ts';
import { dueAt } from '../support/stored.ts';

let service: CollectService;
beforeAll(async () => {
  service = await startCollectService({ UPSTREAM_TIMEOUT: '400ms' });
});
afterAll(() => service.stop());

const asked = (reference: string, more: object = {}) => ({
  amount: 5_000,
  phone: '+221 77 123 45 67',
  feesPaidBy: 'customer',
  reference,
  ...more,
});
const ask = (reference: string, more: object = {}) => service.post('/v1/payment-requests', asked(reference, more));
const booked = async (referenceNumber: string) =>
  (await service.books('paymentRequests')).find(
    ({ reference }: { reference: string }) => reference === referenceNumber,
  );
const becomes = (id: string, wanted: string) =>
  service.until(`/v1/payment-requests/${id}`, ({ state }: { state: string }) => state === wanted);

test('a payment request gives an address and a number, and sends the customer nothing', async () => {
  const { status, body } = await ask('plain');
  expect(status).toBe(201);
  expect(body).toMatchObject({
    state: 'pending',
    amount: 5_000,
    feesPaidBy: 'customer',
    notify: false,
    tracked: true,
  });
  expect(body.url).toContain(body.referenceNumber);
  expect(await booked(body.referenceNumber)).toMatchObject({
    notified: false,
    supportFees: 0,
    phone: '221771234567',
  });

  await service.control('POST', `/payment-requests/${body.referenceNumber}`, { status: 'completed' });
  await becomes(body.id, 'completed');
  expect(await service.eventsOf(body.id)).toMatchObject([
    { type: 'payment_request.completed', data: { reference: 'plain', referenceNumber: body.referenceNumber } },
  ]);
});

test('a failed one is reported as failed', async () => {
  const { body } = await ask('fails', { feesPaidBy: 'merchant', email: 'awa@example.com' });
  expect(await booked(body.referenceNumber)).toMatchObject({ supportFees: 1, email: 'awa@example.com' });
  await service.control('POST', `/payment-requests/${body.referenceNumber}`, { status: 'failed' });
  await becomes(body.id, 'failed');
});

test('one that the provider sends itself is reported as untracked, and is never checked', async () => {
  const { status, body } = await ask('untracked', { notify: true });
  expect([status, body.state, body.tracked, body.referenceNumber]).toEqual([201, 'pending', false, null]);
  expect(await service.eventsOf(body.id)).toMatchObject([
    { type: 'payment_request.untracked', data: { tracked: false } },
  ]);
  expect(await dueAt(service, body.id)).toBeUndefined();
});

test('the same request again answers the same, and asks for no other', async () => {
  const first = await ask('twice');
  const count = (await service.books('summary')).paymentRequests;
  const again = await ask('twice');
  expect([again.status, again.body.id, again.body.url]).toEqual([201, first.body.id, first.body.url]);
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect((await service.books('summary')).paymentRequests).toBe(count);
});

describe('a creation that is not answered', () => {
  const unclear: readonly (readonly [fault: string, status: number])[] = [
    ['hangs after doing the work', 504],
    ['answers HTML', 502],
  ];

  test.for(unclear)('%s: it is never sent again, and needs review', async ([fault, status]) => {
    const reference = `after ${fault}`;
    const before = (await service.books('summary')).requests['payment-request.create'] ?? 0;
    await service.fault(fault, { operation: 'payment-request.create' });
    const lost = await ask(reference);
    expect([lost.status, lost.body.retryable, lost.body.state]).toEqual([status, false, 'needs_review']);
    const again = await ask(reference);
    expect([again.status, again.body.id, again.body.retryable]).toEqual([status, lost.body.id, false]);
    expect((await service.books('summary')).requests['payment-request.create']).toBe(before + 1);
    expect(await service.eventsOf(lost.body.id)).toMatchObject([{ type: 'payment_request.needs_review' }]);

    const resolved = await service.call('POST', `/v1/payment-requests/${lost.body.id}/resolve`, {
      key: 'checker-secret',
      body: { outcome: 'failed', note: 'the dashboard does not show it' },
    });
    expect(resolved.body.state).toBe('failed');
  });
});

test('a status that cannot be had is no result', async () => {
  const { body } = await ask('no-status');
  const fault = { operation: 'payment-request.status', code: '4004', count: 1_000 };
  await service.fault('answers a given code', fault);
  const confirmed = async () => {
    const { status, body: problem } = await service.post(`/v1/payment-requests/${body.id}/confirm`, {});
    return [status, problem.retryable];
  };
  // A worker may hold the lease for a check of its own: 409.
  await expect.poll(confirmed).toEqual([502, true]);
  await service.control('DELETE', '/faults');
  await service.control('POST', `/payment-requests/${body.referenceNumber}`, { status: 'completed' });
  await becomes(body.id, 'completed');
});
