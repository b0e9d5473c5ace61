import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CollectService, startCollectService } from '../support/collect-service.ts';
import { operationIds } from '../support/stored.ts';

let service: CollectService;
beforeAll(async () => {
  service = await startCollectService({ DIRECT_CREDIT: 'on', SOFTPAY_CARD: 'on', SWEEP_INTERVAL: '10m' });
});
afterAll(() => service.stop());

const invoice = { totalAmount: 1_000, store: { name: 'x' }, reference: 'r' };
const request = { amount: 5_000, phone: '+221771234567', feesPaidBy: 'customer', reference: 'r' };
const credit = { accountAlias: '771234567', amount: 1_000, reference: 'r' };
const CARD = '4242424242424242';

/** Path, error, body, and the position of each problem. */
const bodies: readonly (readonly [path: string, wrong: string, body: unknown, pointers: readonly string[]])[] = [
  ['/v1/invoices', 'nothing at all', {}, ['/totalAmount', '/store']],
  ['/v1/invoices', 'no object', [], ['']],
  ['/v1/invoices', 'an amount as a text', { ...invoice, totalAmount: '1000' }, ['/totalAmount']],
  ['/v1/invoices', 'an amount with decimals', { ...invoice, totalAmount: 1_000.5 }, ['/totalAmount']],
  ['/v1/invoices', 'nothing to pay', { ...invoice, totalAmount: 0 }, ['/totalAmount']],
  ['/v1/invoices', 'a store without a name', { ...invoice, store: { name: ' ' } }, ['/store/name']],
  [
    '/v1/invoices',
    'a field of nobody',
    { ...invoice, stroe: 1, store: { name: 'x', fax: 1 } },
    ['/store/fax', '/stroe'],
  ],
  ['/v1/invoices', 'an item that is none', { ...invoice, items: [{ name: 1 }, 'x'] }, ['/items/0/name', '/items/1']],
  ['/v1/invoices', 'a map of other names', { ...invoice, items: { first: {} } }, ['/items']],
  ['/v1/invoices', 'no channel', { ...invoice, channels: [] }, ['/channels']],
  ['/v1/invoices', 'an address of another kind', { ...invoice, returnUrl: 'javascript:alert(1)' }, ['/returnUrl']],
  ['/v1/invoices', 'an e-mail that is none', { ...invoice, customer: { email: 'awa' } }, ['/customer/email']],
  ['/v1/invoices', 'an account that there is not', { ...invoice, account: 'elsewhere' }, ['/account']],
  ['/v1/invoices', 'too much data', { ...invoice, customData: { a: 'x'.repeat(9_000) } }, ['/customData']],
  ['/v1/invoices', 'a card number', { ...invoice, customData: { note: `paid with ${CARD}` } }, ['/customData/note']],
  ['/v1/invoices', 'a card code', { ...invoice, customData: { card: { cvv: '987' } } }, ['/customData/card/cvv']],
  ['/v1/payment-requests', 'nothing at all', {}, ['/amount', '/feesPaidBy']],
  ['/v1/payment-requests', 'too little', { ...request, amount: 199 }, ['/amount']],
  ['/v1/payment-requests', 'too much', { ...request, amount: 3_000_001 }, ['/amount']],
  ['/v1/payment-requests', 'a number without a country', { ...request, phone: '771234567' }, ['/phone']],
  ['/v1/payment-requests', 'nobody to ask', { amount: 500, feesPaidBy: 'customer', reference: 'r' }, ['/phone']],
  [
    '/v1/payment-requests',
    'fees of nobody',
    { ...request, feesPaidBy: 'bank', notify: 1 },
    ['/feesPaidBy', '/notify'],
  ],
  ['/v1/direct-credits', 'nothing at all', {}, ['/accountAlias', '/amount']],
  ['/v1/direct-credits', 'an amount as a text', { ...credit, amount: '1000' }, ['/amount']],
  [
    '/v1/direct-credits',
    'less than nothing',
    { ...credit, amount: -1, accountAlias: '' },
    ['/accountAlias', '/amount'],
  ],
  ['/v1/disbursements', 'nothing at all', {}, ['/accountAlias', '/amount', '/withdrawMode']],
  ['/v1/campaigns', 'nothing at all', {}, ['/name']],
  [
    '/v1/campaigns',
    'a time before every calendar',
    { name: 'x', text: 'x', sendAt: '0000-01-01T00:00:00Z' },
    ['/sendAt'],
  ],
  ['/v1/messages', 'nothing at all', {}, ['/to', '/text']],
];

test.for(bodies)('%s, %s: every problem is named', async ([path, , body, pointers]) => {
  const before = await operationIds(service);
  const { status, body: problem } = await service.post(path, body, 'an-identity');
  expect([status, problem.problems?.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([422, pointers]);
  expect(JSON.stringify(problem)).not.toContain(CARD);
  expect(await operationIds(service)).toEqual(before);
});

test('nothing of all that was sent, and nothing was stored', async () => {
  expect((await service.books('summary')).requests).toEqual({});
  expect(await operationIds(service)).toEqual([]);
});
