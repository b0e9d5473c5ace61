import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CollectService, startCollectService } from '../support/collect-service.ts';
import { actsOn } from '../support/stored.ts';

let service: CollectService;
beforeAll(async () => {
  service = await startCollectService({ DIRECT_CREDIT: 'on', UPSTREAM_TIMEOUT: '400ms' });
});
afterAll(() => service.stop());

let aliases = 0;
const credit = (reference: string, more: object = {}) => {
  aliases += 1;
  const accountAlias = `77123${String(aliases).padStart(4, '0')}`;
  return service.post('/v1/direct-credits', { accountAlias, amount: 10_000, reference, ...more });
};
const becomes = (id: string, wanted: string) =>
  service.until(`/v1/direct-credits/${id}`, ({ state }: { state: string }) => state === wanted);
const credited = async (accountAlias: string): Promise<unknown[]> =>
  (await service.books('directCredits')).filter((one: { accountAlias: string }) => one.accountAlias === accountAlias);

test('a direct credit is made and reported one time', async () => {
  const accepted = await credit('once');
  expect([accepted.status, accepted.body.state]).toEqual([202, 'queued']);
  const done = await becomes(accepted.body.id, 'succeeded');
  expect(done.transactionId).toMatch(/^TFA-TX-/);
  expect(await credited(done.accountAlias)).toMatchObject([{ amount: 10_000, transactionId: done.transactionId }]);
  expect(await service.eventsOf(done.id)).toMatchObject([
    { type: 'direct_credit.succeeded', data: { amount: 10_000, transactionId: done.transactionId } },
  ]);
});

test('the same request again is the same credit', async () => {
  const body = { accountAlias: '771111111', amount: 10_000, reference: 'twice' };
  const first = await service.post('/v1/direct-credits', body);
  await becomes(first.body.id, 'succeeded');
  const again = await service.post('/v1/direct-credits', body);
  expect([again.status, again.body.id, again.body.state]).toEqual([202, first.body.id, 'succeeded']);
  expect(await credited('771111111')).toHaveLength(1);
});

describe('one that may have been made', () => {
  test('is resolved by the transaction that the dashboard has, so that a statement fits it', async () => {
    await service.fault('hangs after doing the work', { operation: 'direct-credit', count: 1 });
    const { body } = await credit('resolved by its transaction');
    await becomes(body.id, 'needs_review');
    const [{ transactionId }] = (await credited(body.accountAlias)) as [{ transactionId: string }];
    const said = { outcome: 'succeeded', note: 'Seen in the dashboard', transactionId };
    const path = `/v1/direct-credits/${body.id}/resolve`;
    const resolved = await service.call('POST', path, { key: 'checker-secret', body: said });
    expect([resolved.status, resolved.body.transactionId]).toEqual([200, transactionId]);
    expect(await actsOn(service, body.id)).toEqual(['direct-credit.create', 'direct-credit.resolve']);
    const { body: found } = await service.call('GET', `/v1/direct-credits?transactionId=${transactionId}`);
    expect(found.items.map(({ id }: { id: string }) => id)).toEqual([body.id]);
  });

  test('its author cannot resolve it', async () => {
    await service.fault('answers HTML', { operation: 'direct-credit' });
    const { body } = await credit('own');
    await becomes(body.id, 'needs_review');
    const own = await service.post(`/v1/direct-credits/${body.id}/resolve`, { outcome: 'failed', note: 'no idea' });
    expect(own.status).toBe(403);
  });
});

test('without funds it is held, and made when there are some', async () => {
  await service.control('POST', '/settings', { balances: { SN: 1 } });
  const { body } = await credit('funds');
  const held = await becomes(body.id, 'held');
  expect(held.reason).toBe('funds');
  const { body: accounts } = await service.call('GET', '/v1/accounts');
  expect(accounts.items[0].held).toMatchObject([{ area: 'direct_credit', reason: 'funds' }]);
  await service.control('POST', '/settings', { balances: { SN: 1_000_000 } });
  await becomes(body.id, 'succeeded');
  const after = await service.call('GET', '/v1/accounts');
  expect(after.body.items[0].held).toEqual([]);
});

test('a hold of direct credits holds no disbursement', async () => {
  await service.control('POST', '/settings', { directCreditEnabled: false });
  const { body } = await credit('not-enabled');
  expect((await becomes(body.id, 'held')).reason).toBe('not_authorised');
  const paid = await service.post('/v1/disbursements', {
    accountAlias: '771234567',
    amount: 1_000,
    withdrawMode: 'wallet-a-senegal',
    reference: 'meanwhile',
  });
  await service.until(`/v1/disbursements/${paid.body.id}`, ({ state }: { state: string }) => state === 'succeeded');
  await service.control('POST', '/settings', { directCreditEnabled: true });
  await becomes(body.id, 'succeeded');
});
