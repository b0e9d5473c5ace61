import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CollectService, startCollectService } from '../support/collect-service.ts';

let service: CollectService;
beforeAll(async () => {
  service = await startCollectService();
});
afterAll(() => service.stop());

const asked = (reference: string, more: object = {}) => ({
  totalAmount: 15_000,
  store: { name: 'La Boutique' },
  reference,
  ...more,
});
const create = async (reference: string, more: object = {}) =>
  (await service.post('/v1/invoices', asked(reference, more))).body;
const decide = (token: string, status: string) => service.control('POST', `/invoices/${token}`, { status });
const becomes = (id: string, wanted: string) =>
  service.until(`/v1/invoices/${id}`, ({ state }: { state: string }) => state === wanted);
const typesOf = async (id: string) => (await service.eventsOf(id)).map(({ type }) => type);

test('an invoice is created while the caller waits, and reported as completed one time', async () => {
  const created = await service.post('/v1/invoices', asked('once'));
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({ state: 'pending', totalAmount: 15_000, reference: 'once', account: 'main' });
  expect(created.body.url).toContain(created.body.token);
  await decide(created.body.token, 'completed');
  const paid = await becomes(created.body.id, 'completed');
  expect(paid).toMatchObject({ amountPaid: 15_000 });
  expect(paid.receiptUrl).toContain('.pdf');
  expect(await service.eventsOf(created.body.id)).toMatchObject([
    { type: 'invoice.completed', data: { token: created.body.token, totalAmount: 15_000 } },
  ]);
});

test('the callback address it was given leads back to it', async () => {
  const { id, token } = await create('called-back');
  await decide(token, 'cancelled');
  const posted = (await service.books('callbacks')).filter((post: { token: string }) => post.token === token);
  expect(posted).toMatchObject([{ kind: 'invoice', answer: 200 }]);
  const cancelled = await becomes(id, 'cancelled');
  expect(cancelled.history.map(({ operation }: { operation: string }) => operation)).toContain('callback');
});

test('every field of a request reaches the provider, without a breach of its rules', async () => {
  const { status, body } = await service.post('/v1/invoices', {
    ...asked('whole'),
    description: 'Shoes',
    items: { item_1: { name: 'Box', totalPrice: '2500' }, item_0: { name: 'Shoe', quantity: 2, totalPrice: 10_000 } },
    taxes: [{ name: 'TVA', amount: 2_500 }],
    customer: { name: 'Awa', email: 'awa@example.com', phone: '+221771234567' },
    channels: ['card'],
    customData: { order: 7, nested: { yes: true } },
    returnUrl: 'https://shop.example/thanks',
    cancelUrl: 'https://shop.example/basket',
  });
  expect([status, body.warnings]).toEqual([201, []]);
  expect(await service.books('breaches')).toEqual([]);
});

test('a paid invoice returns the payer and the custom data that the provider names, everywhere but the number in events', async () => {
  const customer = { name: 'Awa Diop', email: 'awa@example.com', phone: '771234567' };
  const customData = { order: 7, nested: { yes: true } };
  const { id, token, ...made } = await create('details', { customer, customData });
  expect([made.customer, made.customData]).toEqual([undefined, undefined]);
  await decide(token, 'completed');
  expect(await becomes(id, 'completed')).toMatchObject({ customer, customData, fees: null, totalWithoutFees: null });
  const { body: list } = await service.call('GET', '/v1/invoices?reference=details');
  expect(list.items).toMatchObject([{ id, customer, customData }]);
  const csv = await service.call('GET', '/v1/invoices?reference=details', { headers: { accept: 'text/csv' } });
  const [header, line] = csv.body.trim().split('\r\n');
  expect(header).toContain(';totalWithoutFees;fees;customer;customData;metadata');
  for (const text of ['Awa Diop', '771234567', 'nested']) expect(line).toContain(text);
  const [event] = await service.eventsOf(id);
  expect(event?.data['customer']).toEqual({ name: 'Awa Diop', email: 'awa@example.com' });
  expect(event?.data).toMatchObject({ customData });
});

test('items that do not add up are worth a word, and no more', async () => {
  const { body } = await service.post('/v1/invoices', asked('sum', { items: [{ name: 'x', totalPrice: 1 }] }));
  expect(body).toMatchObject({ state: 'pending', warnings: ['items and taxes add up to 1, and 15000 is billed'] });
});

test('the request is erased after its creation', async () => {
  const { id } = await create('forgotten', { customer: { name: 'Zebulon Unique' } });
  const [row] = await service.ledger.query<{ request: object }>(
    `select request from relais.operation where id = '${id}'`,
  );
  expect(JSON.stringify(row?.request)).not.toContain('Zebulon');
});

describe('identity', () => {
  test('the same request again answers the same invoice, and creates no other', async () => {
    const first = await service.post('/v1/invoices', asked('twice'));
    const before = (await service.books('summary')).invoices;
    const again = await service.post('/v1/invoices', asked('twice'));
    expect([again.status, again.body.id, again.body.url]).toEqual([201, first.body.id, first.body.url]);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect((await service.books('summary')).invoices).toBe(before);
  });

  test('without an identity nothing is created', async () => {
    const { status } = await service.post('/v1/invoices', { totalAmount: 1_000, store: { name: 'x' } });
    expect(status).toBe(400);
  });
});

/** XOF of today's totals. */
const collected = async (): Promise<number> => {
  const { body } = await service.published('/v1/reports/daily');
  return body.rows.reduce((sum: number, row: { collected: { xof: number } }) => sum + row.collected.xof, 0);
};

test('a partial payment is not reported as completed, and needs review', async () => {
  const before = await collected();
  const { id, token } = await create('short');
  await service.fault('reports another amount', { operation: 'invoice.confirm', count: 1_000, match: token });
  await decide(token, 'completed');
  const review = await becomes(id, 'needs_review');
  expect(review).toMatchObject({ reason: 'amount_mismatch', amountPaid: null });
  expect(await typesOf(id)).toEqual(['invoice.needs_review']);

  const own = await service.call('POST', `/v1/invoices/${id}/resolve`, {
    key: 'checker-secret',
    body: { outcome: 'completed', note: 'one franc is missing, accepted' },
  });
  expect([own.status, own.body.state, own.body.amountPaid]).toEqual([200, 'completed', 14_999]);
  expect(await service.eventsOf(id)).toMatchObject([{}, { data: { resolvedBy: 'checker', amountPaid: 14_999 } }]);
  expect(await collected()).toBe(before + 14_999);
});
