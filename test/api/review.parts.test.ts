import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CollectService, startCollectService } from '../support/collect-service.ts';

let service: CollectService;
beforeAll(async () => {
  service = await startCollectService({
    DIRECT_CREDIT: 'on',
    UPSTREAM_TIMEOUT: '400ms',
    DISBURSEMENT_RESUBMIT: 'strict',
  });
});
afterAll(() => service.stop());

const review = async (query = '', key = 'maker-secret') =>
  (await service.call('GET', `/v1/review${query}`, { key })).body;
const kindsOf = ({ items }: { items: { kind: string }[] }) => items.map(({ kind }) => kind);
/** Status checks continue meanwhile, and add to each history. */
const placesOf = ({ items }: { items: { kind: string; id: string }[] }) =>
  items.map(({ kind, id }) => `${kind} ${id}`);
const inReview = (path: string, id: string) =>
  service.until(`/v1/${path}/${id}`, ({ state }: { state: string }) => state === 'needs_review');

/** One of each kind, each in review before the next is requested. */
async function oneOfEach(): Promise<string[]> {
  await service.fault('hangs after doing the work', { operation: 'direct-credit' });
  const credit = await service.post('/v1/direct-credits', {
    accountAlias: '771234567',
    amount: 10_000,
    reference: 'credit',
  });
  await inReview('direct-credits', credit.body.id);

  await service.fault('resets the connection after doing the work', { operation: 'payment-request.create' });
  const asked = { amount: 5_000, feesPaidBy: 'customer', phone: '+221 77 123 45 67', reference: 'request' };
  const request = await service.post('/v1/payment-requests', asked);
  await inReview('payment-requests', request.body.id);

  const invoice = await service.post('/v1/invoices', {
    totalAmount: 15_000,
    store: { name: 'La Boutique' },
    reference: 'invoice',
  });
  await service.fault('reports another amount', { operation: 'invoice.confirm', count: 1_000 });
  await service.control('POST', `/invoices/${invoice.body.token}`, { status: 'completed' });
  await inReview('invoices', invoice.body.id);

  await service.fault('resets the connection before doing the work', { operation: 'disbursement.submit' });
  const paid = await service.post('/v1/disbursements', {
    accountAlias: '771234567',
    amount: 10_000,
    withdrawMode: 'wallet-a-senegal',
    reference: 'disbursement',
  });
  await inReview('disbursements', paid.body.id);
  return [credit, request, invoice, paid].map(({ body }) => body.id);
}

test('every operation in review is listed, of any kind, oldest first', async () => {
  expect(await review()).toEqual({ items: [], next: null });
  const ids = await oneOfEach();

  const all = await review();
  expect(kindsOf(all)).toEqual(['direct_credit', 'payment_request', 'invoice', 'disbursement']);
  expect(all.items.map(({ id }: { id: string }) => id)).toEqual(ids);
  for (const { state, reason } of all.items) expect([state, reason]).toEqual(['needs_review', expect.any(String)]);

  const first = await review('?limit=3');
  expect(placesOf(first)).toEqual(placesOf(all).slice(0, 3));
  const second = await review(`?limit=3&after=${encodeURIComponent(first.next)}`);
  expect([placesOf(second), second.next]).toEqual([placesOf(all).slice(3), null]);
  // The id of a waiting operation is a valid cursor too.
  expect(placesOf(await review(`?after=${ids[1]}`))).toEqual(placesOf(all).slice(2));

  expect(kindsOf(await review('?kind=invoice'))).toEqual(['invoice']);
  expect((await service.call('GET', '/v1/review?kind=message')).status).toBe(422);
  expect(await review('', 'stranger-secret')).toMatchObject({ items: [] });
});

test('a resolved operation leaves the list, with its decider and reason, and the cursor after it stays valid', async () => {
  const { items, next } = await review('?limit=1');
  const [{ id }] = items;
  const outcome = { outcome: 'succeeded', note: 'It stands on the statement.' };
  const done = await service.call('POST', `/v1/direct-credits/${id}/resolve`, {
    key: 'checker-secret',
    body: outcome,
  });
  expect(done.body).toMatchObject({ state: 'succeeded', resolvedBy: 'checker', note: outcome.note });
  expect(done.body.history.at(-1)).toMatchObject({ operation: 'resolve', code: 'succeeded', detail: 'checker' });
  expect(kindsOf(await review())).toEqual(['payment_request', 'invoice', 'disbursement']);
  expect(kindsOf(await review(`?after=${next}`))).toEqual(['payment_request', 'invoice', 'disbursement']);
});
