import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CollectService, startCollectService } from '../support/collect-service.ts';

let service: CollectService;
beforeAll(async () => {
  service = await startCollectService();
});
afterAll(() => service.stop());

const balances = (path = '') => service.call('GET', `/v1/balances${path}`);

test('balances are whole francs per country, and are marked as approximate', async () => {
  await service.control('POST', '/settings', { balances: { SN: 1_250_000, CI: 0 } });
  const { status, body } = await balances();
  expect(status).toBe(200);
  expect(body).toMatchObject({ approximate: true, account: 'main', balances: { SN: 1_250_000, CI: 0 } });
  expect(Object.keys(body.balances)).toEqual(['SN', 'CI', 'BJ', 'TG', 'ML', 'BF']);
});

test('each balance is shown with the amount still to leave, and the rest after it', async () => {
  await service.control('POST', '/settings', { balances: { SN: 1_000, CI: 5_000 } });
  await service.call('POST', '/v1/accounts/main/stop');
  const pay = (withdrawMode: string, accountAlias: string, amount: number) =>
    service.post('/v1/disbursements', { accountAlias, amount, withdrawMode, reference: `${withdrawMode} ${amount}` });
  await pay('wallet-a-senegal', '771234567', 700);
  await pay('wallet-b-senegal', '771234568', 600);
  await pay('wallet-a-ci', '0701020304', 2_000);
  await pay('service', 'shop-account', 9_000);

  const waiting = (await balances()).body;
  expect(waiting).toMatchObject({ approximate: true, balances: { SN: 1_000, CI: 5_000 } });
  expect(waiting.inFlight).toEqual({ SN: 1_300, CI: 2_000, BJ: 0, TG: 0, ML: 0, BF: 0 });
  expect(waiting.afterInFlight).toMatchObject({ SN: -300, CI: 3_000 });

  await service.control('POST', '/settings', { balances: { SN: 20_000, CI: 5_000 } });
  await service.call('POST', '/v1/accounts/main/release');
  await expect.poll(async () => (await balances()).body.inFlight).toMatchObject({ SN: 0, CI: 0 });
  // A payment to an account of the provider has no country, but reduces the balance of Senegal.
  const succeeded = async () => (await service.call('GET', '/v1/disbursements?state=succeeded')).body.items.length;
  await expect.poll(succeeded).toBe(4);
});

test.for(['spaces', 'commas', 'plain'])('grouped with %s, the figure is the same', async (balanceFormat) => {
  await service.control('POST', '/settings', { balanceFormat, balances: { SN: 1_250_000 } });
  expect((await balances()).body.balances.SN).toBe(1_250_000);
});

test('one account shows its country only', async () => {
  expect((await balances('/BBJ0000000002')).body).toMatchObject({ balances: { CI: expect.any(Number) } });
  expect(Object.keys((await balances('/BBJ0000000002')).body.balances)).toEqual(['CI']);
});

test('an account that the provider does not know is reported with the provider’s text', async () => {
  const { status, body } = await balances('/BBJ9999999999');
  expect([status, body.code, body.retryable]).toEqual([502, 'balance_user_not_found', false]);
  expect(body.detail).toContain('Account user not found');
});

test('an invalid account number is never sent', async () => {
  const { status, body } = await balances('/a%2Fb');
  expect([status, body.problems[0].pointer]).toEqual([422, '/accountNumber']);
});

test('a nonexistent account is not found, nor is one of another key', async () => {
  expect((await balances('?account=nobody')).status).toBe(404);
  expect((await service.call('GET', '/v1/balances', { key: 'stranger-secret' })).status).toBe(404);
});

test('a time-out is reported as such', async () => {
  await service.fault('hangs before doing the work', { operation: 'balance' });
  const { status, body } = await balances();
  expect([status, body.retryable]).toEqual([504, true]);
});
