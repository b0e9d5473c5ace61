/** What finance asks: the day as the API's report has it, events, the audit, balances, messages and recipients. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rowsOf } from '../../src/api/daily.ts';
import { copyOf, type Row } from '../../src/history/rows.ts';
import { WRITER } from '../../src/history/schema.ts';
import { HistoryStore } from '../../src/history/store.ts';
import { kindTables, NAMES, REST } from '../../src/kinds/tables.ts';
import { Audit } from '../../src/operations/audit.ts';
import { DayBook } from '../../src/operations/book.ts';
import { keys } from '../../src/operations/keys.ts';
import { packCountries, packItems, packRequest } from '../../src/operations/slice-form.ts';
import { type FreshPostgres, freshPostgres } from '../support/fresh-postgres.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { type HistoryWorld, historyWorld, PAID, writerOf } from './history-world.ts';

const DAY_MS = 86_400_000;
const NOON = Date.parse('2026-11-22T12:00:00Z');

const store = storeOfThisFile();
let database: FreshPostgres;
let world: HistoryWorld;

beforeEach(async () => {
  database = await freshPostgres();
  world = historyWorld(store.redis, NOON);
  await new DayBook(store.redis).keepIn('Africa/Dakar', 400, NOON);
});
afterEach(() => database?.close());

async function pass(): Promise<void> {
  const writer = writerOf(store.redis, () => database.url);
  await writer.pass();
  await writer.close();
}

const MEASURES = ['accepted', 'succeeded', 'failed', 'rejected', 'cancelled', 'reversed'] as const;

async function sqlOf(day: string): Promise<Record<string, { count: number; xof: number }>> {
  const [row = {}] = await database.query<Record<string, string>>(
    `select * from relais.daily where day = '${day}' and account = 'main'`,
  );
  return Object.fromEntries(
    MEASURES.map((name) => [
      name,
      { count: Number(row[`${name}_count`] ?? 0), xof: Number(row[`${name}_xof`] ?? 0) },
    ]),
  );
}

async function reportOf(day: string): Promise<Record<string, { count: number; xof: number }>> {
  const [row] = rowsOf((await new DayBook(store.redis).day(day, '2026-12-31')).lines);
  return Object.fromEntries(MEASURES.map((name) => [name, row?.[name] ?? { count: 0, xof: 0 }]));
}

test('the day in SQL is the day of the report, to the franc, late words included', async () => {
  for (const [at, amount] of [500, 700, 1_100, 1_300, 1_700, 1_900].entries())
    await world.accept(`dsb_${at}`, amount);
  await world.go('dsb_0', ...PAID);
  await world.go('dsb_1', 'created', 'submitting', 'failed');
  await world.go('dsb_2', 'created', 'submitting', 'failed');
  await world.go('dsb_3', 'rejected');
  await world.go('dsb_4', 'cancelled');
  await world.go('dsb_5', ...PAID);
  world.turnTo(NOON + DAY_MS);
  await world.go('dsb_1', 'succeeded');
  await world.go('dsb_2', 'needs_review');
  await world.go('dsb_0', 'reversed');
  await world.go('dsb_5', 'needs_review');
  world.turnTo(NOON + 2 * DAY_MS);
  await world.go('dsb_2', 'failed');
  await world.go('dsb_5', 'reversed');
  await pass();
  for (const day of ['2026-11-22', '2026-11-23', '2026-11-24']) {
    expect({ day, ...(await sqlOf(day)) }).toEqual({ day, ...(await reportOf(day)) });
  }
  expect((await sqlOf('2026-11-23'))['failed']).toEqual({ count: -2, xof: -1_800 });
  expect((await sqlOf('2026-11-24'))['succeeded']).toEqual({ count: 1, xof: 1_900 });
});

test('events, acts and balances are there once, however often it is written', async () => {
  await world.accept('dsb_a');
  await world.go('dsb_a', ...PAID);
  await new Audit(store.redis).tell({
    by: 'maker',
    person: 'awa',
    role: 'operate',
    door: 'api',
    requestId: 'r1',
    act: 'disbursement.cancel',
    target: 'dsb_a',
    facts: { account: 'main' },
  });
  await world.balances.note('main', { at: NOON, balances: { SN: 7_000, CI: null } });
  await pass();
  await world.balances.note('main', { at: NOON + 1, balances: { SN: 6_000, CI: null } });
  await pass();
  await pass();
  expect(
    await database.query('select type, operation, sequence, data->>$$amount$$ as amount from relais.events'),
  ).toEqual([{ type: 'disbursement.succeeded', operation: 'dsb_a', sequence: '1', amount: '500' }]);
  expect(await database.query('select by_key, act, target from relais.audit')).toEqual([
    { by_key: 'maker', act: 'disbursement.cancel', target: 'dsb_a' },
  ]);
  expect(await database.query('select country, xof from relais.balances order by created_at, country')).toEqual([
    { country: 'CI', xof: null },
    { country: 'SN', xof: '7000' },
    { country: 'CI', xof: null },
    { country: 'SN', xof: '6000' },
  ]);
});

/** What people write: everything that COPY and JSON have signs of their own for. */
const AWKWARD = 'a\tb\nc\\d\r"e\' \\N é 🇸🇳 \u2028';

async function settledSlice(id: string, letters: string, rev = 3): Promise<void> {
  const items = [
    { row: 2, to: '+221771234567', values: ['Awa', AWKWARD] },
    { row: 3, to: '+2250701020304', values: ['Koffi', ''] },
  ];
  await store.redis.hset(keys.record(id), {
    id,
    kind: 'slice',
    v: 1,
    state: 'settled',
    rev,
    account: 'main',
    campaign: 'cmp_a',
    count: 2,
    countries: packCountries(['SN', 'CI']),
    ...packItems(items),
    r0: packRequest({
      is: 'over',
      part: false,
      from: 0,
      letters,
      at: NOON,
      codes: ['', 'ERROR_110'],
      looks: 0,
      dueAt: 0,
    }),
  });
}

test('each recipient of a slice that is over is a row, with what became of it', async () => {
  await store.redis.hset(keys.record('cmp_a'), {
    kind: 'campaign',
    v: 1,
    state: 'running',
    createdAt: NOON - DAY_MS,
  });
  await settledSlice('cmp_a.0f-0', 'sf');
  await pass();
  const rows = () =>
    database.query(
      'select place, rev, row_number, phone, country, state, code, sent_at, column_values from relais.recipients order by place',
    );
  expect(await rows()).toEqual([
    {
      place: '0',
      rev: '3',
      row_number: '2',
      phone: '+221771234567',
      country: 'SN',
      state: 'sent',
      code: null,
      sent_at: new Date(NOON),
      column_values: ['Awa', AWKWARD],
    },
    expect.objectContaining({ phone: '+2250701020304', country: 'CI', state: 'failed', code: 'ERROR_110' }),
  ]);
  // What the statistics said later of the slice.
  await settledSlice('cmp_a.0f-0', 'ss', 4);
  await store.redis.zadd(keys.historyWaiting, NOON, 'cmp_a.0f-0');
  await pass();
  expect(await rows()).toMatchObject([
    { state: 'sent', rev: '4' },
    { state: 'sent', rev: '4' },
  ]);
});

test('a payment that was accepted in a lost time too, and paid once, counts once', async () => {
  await world.accept('dsb_a');
  await world.go('dsb_a', ...PAID);
  await pass();
  // The copy of Redis that was put back is from before it.
  await store.redis.flushdb();
  world = historyWorld(store.redis, NOON + 60_000);
  await new DayBook(store.redis).keepIn('Africa/Dakar', 400, NOON);
  await world.accept('dsb_a');
  await world.go('dsb_a', ...PAID);
  await pass();
  expect(await database.query('select id from relais.disbursements')).toHaveLength(2);
  const once = { count: 1, xof: 500 };
  expect(await sqlOf('2026-11-22')).toMatchObject({ accepted: once, succeeded: once });
});

test('what else was accepted in a lost time too counts once, and is in doubt no more once the later one is over', async () => {
  await pass();
  const [credit, invoice] = [kindTables.direct_credit, kindTables.invoice];
  if (!credit || !invoice) throw new Error('history has no tables of them');
  const both = (row: Row): Row[] => [
    { ...row, rev: 4, state: 'needs_review', createdAt: NOON },
    { ...row, rev: 4, createdAt: NOON + 60_000 },
    { ...row, id: `${String(row['id'])}_twice`, rev: 5, createdAt: NOON },
    { ...row, id: `${String(row['id'])}_twice`, rev: 4, createdAt: NOON + 60_000 },
  ];
  const of = { account: 'main', updatedAt: NOON, since: NOON, [NAMES]: [], [REST]: {} };
  const opened = await HistoryStore.open({ url: database.url, newName: () => '', timezone: 'UTC' }, () => undefined);
  await opened.write([
    copyOf(credit, both({ ...of, id: 'crd_a', state: 'succeeded', amount: 300, accountAlias: '771000000' })),
    copyOf(invoice, both({ ...of, id: 'inv_a', state: 'completed', totalAmount: 900 })),
  ]);
  await opened.close();
  expect(
    await database.query(`select collected_count, collected_xof, credited_count, credited_xof from relais.daily`),
  ).toEqual([{ collected_count: '2', collected_xof: '1800', credited_count: '2', credited_xof: '600' }]);
  expect(await database.query('select id from relais.in_doubt')).toEqual([]);
});

test('a next version keeps what finance has built on a view, and makes one anew whose columns are others', async () => {
  await pass();
  const next = async (): Promise<void> => {
    await database.query("update relais.facts set value = '1' where name = 'version'");
    await pass();
  };
  await database.query('create view public.of_finance as select day, accepted_xof from relais.daily');
  await next();
  expect(await database.query('select * from public.of_finance')).toEqual([]);
  await database.query('drop view public.of_finance');
  await database.query('drop view relais.daily');
  await database.query('create view relais.daily as select 1 as other');
  await database.query(`alter view relais.daily owner to ${WRITER}`);
  await next();
  expect(await database.query('select accepted_xof from relais.daily')).toEqual([]);
});
