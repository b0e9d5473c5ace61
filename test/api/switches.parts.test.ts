import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Kind } from '../../src/kinds/index.ts';
import { type CollectService, startCollectService } from '../support/collect-service.ts';
import { storedIn } from '../support/stored.ts';

let service: CollectService;
beforeAll(async () => {
  service = await startCollectService({ SERVICE_MODE: 'test', APPROVAL_ABOVE: '50000' });
});
afterAll(() => service.stop());

const credit = { accountAlias: '771234567', amount: 10_000, reference: 'credit' };
const stored = (kind: Kind): Promise<number> => storedIn(service, kind);

test('direct credits are refused with the reason while they are switched off', async () => {
  const { status, body } = await service.post('/v1/direct-credits', credit);
  expect([status, await stored('direct_credit')]).toEqual([422, 0]);
  expect(body.detail).toContain('DIRECT_CREDIT');
  expect(body.detail).toContain('`service`');
});

test('a card is refused with the reason while cards are switched off, and nothing is sent', async () => {
  const created = await service.post('/v1/invoices', { totalAmount: 1_000, store: { name: 'x' }, reference: 'card' });
  expect(created.status).toBe(201);
  const { status, body } = await service.post(`/v1/invoices/${created.body.id}/softpay`, {
    method: 'card',
    customer: { name: 'Awa', email: 'awa@example.com' },
    card: { number: '4242424242424242', cvv: '987', expiryYear: '29', expiryMonth: '08' },
  });
  expect([status, body.code]).toEqual([422, 'softpay_card_off']);
  expect((await service.books('summary')).softpay).toBe(0);
});

test('in test mode, operations with only a live path are refused as such', async () => {
  const paid = await service.post('/v1/payment-requests', {
    amount: 5_000,
    email: 'awa@example.com',
    feesPaidBy: 'merchant',
    reference: 'test',
  });
  expect([paid.status, paid.body.code, await stored('payment_request')]).toEqual([422, 'live_only', 0]);
  expect((await service.call('GET', '/v1/balances')).body).toMatchObject({ code: 'live_only' });
  const { body } = await service.post('/v1/invoices', {
    totalAmount: 1_000,
    store: { name: 'x' },
    reference: 'soft',
  });
  const soft = await service.post(`/v1/invoices/${body.id}/softpay`, {
    method: 'wallet-g-togo',
    customer: { name: 'Awa', email: 'awa@example.com', phone: '90112233' },
  });
  expect([soft.status, soft.body.code]).toEqual([422, 'live_only']);
});

test('a test invoice is created on the sandbox path and completed by its own mode', async () => {
  const { body } = await service.post('/v1/invoices', { totalAmount: 1_000, store: { name: 'x' }, reference: 'own' });
  expect(body.token).toMatch(/^test_/);
  await service.control('POST', `/invoices/${body.token}`, { status: 'completed' });
  await service.until(`/v1/invoices/${body.id}`, ({ state }: { state: string }) => state === 'completed');
});
