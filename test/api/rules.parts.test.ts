/** Each refusal names its rule, and each conflict the differing fields. With the three keys of README. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Service, startService } from '../support/service.ts';

const API_KEYS = [
  'shop:enqueue+read:shop-secret',
  'operator:read+operate:operator-secret',
  'approver:read+approve:approver-secret',
  'all:enqueue+read+approve+operate:maker-secret',
  'elsewhere:enqueue+read@other:elsewhere-secret',
].join(',');

let service: Service;
beforeAll(async () => {
  service = await startService({ API_KEYS, APPROVAL_ABOVE: '40000', SWEEP_INTERVAL: '10m' });
});
afterAll(() => service.stop());

const payment = { accountAlias: '771234567', amount: 50_000, withdrawMode: 'wallet-a-senegal' };
const ask = (path: string, key: string, body?: unknown): Promise<Answer> =>
  service.call('POST', path, { key: `${key}-secret`, body });

const ruleOf = ({ status, body }: Answer) => [status, body.rule];

describe('a refusal names its rule', () => {
  test('the key of a service can ask, and neither approve nor stop anything', async () => {
    const { body } = await ask('/v1/disbursements', 'shop', { ...payment, reference: 'asked' });
    expect(ruleOf(await ask(`/v1/disbursements/${body.id}/approve`, 'shop'))).toEqual([403, 'role']);
    expect(ruleOf(await ask('/v1/accounts/main/stop', 'shop'))).toEqual([403, 'role']);
    expect((await ask('/v1/accounts/main/stop', 'operator')).status).toBe(200);
    expect((await ask('/v1/accounts/main/release', 'operator')).status).toBe(200);
    expect((await ask(`/v1/disbursements/${body.id}/approve`, 'approver')).status).toBe(200);
  });

  test('one key with all roles learns that another person must decide, and not that a role is missing', async () => {
    const { body } = await ask('/v1/disbursements', 'maker', { ...payment, reference: 'own' });
    const refused = await ask(`/v1/disbursements/${body.id}/approve`, 'maker');
    expect(ruleOf(refused)).toEqual([403, 'other-person']);
    expect(refused.body.detail).toMatch(/A different person must approve it with another key/);
  });

  test('a key of another account, or of some, learns so', async () => {
    const asked = await ask('/v1/disbursements', 'elsewhere', { ...payment, reference: 'elsewhere' });
    expect(ruleOf(asked)).toEqual([403, 'account']);
    expect(ruleOf(await service.call('GET', '/v1/audit', { key: 'elsewhere-secret' }))).toEqual([403, 'role']);
  });

  test('changed since, or different from what was read', async () => {
    const { body } = await ask('/v1/disbursements', 'maker', { ...payment, reference: 'cancelled' });
    await ask(`/v1/disbursements/${body.id}/cancel`, 'maker');
    expect(ruleOf(await ask(`/v1/disbursements/${body.id}/approve`, 'approver'))).toEqual([409, 'state']);
    const file = 'reference,accountAlias,amount,withdrawMode\nrow,771234567,5000,wallet-a-senegal\n';
    const headers = { 'content-type': 'text/csv' };
    const batch = await service.call('POST', '/v1/disbursement-batches', { body: file, headers, key: 'shop-secret' });
    const approve = { contentHash: '0'.repeat(64) };
    const path = `/v1/disbursement-batches/${batch.body.id}/approve`;
    expect(ruleOf(await ask(path, 'approver', approve))).toEqual([409, 'content-changed']);
  });
});

describe('a conflict names the differing fields', () => {
  const twice = async (path: string, one: object, other: object) => {
    expect((await ask(path, 'maker', one)).status).toBeLessThan(300);
    const { status, body } = await ask(path, 'maker', other);
    return [status, body.rule, body.differs];
  };

  test('of a message, a campaign and an invoice', async () => {
    const text = { to: '+221771234567', text: 'Bonjour', reference: 'text' };
    expect(await twice('/v1/messages', text, { ...text, text: 'Bonsoir' })).toEqual([409, 'identity', ['/text']]);
    const campaign = { name: 'November', text: 'Bonjour', reference: 'campaign' };
    expect(await twice('/v1/campaigns', campaign, { ...campaign, name: 'December' })).toEqual([
      409,
      'identity',
      ['/name'],
    ]);
    const invoice = { totalAmount: 5_000, store: { name: 'Shop' }, reference: 'invoice' };
    expect(await twice('/v1/invoices', invoice, { ...invoice, totalAmount: 6_000 })).toEqual([
      409,
      'identity',
      ['/totalAmount'],
    ]);
  });
});
