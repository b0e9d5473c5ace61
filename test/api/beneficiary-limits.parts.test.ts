/** One person has one daily limit across all channels; payments count if they had or may have had an effect. */
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type CollectService, startCollectService } from '../support/collect-service.ts';
import { leaveForReview, spentOn } from '../support/stored.ts';

let api: CollectService;
beforeAll(async () => {
  const limits = { MAX_PER_BENEFICIARY_DAY: '15000', MAX_PER_DAY: '100000' };
  api = await startCollectService({ ...limits, DIRECT_CREDIT: 'on' });
});
afterAll(() => api?.stop());

let tests = 0;
beforeEach(async () => {
  tests += 1;
  await api.ledger.query('truncate relais.spent');
});

/** The id of the accepted payment, or the setting that refused it. */
async function pay(name: string, more: object = {}, at = api): Promise<string> {
  const reference = `${tests}-${name}`;
  const body = { accountAlias: '771234567', amount: 10_000, withdrawMode: 'wallet-a-senegal', reference, ...more };
  const answer = await at.call('POST', '/v1/disbursements', { body });
  return answer.status === 202
    ? answer.body.id
    : (/\(([A-Z_]+)\)/.exec(answer.body.detail)?.[1] ?? answer.body.detail);
}

const TOO_MUCH = 'MAX_PER_BENEFICIARY_DAY';
const today = () => new Date().toISOString().slice(0, 10);
const spent = async (at = api): Promise<number> => (await spentOn(at))[today()] ?? 0;
const ended = (id: string, state: string) => api.until(`/v1/disbursements/${id}`, (body) => body.state === state);
const later = () => ({ notBefore: new Date(Date.now() + 3_600_000).toISOString() });

describe('a payee is one beneficiary', () => {
  test.for([
    ['another wallet', { withdrawMode: 'wallet-b-senegal' }],
    ['the number as it is written abroad', { withdrawMode: 'wallet-d-senegal', accountAlias: '+221 77 123 45 67' }],
    ['their account of the provider', { withdrawMode: 'service' }],
    ['their account of the provider, written as abroad', { withdrawMode: 'service', accountAlias: '+221771234567' }],
  ] as const)('through %s too', async ([, more]) => {
    expect(await pay('a')).toMatch(/^dsb_/);
    expect(await pay('b', more)).toBe(TOO_MUCH);
  });

  test('through a direct credit too', async () => {
    await pay('a');
    const { body } = await api.post('/v1/direct-credits', {
      accountAlias: '771234567',
      amount: 10_000,
      reference: 'd',
    });
    expect(body.detail).toContain(TOO_MUCH);
  });

  test('the same number in another country is another beneficiary', async () => {
    expect(await pay('a', { accountAlias: '70123456', withdrawMode: 'wallet-a-mali' })).toMatch(/^dsb_/);
    expect(await pay('b', { accountAlias: '70123456', withdrawMode: 'wallet-a-burkina' })).toMatch(/^dsb_/);
    expect(await pay('c', { accountAlias: '70123456', withdrawMode: 'wallet-f-burkina-faso' })).toBe(TOO_MUCH);
  });
});

describe('payments without effect are given back', () => {
  test('when it is cancelled, once, and to its own day', async () => {
    const id = await pay('a', later());
    expect(await pay('b', later())).toBe(TOO_MUCH);
    await api.ledger.query("update relais.spent set day = '2026-01-01'");
    await api.ledger.query(`update relais.operation set counted_on = '2026-01-01' where id = '${id}'`);
    expect(await pay('c', later())).toMatch(/^dsb_/);
    for (const _twice of [1, 2]) await api.call('POST', `/v1/disbursements/${id}/cancel`);
    expect(await spentOn(api)).toEqual({ '2026-01-01': 0, [today()]: 10_000 });
  });

  test('after a review found that it never left; until then it counts', async () => {
    const person = { accountAlias: '779999902' };
    const id = await pay('a', person);
    await ended(id, 'pending');
    const { body } = await api.call('GET', `/v1/disbursements/${id}`);
    await leaveForReview(api, id);
    expect(await pay('b', person)).toBe(TOO_MUCH);
    await api.control('POST', `/disbursements/${body.token}`, { status: 'failed' });
    const resolved = await api.call('POST', `/v1/disbursements/${id}/resolve`, {
      body: { outcome: 'failed', note: 'seen in the dashboard' },
      key: 'checker-secret',
    });
    expect([resolved.status, resolved.body.state]).toEqual([200, 'failed']);
    expect(await pay('c', person)).toMatch(/^dsb_/);
  });

  test('not when it succeeded', async () => {
    await ended(await pay('a'), 'succeeded');
    expect(await spent()).toBe(10_000);
    expect(await pay('b')).toBe(TOO_MUCH);
  });

  test('not when it was never counted', async () => {
    const unlimited = await startCollectService({ MAX_PER_BENEFICIARY_DAY: 'off', MAX_PER_DAY: 'off' });
    onTestFinished(() => unlimited.stop());
    const before = await pay('a', later(), unlimited);
    await unlimited.call('POST', '/v1/limits/MAX_PER_DAY', { body: { value: 20_000 } });
    await pay('b', later(), unlimited);
    await unlimited.call('POST', `/v1/disbursements/${before}/cancel`);
    expect(await spent(unlimited)).toBe(10_000);
  });

  test('not for a removed day', async () => {
    const id = await pay('a', later());
    await api.ledger.query('delete from relais.spent');
    await api.call('POST', `/v1/disbursements/${id}/cancel`);
    expect(await spentOn(api)).toEqual({});
  });
});
