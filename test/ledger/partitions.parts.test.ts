/**
 * Partitions on real PostgreSQL: in advance, on demand, next to rows of the default partition, and while a table is
 * locked.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Client } from 'pg';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Operations } from '../../src/ledger/operations.ts';
import { Partitions } from '../../src/ledger/partitions.ts';
import { Database } from '../../src/ledger/pool.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';

let ledger: FreshLedger;
let database: Database;
let partitions: Partitions;
beforeAll(async () => {
  ledger = await freshLedger();
  database = new Database(ledger);
  partitions = new Partitions({ database });
});
afterAll(async () => {
  await database?.close();
  await ledger?.close();
});

const audit = (at: string) =>
  ledger.query(`insert into relais.audit_line (at, by, source, act) values ('${at}', 'k', 'api', 'test')`);
const partOf = async (at: string): Promise<readonly string[]> => {
  const rows = await ledger.query<{ part: string }>(
    `select tableoid::regclass::text as part from relais.audit_line where at = '${at}'`,
  );
  return rows.map(({ part }) => part);
};

test('events and audit lines have the month and three months ahead, with bounds in UTC', async () => {
  const made = await partitions.ensureMonths(new Date('2030-11-30T23:59:59Z'));
  expect(made).toEqual(
    ['event', 'audit_line'].flatMap((parent) =>
      ['2030_11', '2030_12', '2031_01', '2031_02'].map((m) => `${parent}_${m}`),
    ),
  );
  expect(await partitions.ensureMonths(new Date('2030-11-30T23:59:59Z'))).toEqual([]);
  expect(await partitions.monthsEnd('event')).toEqual(new Date('2031-03-01T00:00:00Z'));
  await audit('2030-11-30 23:59:59.999+00');
  await audit('2030-12-01 00:00:00+00');
  await audit('2031-03-01 00:00:00+00');
  expect(await partOf('2030-11-30 23:59:59.999+00')).toEqual(['relais.audit_line_2030_11']);
  expect(await partOf('2030-12-01 00:00:00+00')).toEqual(['relais.audit_line_2030_12']);
  expect(await partOf('2031-03-01 00:00:00+00')).toEqual(['relais.audit_line_rest']);
});

test('a month whose rows are in the default partition stays there, and the others are made', async () => {
  await audit('2032-01-05 12:00:00+00');
  const made = await partitions.ensureMonths(new Date('2032-01-31T12:00:00Z'));
  expect(made).toContain('event_2032_01');
  expect(made).not.toContain('audit_line_2032_01');
  expect(made).toContain('audit_line_2032_02');
  await audit('2032-01-06 12:00:00+00');
  expect(await partOf('2032-01-06 12:00:00+00')).toEqual(['relais.audit_line_rest']);
});

test('a partition that cannot be attached in time is not made, and a later call makes it', async () => {
  const holder = new Client({ connectionString: ledger.url });
  await holder.connect();
  await holder.query('begin');
  await holder.query('lock table relais.recipient in access exclusive mode');
  expect(await partitions.ensureCampaign('4711')).toEqual(['busy', 'made']);
  await holder.query('rollback');
  await holder.end();
  expect(await partitions.ensureCampaign('4711')).toEqual(['made', 'there']);
  await ledger.query(`insert into relais.recipient (campaign, n, row, phone) values (4711, 0, 2, 221771234567)`);
  expect(await ledger.query(`select tableoid::regclass::text as part from relais.recipient`)).toEqual([
    { part: 'relais.recipient_47' },
  ]);
});

test('ten processes that need the same partition at once make one', async () => {
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => partitions.ensureCampaign('99')));
  expect(outcomes.flat().filter((outcome) => outcome === 'made')).toHaveLength(2);
  expect(outcomes.flat()).not.toContain('taken');
  expect(await partitions.drop('recipient_0')).toBe(true);
  expect(await partitions.drop('recipient_0')).toBe(false);
});

test('a request waits for a partition that is being attached, and is recorded', async () => {
  const operations = new Operations({
    database: ledger,
    process: 'attached',
    clock: systemClock,
    random: systemRandom,
    now: () => new Date('2033-03-05T12:00:00Z'),
  });
  const holder = new Client({ connectionString: ledger.url });
  await holder.connect();
  await holder.query('begin');
  await holder.query(
    `select relais.make_partition('audit_line', 'audit_line_2033_03', '2033-03-01 00:00:00+00', '2033-04-01 00:00:00+00', 500)`,
  );
  const accepted = operations.accept(requested);
  const isWaiting = async (): Promise<boolean> =>
    (
      await ledger.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).length > 0;
  await vi.waitUntil(isWaiting, { interval: 5 });
  await holder.query('commit');
  await holder.end();
  expect(await accepted).toMatchObject({ outcome: 'accepted' });
  expect(await partOf('2033-03-05 12:00:00+00')).toEqual(['relais.audit_line_2033_03']);
  await operations.close();
});

const requested = {
  id: 'dsb_attached',
  kind: 'disbursement',
  account: 'main',
  fingerprint: Buffer.from('attached'),
  state: 'queued',
  amount: 1_000,
  request: {},
  createdBy: 'shop',
  act: { by: 'shop', source: 'http', act: 'disbursement.create', requestId: 'r-1' },
} as const;
