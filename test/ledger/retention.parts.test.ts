/**
 * Retention: a tombstone first, its row ten minutes later, campaigns in parts or by partition, identities for longer.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { KeptFiles } from '../../src/ledger/kept-files.ts';
import { Partitions } from '../../src/ledger/partitions.ts';
import { Database } from '../../src/ledger/pool.ts';
import { Retention } from '../../src/ledger/retention.ts';
import { Uploads } from '../../src/ledger/uploads.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const START = Date.parse('2026-11-28T12:00:00Z');

let ledger: FreshLedger;
let database: Database;
let partitions: Partitions;
let at = START;
beforeAll(async () => {
  ledger = await freshLedger();
  database = new Database(ledger);
  partitions = new Partitions({ database });
});
afterAll(async () => {
  await database?.close();
  await ledger?.close();
});
beforeEach(async () => {
  at = START;
  await ledger.query(
    `truncate relais.operation, relais.campaign, relais.campaign_country, relais.recipient, relais.sms_request, relais.left_out_row,
       relais.batch, relais.batch_row, relais.tombstone, relais.callback restart identity cascade`,
  );
});

const retention = (more: { readonly paymentsMs?: number; readonly smsMs?: number } = {}) => {
  const now = () => new Date(at);
  const random = systemRandom;
  return new Retention({
    database,
    partitions,
    keptFiles: new KeptFiles({ database, random, now }),
    uploads: new Uploads({ database, partitions, random, clock: systemClock }),
    paymentsMs: 90 * DAY_MS,
    smsMs: 30 * DAY_MS,
    identitiesMs: 400 * DAY_MS,
    now,
    ...more,
  });
};

const daysAgo = (days: number): string => new Date(START - days * DAY_MS).toISOString();

async function operations(prefix: string, count: number, kind: string, finished: string | null): Promise<void> {
  const ended = finished === null ? 'null' : `'${finished}'`;
  await ledger.query(
    `insert into relais.operation (id, kind, account, reference, fingerprint, state, amount, request, created_by, schema_version, op,
       created_at, finished_at)
     select '${prefix}' || n, '${kind}', 'main', '${prefix}' || n, '\\x01', 'failed', 100, '{}', 'k', 1, '${randomUUID()}',
       ${finished === null ? `'2020-01-01'` : ended}, ${ended}
     from generate_series(1, ${count}) n`,
  );
}

const count = async (table: string): Promise<number> =>
  Number((await ledger.query<{ n: string }>(`select count(*) as n from relais.${table}`))[0]?.n);

test('a tombstone is there ten minutes before its row goes, for longer than the row, and then goes too', async () => {
  await operations('dsb_old', 12_000, 'disbursement', daysAgo(91));
  await operations('dsb_new', 3, 'disbursement', daysAgo(89));
  await operations('dsb_open', 2, 'disbursement', null);
  await operations('msg_old', 4, 'message', daysAgo(31));
  const pass = retention();
  expect(await pass.pass()).toMatchObject({ buried: 12_004, operations: 0 });
  expect([await count('operation'), await count('tombstone')]).toEqual([12_009, 12_004]);
  at += 10 * MINUTE_MS - 1;
  expect(await pass.pass()).toMatchObject({ buried: 0, operations: 0 });
  at += 1;
  expect(await pass.pass()).toMatchObject({ buried: 0, operations: 12_004 });
  expect(await count('operation')).toBe(5);
  expect(
    await ledger.query(
      `select kind, account, reference, state, amount, pending from relais.tombstone where id = 'dsb_old1'`,
    ),
  ).toEqual([
    { kind: 'disbursement', account: 'main', reference: 'dsb_old1', state: 'failed', amount: '100', pending: false },
  ]);
  at += 400 * DAY_MS;
  await retention({ paymentsMs: 0, smsMs: 0 }).pass();
  expect(await count('tombstone')).toBe(0);
});

test('off keeps everything', async () => {
  await operations('dsb_', 2, 'disbursement', daysAgo(4_000));
  await operations('msg_', 2, 'message', daysAgo(4_000));
  expect(await retention({ paymentsMs: 0, smsMs: 0 }).pass()).toMatchObject({ buried: 0 });
  expect(await retention({ paymentsMs: 0 }).pass()).toMatchObject({ buried: 2 });
});

test('a row that changes while it waits stays: with another state for ten minutes more, open again for good', async () => {
  await operations('dsb_', 3, 'disbursement', daysAgo(91));
  const pass = retention();
  await pass.pass();
  await ledger.query(`alter table relais.operation disable trigger user`);
  await ledger.query(`update relais.operation set state = 'succeeded' where id = 'dsb_1'`);
  await ledger.query(`update relais.operation set state = 'pending', finished_at = null where id = 'dsb_2'`);
  await ledger.query(`alter table relais.operation enable trigger user`);
  at += 10 * MINUTE_MS;
  expect(await pass.pass()).toMatchObject({ operations: 1 });
  expect(await ledger.query(`select id, state, pending from relais.tombstone order by id`)).toEqual([
    { id: 'dsb_1', state: 'succeeded', pending: true },
    { id: 'dsb_3', state: 'failed', pending: false },
  ]);
  at += 10 * MINUTE_MS;
  expect(await pass.pass()).toMatchObject({ operations: 1 });
  expect(await ledger.query(`select id from relais.operation`)).toEqual([{ id: 'dsb_2' }]);
});

test('a batch goes after its payments', async () => {
  await operations('dsb_', 2, 'disbursement', daysAgo(91));
  await ledger.query(`update relais.operation set batch = 'bat_1'`);
  await ledger.query(
    `insert into relais.batch (id, account, fingerprint, content_hash, state, rows, xof, totals, problems, warnings, created_by, finished_at)
     values ('bat_1', 'main', '\\x00', 'h', 'finished', 2, 200, '{}', '{}', '{}', 'k', '${daysAgo(91)}')`,
  );
  await ledger.query(
    `insert into relais.batch_row (batch, n, line, operation, amount, request) values ('bat_1', 0, 2, 'dsb_1', 100, '{}')`,
  );
  const pass = retention();
  await pass.pass();
  at += 10 * MINUTE_MS;
  expect(await pass.pass()).toMatchObject({ operations: 2, batches: 0, buried: 1 });
  at += 10 * MINUTE_MS;
  expect(await pass.pass()).toMatchObject({ batches: 1 });
  expect([await count('batch'), await count('batch_row'), await count('tombstone')]).toEqual([0, 0, 3]);
});

async function campaigns(numbers: readonly number[], state: string, finished: string | null): Promise<void> {
  for (const number of numbers) {
    await ledger.query(
      `insert into relais.campaign (number, id, account, reference, fingerprint, name, body, state, created_by, finished_at)
       overriding system value
       values (${number}, 'cmp_${number}', 'main', 'r${number}', '\\x00', 'n', 't', '${state}', 'k', ${finished === null ? 'null' : `'${finished}'`})`,
    );
    await ledger.query(
      `insert into relais.recipient (campaign, n, row, phone) select ${number}, n, n, 221770000000 + n from generate_series(0, 5999) n`,
    );
    await ledger.query(
      `insert into relais.sms_request (campaign, n, size, state, outcome) values (${number}, 0, 1, 'settled', 's')`,
    );
    await ledger.query(
      `insert into relais.left_out_row (campaign, tag, n, row, written, reason) values (${number}, 'a', 0, 1, 'x', 'not_a_number')`,
    );
  }
}

test('a partition is dropped when every campaign in it may go, and other campaigns go in parts', async () => {
  await partitions.ensureCampaign('100');
  await partitions.ensureCampaign('200');
  await campaigns([100, 150, 200], 'finished', daysAgo(31));
  await campaigns([201], 'running', null);
  await campaigns([202], 'finished', daysAgo(29));
  const pass = retention();
  expect(await pass.pass()).toMatchObject({ buried: 3, campaigns: 0, partitions: 0 });
  at += 10 * MINUTE_MS;
  expect(await pass.pass()).toMatchObject({ campaigns: 3, partitions: 2 });
  expect(await ledger.query(`select to_regclass('relais.recipient_1') as part`)).toEqual([{ part: null }]);
  expect(await ledger.query(`select distinct campaign from relais.recipient order by 1`)).toEqual([
    { campaign: '201' },
    { campaign: '202' },
  ]);
  expect([await count('sms_request'), await count('left_out_row'), await count('campaign')]).toEqual([2, 2, 2]);
  expect(await ledger.query(`select id, pending from relais.tombstone order by id`)).toEqual(
    ['cmp_100', 'cmp_150', 'cmp_200'].map((id) => ({ id, pending: false })),
  );
});

test('a partition that campaigns left one by one is dropped once it is empty', async () => {
  await partitions.ensureCampaign('500');
  await campaigns([500], 'finished', daysAgo(31));
  const pass = retention();
  await pass.pass();
  at += 10 * MINUTE_MS;
  // The range may still get a campaign.
  expect(await pass.pass()).toMatchObject({ campaigns: 1, partitions: 0 });
  await campaigns([600], 'running', null);
  expect((await pass.pass()).partitions).toBeGreaterThanOrEqual(2);
  expect(await ledger.query(`select to_regclass('relais.recipient_5') as part`)).toEqual([{ part: null }]);
});

test('a campaign that is retried while it waits is retained, with its partition', async () => {
  await partitions.ensureCampaign('300');
  await campaigns([300], 'finished', daysAgo(31));
  await campaigns([400], 'running', null);
  const pass = retention();
  await pass.pass();
  await ledger.query(`update relais.campaign set state = 'running', finished_at = null where number = 300`);
  at += 10 * MINUTE_MS;
  expect(await pass.pass()).toMatchObject({ campaigns: 0, partitions: 0 });
  expect([await count('recipient'), await count('tombstone')]).toEqual([12_000, 0]);
});
