import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CollectService, startCollectService } from '../support/collect-service.ts';
import { actsOn, dueAt, leaveForReview } from '../support/stored.ts';

let service: CollectService;
beforeAll(async () => {
  service = await startCollectService();
});
afterAll(() => service.stop());

const resolve = (path: string, outcome = 'failed') =>
  service.call('POST', `${path}/resolve`, { key: 'checker-secret', body: { outcome, note: 'seen nowhere' } });

const set = (id: string, what: string) =>
  service.ledger.query(`update relais.operation set ${what} where id = '${id}'`);

/** A paid invoice that relais does not know as paid, and that needs review. */
async function paidUnseen(reference: string, word = 'version = version'): Promise<{ id: string; path: string }> {
  const body = { totalAmount: 15_000, store: { name: 'La Boutique' }, reference };
  const { id, token } = (await service.post('/v1/invoices', body)).body;
  const path = `/v1/invoices/${id}`;
  await service.fault('reports another amount', { operation: 'invoice.confirm', count: 1_000, match: token });
  await service.control('POST', `/invoices/${token}`, { status: 'completed' });
  await service.until(path, ({ state }: { state: string }) => state === 'needs_review');
  await set(id, word);
  await service.control('DELETE', '/faults');
  return { id, path };
}

/** A paid payment request that relais does not know as paid. */
async function paidRequestUnseen(
  reference: string,
  word = 'version = version',
): Promise<{ id: string; path: string }> {
  const body = { amount: 5_000, phone: '+221 77 123 45 67', feesPaidBy: 'customer', reference };
  const { id, referenceNumber } = (await service.post('/v1/payment-requests', body)).body;
  await leaveForReview(service, id);
  await set(id, word);
  await service.control('POST', `/payment-requests/${referenceNumber}`, { status: 'completed' });
  return { id, path: `/v1/payment-requests/${id}` };
}

const kinds = [
  ['an invoice', paidUnseen],
  ['a payment request', paidRequestUnseen],
] as const;

test('a cancelled invoice is checked again: a later payment is accepted', async () => {
  const body = { totalAmount: 15_000, store: { name: 'La Boutique' }, reference: 'called off' };
  const { id } = (await service.post('/v1/invoices', body)).body;
  await leaveForReview(service, id, 'unreadable_amount');
  expect((await resolve(`/v1/invoices/${id}`, 'cancelled')).body.state).toBe('cancelled');
  expect(await actsOn(service, id)).toEqual(['invoice.create', 'invoice.resolve']);
  expect(await dueAt(service, id)).toBeGreaterThan(0);
});

test('… and a payment request once more, a day later', async () => {
  const body = { amount: 5_000, phone: '+221 77 123 45 67', feesPaidBy: 'customer', reference: 'called off' };
  const { id } = (await service.post('/v1/payment-requests', body)).body;
  await leaveForReview(service, id);
  expect((await resolve(`/v1/payment-requests/${id}`)).body.state).toBe('failed');
  expect(await actsOn(service, id)).toEqual(['payment-request.create', 'payment-request.resolve']);
  const dueIn = Number(await dueAt(service, id)) - Date.now();
  expect(dueIn).toBeGreaterThan(80_000_000);
});

describe.for(kinds)('an operator cannot mark %s as failed after its payment', ([, paid]) => {
  test('during a status check', async () => {
    const { id, path } = await paid('leased', "lease = 7, lease_until = now() + interval '1 minute'");
    const refused = await resolve(path);
    expect([refused.status, refused.body.state]).toEqual([409, 'needs_review']);
    expect(refused.body.detail).toContain('The provider was not asked');
    expect((await service.call('GET', path)).body.state).toBe('needs_review');

    await set(id, 'lease = null, lease_until = null');
    // A worker's own status check may find it too.
    const said = async () => (await resolve(path)).body.detail as string;
    await expect.poll(said).toMatch(/The provider reports completed|^The state is completed/);
    expect((await service.call('GET', path)).body.state).toBe('completed');
  });

  test('while this process cannot ask, since it was begun with other keys', async () => {
    const { path } = await paid('other keys', `facts = facts || '{"keys": "of another process"}'`);
    const refused = await resolve(path);
    expect([refused.status, refused.body.state]).toEqual([409, 'needs_review']);
    expect((await service.call('GET', path)).body.state).toBe('needs_review');
  });
});
