import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type CollectService, startCollectService } from '../support/collect-service.ts';

let service: CollectService;
beforeAll(async () => {
  // No worker checks in between: the request itself reports the result.
  service = await startCollectService({ UPSTREAM_TIMEOUT: '400ms', SWEEP_INTERVAL: '10m' });
});
afterAll(() => service.stop());

const asked = (reference: string) => ({ totalAmount: 15_000, store: { name: 'La Boutique' }, reference });
const create = (reference: string) => service.post('/v1/invoices', asked(reference));
const faultAtCreate = (fault: string, more: object = {}) =>
  service.fault(fault, { operation: 'invoice.create', ...more });

const cases: readonly (readonly [fault: string, more: object, status: number, code: string])[] = [
  ['hangs before doing the work', {}, 504, 'no_answer'],
  ['hangs after doing the work', {}, 504, 'no_answer'],
  ['resets the connection after doing the work', {}, 504, 'cut'],
  ['breaks off in the middle of its answer', {}, 502, 'unreadable'],
  ['answers 5xx after doing the work', {}, 502, 'server_error'],
  ['answers HTML', {}, 502, 'unreadable'],
  ['cuts its JSON', {}, 502, 'unreadable'],
  ['answers 5000 before doing the work', {}, 502, '5000'],
  ['answers a given code', { code: '401' }, 502, '401'],
  ['answers 429 with Retry-After', { retryAfterSeconds: 0 }, 502, 'throttled'],
];

test.for(cases)(
  '%s: the caller gets the reason, and a repeated request continues',
  async ([fault, more, status, code]) => {
    await faultAtCreate(fault, more);
    const failed = await create(`after ${fault}`);
    expect([failed.status, failed.body.code, failed.body.retryable]).toEqual([status, code, true]);
    expect(failed.body.id).toMatch(/^inv_/);
    expect(failed.headers['content-type']).toContain('application/problem+json');
    expect((await service.call('GET', `/v1/invoices/${failed.body.id}`)).body.state).toBe('creating');

    const again = await create(`after ${fault}`);
    expect([again.status, again.body.id, again.body.state]).toEqual([201, failed.body.id, 'pending']);
  },
);

test('a refusal is final, and is returned again without another request', async () => {
  await faultAtCreate('answers a given code', { code: '1001' });
  const refused = await create('refused');
  expect([refused.status, refused.body.code, refused.body.retryable]).toEqual([502, '1001', false]);
  const requests = (await service.books('summary')).requests['invoice.create'];
  const again = await create('refused');
  expect([again.status, again.body.code, again.body.id, again.body.retryable]).toEqual([
    502,
    '1001',
    refused.body.id,
    false,
  ]);
  expect((await service.books('summary')).requests['invoice.create']).toBe(requests);
  expect(await service.eventsOf(refused.body.id)).toMatchObject([
    { type: 'invoice.failed', data: { reason: '1001' } },
  ]);
});

test('while one request is creating it, another one is refused as busy', async () => {
  await faultAtCreate('answers late', { delayMs: 250 });
  const creates = async (): Promise<number> => (await service.books('summary')).requests['invoice.create'] ?? 0;
  const before = await creates();
  const first = create('slow');
  await vi.waitFor(async () => expect(await creates()).toBeGreaterThan(before), { timeout: 5_000, interval: 5 });
  const second = await create('slow');
  expect([second.status, second.body.state, second.body.token]).toEqual([202, 'creating', null]);
  expect((await first).status).toBe(201);
});

test('a confirm without an answer is reported, and changes nothing', async () => {
  const { body } = await create('confirm');
  await service.fault('hangs before doing the work', { operation: 'invoice.confirm' });
  const confirmed = await service.post(`/v1/invoices/${body.id}/confirm`, {});
  expect([confirmed.status, confirmed.body.retryable]).toEqual([504, true]);
  expect((await service.call('GET', `/v1/invoices/${body.id}`)).body.state).toBe('pending');
});

const things: readonly (readonly [path: string, body: object])[] = [
  ['/v1/invoices', { totalAmount: 15_000, store: { name: 'La Boutique' } }],
  ['/v1/payment-requests', { amount: 5_000, phone: '+221771234567', feesPaidBy: 'customer' }],
];
const inTheWay: readonly (readonly [what: string, set: string, unset: string])[] = [
  [
    'while a look is under way',
    "lease = 7, lease_until = now() + interval '1 minute'",
    'lease = null, lease_until = null',
  ],
  ['by a process with other keys', `facts = facts || '{"keys": "of another process"}'`, "facts = facts - 'keys'"],
];

describe.for(things)('%s: no answer claims that the provider was asked', ([path, body]) => {
  test.for(inTheWay)('%s', async ([what, set, unset]) => {
    const { id } = (await service.post(path, { ...body, reference: `not asked ${what}` })).body;
    const keep = (word: string) => service.ledger.query(`update relais.operation set ${word} where id = '${id}'`);
    await keep(set);
    const refused = await service.post(`${path}/${id}/confirm`, {});
    expect([refused.status, refused.body.retryable, refused.body.state]).toEqual([409, true, 'pending']);
    expect(refused.body.detail).toContain('The provider was not asked');
    await keep(unset);
    expect((await service.post(`${path}/${id}/confirm`, {})).status).toBe(200);
  });
});
