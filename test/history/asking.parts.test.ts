/** Over HTTP and at the shell: lists and search tell of Redis and history as one, and say so when history is away. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemRandom } from '../../src/lib/random.ts';
import { keys } from '../../src/operations/keys.ts';
import { Operations } from '../../src/operations/operations.ts';
import { relais } from '../cli/terminal.ts';
import { type FreshPostgres, freshPostgres } from '../support/fresh-postgres.ts';
import { type Service, startService } from '../support/service.ts';
import { Link } from '../storm/link.ts';
import { trimmerOf, writerOf } from './history-world.ts';

const LATER_MS = 8 * 86_400_000;

let database: FreshPostgres;
let wire: Link;
let service: Service;
let left: string;
let near: string;
let batch: string;

beforeAll(async () => {
  database = await freshPostgres();
  const url = new URL(database.url);
  wire = await Link.to(Number(url.port));
  url.port = String(wire.port);
  service = await startService({ HISTORY_URL: url.href });
  left = await paid('r-left', '771000001');
  batch = await paidBatch();
  await leave();
  near = await paid('r-near', '771000002');
});
afterAll(async () => {
  await service?.stop();
  await wire?.close();
  await database?.close();
});

async function paid(reference: string, accountAlias: string): Promise<string> {
  const body = { accountAlias, amount: 500, withdrawMode: 'wallet-a-senegal', reference };
  const { body: made } = await service.call('POST', '/v1/disbursements', { body });
  await service.until(`/v1/disbursements/${made.id}`, ({ state }) => state === 'succeeded');
  return made.id as string;
}

/** Of one row, `r-row`. */
async function paidBatch(): Promise<string> {
  const body = 'reference;accountAlias;amount;withdrawMode\nr-row;771000003;700;wallet-a-senegal\n';
  const headers = { 'content-type': 'text/csv' };
  const { body: made } = await service.call('POST', '/v1/disbursement-batches', { body, headers });
  const path = `/v1/disbursement-batches/${made.id}`;
  const approval = { body: { contentHash: made.contentHash }, key: 'checker-secret' };
  await service.call('POST', `${path}/approve`, approval);
  await service.until(path, ({ state }) => state === 'finished');
  return path;
}

/** History gets all that is over, and what is over leaves as if a week had gone by. */
async function leave(): Promise<void> {
  const { redis } = service;
  await redis.del(keys.due('status-poll'));
  const now = () => Date.now() + LATER_MS;
  const trimmer = trimmerOf(redis, new Operations({ redis, random: systemRandom, now }), { now });
  const writer = writerOf(redis, () => database.url, { trimmer });
  await writer.pass();
  await writer.pass();
  await writer.close();
  expect(await redis.exists(keys.record(left))).toBe(0);
}

const ask = (path: string, more: object = {}) => service.call('GET', path, more);
const idsAt = async (path: string) => (await ask(path)).body.items.map(({ id }: { id: string }) => id);

test('lists, filters and search tell of both as one', async () => {
  const both = await ask('/v1/disbursements');
  expect([both.status, both.headers['warning'], both.body]).toMatchObject([
    200,
    undefined,
    { items: [{ id: near }, { reference: 'r-row' }, { id: left, reference: 'r-left', amount: 500 }], next: null },
  ]);
  expect(both.body).not.toHaveProperty('incomplete');
  const [first] = both.body.items;
  expect(Object.keys(both.body.items[2])).toEqual(Object.keys(first));
  expect(await idsAt('/v1/disbursements?phone=771000001')).toEqual([left]);
  expect(await idsAt('/v1/disbursements?reference=r-left')).toEqual([left]);
  expect(await idsAt('/v1/disbursements?state=failed')).toEqual([]);
  for (const q of [left, 'r-left', '77 100 00 01', both.body.items[2].transactionId]) {
    expect([q, await idsAt(`/v1/search?q=${encodeURIComponent(q)}`)]).toEqual([q, [left]]);
  }
});

test('what another account did is not shown, wherever it is', async () => {
  const stranger = { key: 'stranger-secret' };
  expect((await ask('/v1/disbursements', stranger)).body.items).toEqual([]);
  expect((await ask('/v1/search?q=r-left', stranger)).body.items).toEqual([]);
  expect((await ask(`/v1/search?q=${left}`, stranger)).body.items).toEqual([]);
});

test('CSV has the rows of both', async () => {
  const { body } = await ask('/v1/disbursements', { headers: { accept: 'text/csv' } });
  expect(String(body).match(/^\ufeff?dsb_\w+;succeeded/gm)).toHaveLength(3);
});

test('the report of a batch has what the service called each row, also once it left', async () => {
  const { status, body } = await ask(`${batch}/report`);
  const [row] = body.items;
  expect([status, row]).toMatchObject([
    200,
    { reference: 'r-row', state: 'succeeded', transactionId: expect.any(String) },
  ]);
  expect(await service.redis.exists(keys.record(row.id))).toBe(0);
  const csv = await ask(`${batch}/report`, { headers: { accept: 'text/csv' } });
  expect(String(csv.body)).toContain(row.transactionId);
  wire.refuse();
  try {
    const away = await ask(`${batch}/report`);
    expect([away.status, away.body.detail]).toEqual([503, expect.stringContaining('history is away')]);
  } finally {
    wire.heal();
  }
});

test('while history is away Redis alone answers, and the answer says so', async () => {
  wire.refuse();
  try {
    for (const path of ['/v1/disbursements', '/v1/disbursements?phone=%2B221771000002', '/v1/search?q=r-near']) {
      const { status, headers, body } = await ask(path);
      expect([path, status, body.items.map(({ id }: { id: string }) => id)]).toEqual([path, 200, [near]]);
      expect([headers['warning'], body.incomplete]).toEqual([
        expect.stringMatching(/^199 relais "History is away/),
        true,
      ]);
    }
    for (const path of ['/v1/disbursements?reference=r-left', `/v1/search?q=${left}`, '/v1/search?q=r-left']) {
      const { status, body } = await ask(path);
      expect([path, status, body]).toMatchObject([path, 200, { items: [], incomplete: true }]);
    }
    // Nothing of what is asked for ever leaves.
    expect((await ask('/v1/disbursements?state=held')).body).toEqual({ items: [], next: null });
    const csv = await ask('/v1/disbursements', { headers: { accept: 'text/csv' } });
    expect([csv.status, csv.headers['warning']]).toEqual([200, expect.stringContaining('199 relais')]);
  } finally {
    wire.heal();
  }
});

const atShell = (...argv: string[]) =>
  relais(argv, { env: { RELAIS_URL: service.api, RELAIS_API_KEY: 'maker-secret' } });

test('at a shell that is said in words, and not into the file', async () => {
  wire.refuse();
  try {
    for (const format of [[], ['--csv'], ['--json']]) {
      const { code, stdout, stderr } = await atShell('disburse', 'list', ...format);
      expect([format, code, stdout.includes(near), stderr]).toEqual([
        format,
        0,
        true,
        expect.stringContaining('History is away: what has left Redis is missing here.'),
      ]);
    }
    expect((await atShell('search', 'r-left', '--lang', 'fr')).stderr).toContain('L’historique n’est pas joignable');
  } finally {
    wire.heal();
  }
  expect((await atShell('disburse', 'list')).stderr).not.toContain('away');
});
