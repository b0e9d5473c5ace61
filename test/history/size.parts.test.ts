/** What docs/sizing.md says that a row takes is what it takes, in a PostgreSQL filled by the writer's own store. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { payeesWith } from '../../src/history/payees.ts';
import { readingOf, rowsOfBatch } from '../../src/history/readings.ts';
import { copyOf, type Row } from '../../src/history/rows.ts';
import { HistoryStore } from '../../src/history/store.ts';
import { batchRowTable, eventTable, type Table, tables } from '../../src/kinds/tables.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { type BatchRow, packBatchRow } from '../../src/operations/batch-rows.ts';
import { Queries } from '../../src/operations/queries.ts';
import type { Fields } from '../../src/operations/record.ts';
import { packCountries, packItems, packRequest } from '../../src/operations/slice-form.ts';
import { bytesOfRedis, bytesOfRow } from '../docs/sizing.ts';
import { type FreshPostgres, freshPostgres } from '../support/fresh-postgres.ts';
import { type Service, startService } from '../support/service.ts';

/** `SIZE_TIMES=10` for the figures of the page: 50,000 payments and 200,000 people. */
const TIMES = Number(process.env['SIZE_TIMES'] ?? 1);
const PAYMENTS = 5_000 * TIMES;
const SLICES = 20 * TIMES;
const PEOPLE_A_SLICE = 1_000;
const AT_ONCE = 500;
const STUBS = 250;
const STUB_BYTES = 10;
/** Of few rows the pages that are not full weigh more, those of indexes most. */
const APART = TIMES < 10 ? 0.6 : 0.2;
const NOON = Date.parse('2026-11-22T12:00:00Z');

let service: Service;
let database: FreshPostgres;
let store: HistoryStore;
beforeAll(async () => {
  [service, database] = [await startService(), await freshPostgres()];
  const url = database.url;
  store = await HistoryStore.open({ url, newName: () => 'size', timezone: 'UTC' }, () => undefined);
});
afterAll(async () => {
  await store?.close();
  await database?.close();
  await service?.stop();
});

const readings = {
  campaignOf: () => ({ id: 'cmp_size', account: 'main', createdAt: NOON, isCancelled: false }),
  own: [],
  payeeOf: payeesWith([]),
};
const digits = (from: string, at: number): string => `${from}${String(at).padStart(7, '0')}`;

/** The same payment again, under other names of the same length. */
function another(fields: Fields, at: number): Fields {
  const { id = '', disburseId = '', token = '', transactionId = '', providerRef = '', reference = '' } = fields;
  const names = [id.slice(4), disburseId, token, transactionId, providerRef, reference].filter((name) => name !== '');
  const renamed = names.reduce(
    (text, name) => text.replaceAll(name, systemRandom.hex(name.length).slice(0, name.length)),
    JSON.stringify(fields),
  );
  const copy: Fields = JSON.parse(renamed);
  const moment = String(NOON + at * 7);
  return { ...copy, accountAlias: digits('77', at), createdAt: moment, updatedAt: moment, since: moment };
}

function sliceOf(at: number): Fields {
  const items = Array.from({ length: PEOPLE_A_SLICE }, (_, place) => {
    const row = at * PEOPLE_A_SLICE + place;
    return { row: row + 2, to: `+221${digits('77', row)}`, values: ['Awa Ndiaye'] };
  });
  const over = { is: 'over', part: false, from: 0, at: NOON, looks: 0, dueAt: 0 } as const;
  const stored = {
    id: `cmp_size.0f-${at}`,
    kind: 'slice',
    v: 1,
    state: 'settled',
    rev: 3,
    account: 'main',
    campaign: 'cmp_size',
    count: items.length,
    countries: packCountries(items.map(() => 'SN')),
    ...packItems(items),
    r0: packRequest({ ...over, letters: 's'.repeat(items.length), codes: items.map(() => '') }),
  };
  return Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, String(value)]));
}

async function write(table: Table, rows: readonly Row[]): Promise<void> {
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const copy = copyOf(table, rows.slice(at, at + AT_ONCE));
    await store.write([copy]);
    await store.compare([copy]);
  }
}

/** Bytes a row: of the table itself, and of its indexes. */
async function measured(table: string, rows: number): Promise<{ readonly row: number; readonly indexes: number }> {
  for (const { relid } of await database.query<{ relid: string }>(
    `select relid::text from pg_partition_tree('relais.${table}') where isleaf`,
  ))
    await database.query(`vacuum analyze ${relid}`);
  const [sizes] = await database.query<{ all: string; indexes: string }>(
    `select sum(pg_total_relation_size(relid)) as all, sum(pg_indexes_size(relid)) as indexes
     from pg_partition_tree('relais.${table}') where isleaf`,
  );
  const [all, indexes] = [Number(sizes?.all), Number(sizes?.indexes)];
  return { row: Math.round((all - indexes) / rows), indexes: Math.round(indexes / rows) };
}

async function paid() {
  const body = {
    accountAlias: '771234567',
    amount: 25_000,
    withdrawMode: 'wallet-a-senegal',
    reference: 'order-1042',
  };
  const { body: made } = await service.call('POST', '/v1/disbursements', { body });
  await service.until(`/v1/disbursements/${made.id}`, ({ state }) => state === 'succeeded');
  const { body: told } = await service.call('GET', '/v1/events');
  const record = await new Queries(service.redis).read('disbursement', made.id);
  return { fields: record?.fields ?? {}, data: told.events.at(-1).data };
}

/** Bytes of Redis: each of the people of a slice that is over, and each stub in a bucket of 250, as of 65 million. */
async function measuredInRedis() {
  const { redis } = service;
  await redis.hset('size:slice', { ...sliceOf(0) });
  const stub = (at: number) => [`stub${String(at).padStart(4, '0')}`, 'f'.repeat(STUB_BYTES)] as const;
  await redis.hset('size:stubs', Object.fromEntries(Array.from({ length: STUBS }, (_, at) => stub(at))));
  const [slice, stubs] = [
    await redis.memory('USAGE', 'size:slice', 'SAMPLES', 0),
    await redis.memory('USAGE', 'size:stubs', 'SAMPLES', 0),
  ];
  return { recipient: Math.round((slice ?? 0) / PEOPLE_A_SLICE), stub: Math.round((stubs ?? 0) / STUBS) };
}

test('what Redis holds of a person and of what left takes what the page says', async () => {
  const found = await measuredInRedis();
  console.log(JSON.stringify(found));
  expect(Math.abs(found.recipient / bytesOfRedis.recipient - 1)).toBeLessThan(0.2);
  expect(Math.abs(found.stub / bytesOfRedis.stub - 1)).toBeLessThan(0.2);
});

test('a row of a batch takes what the page says, there and in Redis', async () => {
  const { redis } = service;
  const rows = Array.from(
    { length: PAYMENTS },
    (_, at): BatchRow => ({
      row: at + 2,
      id: `dsb_${systemRandom.hex(26)}`,
      reference: digits('salary-2026-11-', at),
      accountAlias: digits('77', at),
      amount: 25_000,
      withdrawMode: 'wallet-a-senegal',
      own: ['Awa Ndiaye'],
    }),
  );
  const batch = { id: `bat_${systemRandom.hex(26)}`, account: 'main', createdAt: NOON, rev: 9 };
  await write(batchRowTable, rowsOfBatch(batch, { from: 0, rows, refused: {} }));
  const found = await measured('batch_rows', PAYMENTS);
  await redis.rpush('size:rows', ...rows.slice(0, 1_000).map(packBatchRow));
  const near = Math.round(((await redis.memory('USAGE', 'size:rows', 'SAMPLES', 0)) ?? 0) / 1_000);
  console.log(JSON.stringify({ found, near }));
  const said = bytesOfRow.batch_rows;
  expect(Math.abs(found.row / said.row - 1)).toBeLessThan(APART);
  expect(Math.abs(found.indexes / said.indexes - 1)).toBeLessThan(APART);
  expect(Math.abs(near / bytesOfRedis.batchRow - 1)).toBeLessThan(0.2);
});

test('a payment and its event, and a person of a campaign, take what the page says', async () => {
  const { fields, data } = await paid();
  const payments = Array.from({ length: PAYMENTS }, (_, at) => another(fields, at));
  const read = payments.map((one) => readingOf(one['id'] ?? '', { ...one, v: '1' }, readings));
  const [first] = read;
  if (first === undefined) throw new Error('history has no table for it');
  await write(
    first.table,
    read.flatMap((one) => one?.rows ?? []),
  );
  await write(
    eventTable,
    payments.map(({ id }, at) => ({
      place: `${NOON + at * 7}-0`,
      type: 'disbursement.succeeded',
      operation: id,
      sequence: 1,
      account: 'main',
      data,
      at: NOON + at * 7,
    })),
  );
  for (let at = 0; at < SLICES; at += 1) {
    const slice = readingOf(`cmp_size.0f-${at}`, sliceOf(at), readings);
    if (slice) await write(slice.table, slice.rows);
  }
  const found = {
    disbursements: await measured('disbursements', PAYMENTS),
    events: await measured('events', PAYMENTS),
    recipients: await measured('recipients', SLICES * PEOPLE_A_SLICE),
  };
  console.log(JSON.stringify(found));
  for (const [table, { row, indexes }] of Object.entries(found)) {
    const said = bytesOfRow[table as keyof typeof bytesOfRow];
    expect([table, 'row', Math.abs(row / said.row - 1) < APART, row]).toEqual([table, 'row', true, row]);
    expect([table, 'indexes', Math.abs(indexes / said.indexes - 1) < APART, indexes]).toEqual([
      table,
      'indexes',
      true,
      indexes,
    ]);
  }
}, 600_000);

test('rows are looked up by their names also among times that nobody has looked through yet', async () => {
  const { fields } = await paid();
  const rowsFrom = (from: number): readonly Row[] =>
    Array.from({ length: AT_ONCE }, (_, at) => another(fields, from + at)).flatMap(
      (one) => readingOf(one['id'] ?? '', { ...one, v: '1' }, readings)?.rows ?? [],
    );
  const table = tables.find(({ table: name }) => name === 'disbursements');
  if (table === undefined) throw new Error('history has no table for it');
  await write(table, rowsFrom(0));
  await measured('disbursements', 1);
  const before = await fetched();
  const url = database.url;
  const later = await HistoryStore.open({ url, newName: () => 'size', timezone: 'UTC' }, () => undefined);
  const copy = copyOf(table, rowsFrom(1_000 * PAYMENTS));
  await later.write([copy]);
  await later.compare([copy]);
  // Its figures are there once its server process has ended.
  await later.close();
  await expect.poll(fetched).toBeGreaterThan(before);
  expect((await fetched()) - before).toBeLessThan(10 * AT_ONCE);
});

/** Rows of disbursements that were found by an index. */
async function fetched(): Promise<number> {
  const [sum] = await database.query<{ rows: string }>(
    "select sum(idx_tup_fetch) as rows from pg_stat_user_tables where relname like 'disbursements_20%'",
  );
  return Number(sum?.rows);
}
