/** Invoices, payment requests and direct credits from the library: a worker sends each to the provider. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProducer } from '../../src/producer/producer.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ DIRECT_CREDIT: 'on' });
});
afterAll(() => service.stop());

test('each is created once, for any number of requests', async () => {
  await using producer = createProducer({ redis: service.redisUrl, directCredit: true });
  const invoice = { reference: 'bill-1', totalAmount: 1_000, store: { name: 'Boutique' } };
  const paymentRequest = {
    reference: 'ask-1',
    amount: 1_000,
    phone: '+221771234567',
    feesPaidBy: 'customer',
  } as const;
  const directCredit = { reference: 'credit-1', amount: 1_000, accountAlias: 'shop-account' };
  const ask = async () => [
    await producer.invoice(invoice),
    await producer.paymentRequest(paymentRequest),
    await producer.directCredit(directCredit),
  ];
  const first = await ask();
  expect(first.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'accepted']);
  expect(await ask()).toEqual(first.map(({ id }) => ({ id, outcome: 'duplicate' })));
  const [bill, link, credit] = first.map(({ id }) => id);
  const made = await service.until(`/v1/invoices/${bill}`, ({ state }) => state === 'pending');
  expect(made.url).toContain('http');
  expect((await service.until(`/v1/payment-requests/${link}`, ({ state }) => state === 'pending')).url).toContain(
    'http',
  );
  await service.until(`/v1/direct-credits/${credit}`, ({ state }) => state === 'succeeded');
  expect(await service.books('summary')).toMatchObject({ invoices: 1, paymentRequests: 1, directCredits: 1 });
});

test('a direct credit is refused unless switched on', async () => {
  await using producer = createProducer({ redis: service.redisUrl });
  const asked = producer.directCredit({ reference: 'credit-2', amount: 1_000, accountAlias: 'shop-account' });
  await expect(asked).rejects.toThrow(/DIRECT_CREDIT/);
});
