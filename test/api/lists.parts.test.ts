/** A list returns the requested items, or explains why it cannot. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const ask = (query: string, key?: string) =>
  service.call('GET', `/v1/disbursements${query}`, key === undefined ? {} : { key });

async function paid(reference: string): Promise<string> {
  const body = { accountAlias: '771234567', amount: 500, withdrawMode: 'wallet-a-senegal', reference };
  const { body: made } = await service.call('POST', '/v1/disbursements', {
    body: { ...body, allowDuplicate: true },
  });
  await service.until(`/v1/disbursements/${made.id}`, ({ state }) => state === 'succeeded');
  return made.id as string;
}

test('filters are all meant, and the newest comes first', async () => {
  const [one, two] = [await paid('r1'), await paid('r2')];
  const ids = async (query: string) => (await ask(query)).body.items.map(({ id }: { id: string }) => id);
  expect(await ids('')).toEqual([two, one]);
  expect(await ids('?state=succeeded&limit=1')).toEqual([two]);
  expect(await ids('?state=failed&reference=r1')).toEqual([]);
  expect(await ids('?state=succeeded&reference=r1&account=main')).toEqual([one]);
  const { body: first } = await ask('?limit=1');
  expect((await ask(`?limit=1&after=${first.next}`)).body).toMatchObject({ items: [{ id: one }], next: null });
});

test.for([
  ['/v1/disbursements?sate=failed', '/sate'],
  ['/v1/disbursements?account=nosuch', '/account'],
  ['/v1/disbursements?after=zzz', '/after'],
  ['/v1/disbursements?after=9999999999999999.dsb_x', '/after'],
  ['/v1/disbursements?createdFrom=9999-12-31T23:59:59-12:00', '/createdFrom'],
  ['/v1/disbursements?createdTo=0000-01-01T00:00:00Z', '/createdTo'],
  ['/v1/review?account=nosuch', '/account'],
  ['/v1/review?after=zzz', '/after'],
  ['/v1/opt-outs?account=nosuch', '/account'],
  ['/v1/opt-outs?after=zzz', '/after'],
  ['/v1/events?after=zzz', '/after'],
  ['/v1/events?type=disbursement.succeeded', '/type'],
  ['/v1/accounts?name=main', '/name'],
] as const)('%s is refused by name', async ([path, pointer]) => {
  const { status, body } = await service.call('GET', path);
  expect([status, body.problems[0].pointer]).toEqual([422, pointer]);
});

test('data of another account is not read', async () => {
  expect((await ask('?account=main', 'stranger-secret')).status).toBe(403);
});

test('the type of a refusal can be opened, without a key', async () => {
  const { body } = await ask('?sate=failed');
  expect(body.type).toBe(`${service.api}/problems/invalid`);
  const opened = await service.call('GET', new URL(body.type as string).pathname, { key: null });
  expect([opened.status, opened.body.title]).toEqual([200, body.title]);
});

const created = async (path: string, body: object) => (await service.call('POST', path, { body })).body;

test('every kind is listed, the newest first, by the same filters, and a row leaves the history to the one', async () => {
  const csv = 'reference;accountAlias;amount;withdrawMode\nl-1;771234567;1000;wallet-a-senegal\n';
  const file = { body: csv, headers: { 'content-type': 'text/csv' } };
  const batch = (await service.call('POST', '/v1/disbursement-batches', file)).body;
  const made = {
    '/v1/disbursement-batches': [batch, { state: 'awaiting_approval' }],
    '/v1/campaigns': [await created('/v1/campaigns', { name: 'n', text: 't', reference: 'l' }), { reference: 'l' }],
    '/v1/invoices': [
      await created('/v1/invoices', { totalAmount: 7_000, store: { name: 's' }, reference: 'l' }),
      { reference: 'l', amountMin: 7_000, amountMax: 7_000 },
    ],
    '/v1/payment-requests': [
      await created('/v1/payment-requests', {
        amount: 7_000,
        phone: '+221771234567',
        feesPaidBy: 'merchant',
        reference: 'l',
      }),
      { amountMin: 6_999 },
    ],
  } as const;
  for (const [path, [one, filters]] of Object.entries(made)) {
    const query = new URLSearchParams(
      Object.entries(filters).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const { status, body } = await service.call('GET', `${path}?${query}&createdFrom=${one.createdAt}`);
    expect([path, status, body.items.map(({ id }: { id: string }) => id)]).toEqual([path, 200, [one.id]]);
    expect(body.items[0]).not.toHaveProperty('history');
    const before = new Date(Date.parse(one.createdAt) - 1).toISOString();
    expect((await service.call('GET', `${path}?createdTo=${before}&${query}`)).body.items).toEqual([]);
    expect((await service.call('GET', path, { key: 'stranger-secret' })).body).toEqual({ items: [], next: null });
  }
  expect((await service.call('GET', '/v1/payment-requests?amountMax=6999')).body.items).toEqual([]);
});

test('a list as CSV has the columns of the command, and the next cursor', async () => {
  const { headers, body } = await service.call('GET', '/v1/disbursements?limit=1', {
    headers: { accept: 'text/csv' },
  });
  const [head, row] = String(body).replace('\ufeff', '').split('\r\n');
  expect(head).toBe('id;state;amount;accountAlias;withdrawMode;reference;updatedAt;payeeName;purpose;metadata');
  expect(row).toMatch(/^dsb_\w+;succeeded;500;771234567;wallet-a-senegal;/);
  expect(headers['x-next']).toMatch(/^\d+\.dsb_/);
});
