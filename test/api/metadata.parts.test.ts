/** Descriptions of an operation through each entry point: they are returned wherever the operation is shown. */
import { Queue } from 'bullmq';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type CollectService, startCollectService } from '../support/collect-service.ts';
import { BATCHES, HEADER } from './batch-desk.ts';

let service: CollectService;
let client: Client;
let intake: Queue;
beforeAll(async () => {
  service = await startCollectService({ DIRECT_CREDIT: 'on', LIVE_PATHS_IN_TEST: 'send' });
  client = new Client({ connectionString: service.databaseUrl });
  await client.connect();
  await service.ledger.query(`select relais.enqueue_grant(session_user::text, 'main', '{disbursement}')`);
  const { host, port, db } = service.redis.options;
  const connection = { host: String(host), port: Number(port), db: db ?? 0 };
  intake = new Queue('intake', { connection, prefix: '{relais}' });
});
afterAll(async () => {
  await intake.close();
  await client.end();
  await service.stop();
});

const NDJSON = { 'content-type': 'application/x-ndjson' };
const CSV = { 'content-type': 'text/csv' };
const said = (name: string) => ({
  payeeName: 'Awa Diop',
  purpose: 'Salary',
  metadata: { orderId: name, team: 'ops' },
});
const payment = (name: string, n: number) => ({
  accountAlias: String(771_100_000 + n),
  amount: 5_000 + n,
  withdrawMode: 'wallet-a-senegal',
  reference: name,
  ...said(name),
});
type Payment = ReturnType<typeof payment>;

const post = async (path: string, body: unknown, headers?: Record<string, string>) => {
  const answer = await service.call('POST', path, { body, ...(headers ? { headers } : {}) });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
};

async function batch(body: unknown, headers?: Record<string, string>): Promise<void> {
  const { id, contentHash, problems } = await post(BATCHES, body, headers);
  expect(problems).toEqual([]);
  const approval = { key: 'checker-secret', body: { contentHash } };
  expect((await service.call('POST', `${BATCHES}/${id}/approve`, approval)).status).toBe(200);
}

const ways: readonly (readonly [string, (asked: Payment) => Promise<unknown>])[] = [
  ['HTTP', (asked) => post('/v1/disbursements', asked)],
  ['a line among many', (asked) => post('/v1/disbursements', `${JSON.stringify(asked)}\n`, NDJSON)],
  ['a job of the queue intake', (asked) => intake.add('intake', { kind: 'disbursement', ...asked })],
  ['SQL', (asked) => client.query('select relais.enqueue($1, $2)', ['disbursement', JSON.stringify(asked)])],
  ['a batch as JSON', (asked) => batch([asked])],
  [
    'a batch as CSV',
    ({ reference, accountAlias, amount, withdrawMode, payeeName, purpose, metadata: { orderId, team } }) =>
      batch(
        `${HEADER.trim()};payeeName;purpose;metadata.orderId;metadata.team\r\n` +
          `${[reference, accountAlias, amount, withdrawMode, payeeName, purpose, orderId, team].join(';')}\r\n`,
        CSV,
      ),
  ],
];

const listed = async (path: string, name: string) =>
  (await service.call('GET', `${path}?metadata.orderId=${name}`)).body.items;

/** The only operation that a list finds by its metadata. */
async function found(path: string, name: string) {
  await vi.waitUntil(async () => (await listed(path, name)).length === 1, { timeout: 60_000, interval: 50 });
  const [row] = await listed(path, name);
  return row;
}

const csvOf = async (path: string): Promise<string> =>
  (await service.call('GET', path, { headers: { accept: 'text/csv' } })).body;
const eventsOf = async (id: string, type: string) => {
  const { events } = (await service.published(`/v1/events?types=${type}&limit=1000`)).body;
  return events.map(({ data }: { data: { id: string } }) => data).filter((data: { id: string }) => data.id === id);
};

describe.each(ways.map(([name, ask], n) => ({ name, ask, n })))('a payment through $name', ({ ask, n }) => {
  test('has payee, purpose and metadata in reads, lists, CSV, events and the finance view', async () => {
    const name = `way-${n}`;
    await ask(payment(name, n));
    const row = await found('/v1/disbursements', name);
    expect(row).toMatchObject({ reference: name, ...said(name) });
    const path = `/v1/disbursements/${row.id}`;
    await service.until(path, ({ state }: { state: string }) => state === 'succeeded');
    expect((await service.call('GET', path)).body).toMatchObject(said(name));
    const csv = await csvOf(`/v1/disbursements?metadata.orderId=${name}`);
    expect(csv).toContain('payeeName;purpose;metadata');
    expect(csv).toContain(`Awa Diop;Salary;"{""team"":""ops"",""orderId"":""${name}""}"`);
    expect(await eventsOf(row.id, 'disbursement.succeeded')).toMatchObject([said(name)]);
    const [view] = await service.ledger.query(
      `select payee_name, purpose, metadata from relais.disbursements where id = '${row.id}'`,
    );
    expect(view).toEqual({ payee_name: 'Awa Diop', purpose: 'Salary', metadata: said(name).metadata });
    expect(JSON.stringify(await service.books())).not.toContain('Awa Diop');
  });
});

interface KindCase {
  readonly path: string;
  readonly body: object;
  readonly event: string;
  /** Triggers the event, if nothing else does. */
  readonly ends?: (row: { readonly id: string; readonly token: string }) => Promise<unknown>;
}

const kinds: readonly KindCase[] = [
  { path: '/v1/messages', body: { to: '+221771234567', text: 'Bonjour' }, event: 'message.sent' },
  {
    path: '/v1/campaigns',
    body: { name: 'November', text: 'Bonjour' },
    event: 'campaign.cancelled',
    ends: ({ id }) => post(`/v1/campaigns/${id}/cancel`, undefined),
  },
  {
    path: '/v1/invoices',
    body: { totalAmount: 15_000, store: { name: 'La Boutique' } },
    event: 'invoice.completed',
    ends: ({ token }) => service.control('POST', `/invoices/${token}`, { status: 'completed' }),
  },
  {
    path: '/v1/direct-credits',
    body: { accountAlias: 'shop-account', amount: 10_000 },
    event: 'direct_credit.succeeded',
  },
];

describe.each(kinds)('$path', ({ path, body, event, ends }) => {
  test('returns metadata in reads, lists, CSV and events', async () => {
    const [name, kind] = [`kind-${event}`, event.split('.')[0]];
    const metadata = { orderId: name };
    await post(path, { ...body, reference: name, metadata });
    const row = await found(path, name);
    expect(row).toMatchObject({ reference: name, metadata });
    expect((await service.call('GET', `${path}/${row.id}`)).body).toMatchObject({ metadata });
    expect(await csvOf(`${path}?metadata.orderId=${name}`)).toContain(`"{""orderId"":""${name}""}"`);
    await ends?.(row);
    await service.until(`${path}/${row.id}`, ({ state }: { state: string }) => `${kind}.${state}` === event);
    expect(await eventsOf(row.id, event)).toMatchObject([{ metadata }]);
  });

  test('refuses the same reference with other metadata, and names the field', async () => {
    const reference = `other-${event}`;
    await post(path, { ...body, reference, metadata: { orderId: 'first' } });
    const { status, body: refused } = await service.call('POST', path, {
      body: { ...body, reference, metadata: { orderId: 'second' } },
    });
    expect([status, refused.differs]).toEqual([409, ['/metadata']]);
  });
});

describe('metadata are refused with their place', () => {
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`key${n}`, 'x']));
  test.each<readonly [string, unknown, string]>([
    ['51 keys', many, '/metadata'],
    ['a value of 501 characters', { orderId: 'x'.repeat(501) }, '/metadata/orderId'],
    ['a nested value', { orderId: { id: '1' } }, '/metadata/orderId'],
    ['a number', { orderId: 1042 }, '/metadata/orderId'],
    ['a key of 41 characters', { ['k'.repeat(41)]: 'x' }, `/metadata/${'k'.repeat(41)}`],
    ['a key with a space', { 'order id': 'x' }, '/metadata/order id'],
    ['a list', ['x'], '/metadata'],
  ])('%s', async (_, metadata, pointer) => {
    const asked = { ...payment('refused', 0), metadata };
    const { status, body } = await service.call('POST', '/v1/disbursements', { body: asked });
    expect([status, body.problems.map((one: { pointer: string }) => one.pointer)]).toEqual([422, [pointer]]);
    const file = await service.call('POST', BATCHES, { body: [asked] });
    expect(file.body.problems.map(({ column }: { column: string }) => column)).toEqual([
      pointer.slice(1).replace('/', '.').slice(0, 40),
    ]);
  });
});

test('the filter takes one entry, and nothing else begins with its name', async () => {
  const ask = async (query: string) => (await service.call('GET', `/v1/disbursements?${query}`)).body.problems;
  expect(await ask('metadata.a=1&metadata.b=2')).toMatchObject([
    { pointer: '/metadata', message: 'must name one entry' },
  ]);
  expect(await ask('metadata=1')).toMatchObject([{ pointer: '/metadata' }]);
  expect(await ask('metadata.a=1&metadata.a=2')).toMatchObject([
    { pointer: '/metadata.a', message: 'is given twice' },
  ]);
  expect(await listed('/v1/disbursements', 'nothing')).toEqual([]);
});
