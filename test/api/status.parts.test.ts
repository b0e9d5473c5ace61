/** The status on one screen, from the counters. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';
import { relais } from '../cli/terminal.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ APPROVAL_ABOVE: '40000', DISBURSEMENT_POLL: '200ms,10m' });
});
afterEach(async () => {
  await service.control('DELETE', '/faults');
  await service.call('POST', '/v1/accounts/main/release');
});
afterAll(() => service.stop());

const status = async () => (await service.call('GET', '/v1/status')).body;
const pay = async (reference: string, amount: number, accountAlias = '771234567'): Promise<string> => {
  const body = { accountAlias, amount, withdrawMode: 'wallet-a-senegal', reference };
  return (await service.call('POST', '/v1/disbursements', { body })).body.id;
};
const doubtBy = (body: { readonly inDoubt: readonly { readonly age: string }[] }, age: string) =>
  body.inDoubt.find((one) => one.age === age);

test('empty, it shows so, and that a worker is running', async () => {
  const body = await service.until('/v1/status', ({ workers }) => workers === 1);
  expect(body).toMatchObject({ waiting: [], holds: [], campaigns: [], balances: [] });
  expect(body.inDoubt).toEqual(['<10m', '<1h', '<1d', '>=1d'].map((age) => ({ age, xof: 0, count: 0 })));
  expect(body.queues).toContainEqual({ name: 'disbursement', waiting: 0, oldestMs: 0 });
});

test('a hold shows the number and XOF of the payments behind it', async () => {
  await service.call('POST', '/v1/accounts/main/stop');
  await pay('behind-1', 1_000);
  await pay('behind-2', 2_500, '771234568');
  const { holds, operations } = await status();
  expect(holds).toEqual([
    {
      account: 'main',
      area: 'payments',
      reason: 'stopped',
      since: expect.any(String),
      until: null,
      count: 2,
      xof: 3_500,
    },
  ]);
  expect(operations.disbursement).toEqual({ queued: 2 });
  await service.call('POST', '/v1/accounts/main/release');
  await service.until('/v1/status', (body) => body.operations.disbursement.succeeded === 2);
  await service.call('POST', '/v1/accounts/main/stop');
  expect((await status()).holds).toMatchObject([{ reason: 'stopped', count: 0, xof: 0 }]);
});

test('a payment that needs an approval is listed, and is not counted behind a hold', async () => {
  await service.call('POST', '/v1/accounts/main/stop');
  await pay('large', 50_000);
  const { waiting, holds } = await status();
  expect(waiting).toEqual([{ kind: 'disbursement', state: 'awaiting_approval', count: 1, xof: 50_000 }]);
  expect(holds).toMatchObject([{ count: 0, xof: 0 }]);
});

describe('money in doubt', () => {
  test('is shown by its age, and leaves when it is known', async () => {
    const id = await pay('pending', 700, '779999902');
    await service.until(`/v1/disbursements/${id}`, ({ state }) => state === 'pending');
    const body = await status();
    expect(doubtBy(body, '<10m')).toEqual({ age: '<10m', xof: 700, count: 1 });
  });

  test('grows older with the time that it entered its state', async () => {
    await service.ledger.query(
      "update relais.operation set since = since - interval '3 hours' where state = 'pending'",
    );
    const body = await status();
    expect(doubtBy(body, '<10m')).toEqual({ age: '<10m', xof: 0, count: 0 });
    expect(doubtBy(body, '<1d')).toEqual({ age: '<1d', xof: 700, count: 1 });
  });
});

test('a held campaign shows the reason, and how many wait', async () => {
  const { body: campaign } = await service.call('POST', '/v1/campaigns', {
    body: { name: 'N', text: 'Bonjour', reference: 'c' },
  });
  const upload = { body: 'to\n+221771234567\n+221771234568\nnobody\n', headers: { 'content-type': 'text/csv' } };
  await service.call('POST', `/v1/campaigns/${campaign.id}/recipients`, upload);
  await service.call('PATCH', `/v1/campaigns/${campaign.id}`, { body: { quietHours: '00:00-23:59' } });
  await service.call('POST', `/v1/campaigns/${campaign.id}/start`);
  const body = await service.until('/v1/status', ({ campaigns }) => campaigns[0]?.state === 'held');
  expect(body.campaigns[0]).toMatchObject({
    id: campaign.id,
    reason: 'quiet_hours',
    total: 2,
    waiting: 2,
    eta: null,
  });
});

test('the command fits on a screen, and shows held money first', async () => {
  await service.call('POST', '/v1/accounts/main/stop');
  await pay('behind-3', 1_000);
  const env = { RELAIS_URL: service.api, RELAIS_API_KEY: 'reader-secret' };
  const { code, stdout } = await relais(['status'], { env });
  const lines = stdout.trimEnd().split('\n');
  expect(code).toBe(0);
  expect(lines.length).toBeLessThanOrEqual(40);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  expect(stdout).toMatch(/held +main payments: stopped since .*; behind it 1 payments, 1.000.XOF/);
  expect(stdout).toMatch(/workers +1 at work: \S+:\d+\n/);
});

test('a key limited to accounts does not see the others', async () => {
  const { status: answered, body } = await service.call('GET', '/v1/status', { key: 'stranger-secret' });
  expect([answered, body.detail]).toEqual([403, expect.stringContaining('concerns all accounts')]);
});
