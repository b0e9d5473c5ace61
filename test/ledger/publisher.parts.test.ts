/**
 * The publisher on real PostgreSQL: two at once, kills in between, rows that cannot be published, open transactions.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { Client } from 'pg';
import { AnswerLost } from '../../src/ledger/errors.ts';
import { Database } from '../../src/ledger/pool.ts';
import {
  Publisher,
  type PublisherOptions,
  RowRefused,
  publishUntil,
  publisherFigures,
  releaseRefused,
} from '../../src/ledger/publisher.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { Secret } from '../../src/lib/secret.ts';
import { type FreshLedger, freshLedger, openLedger } from '../support/fresh-ledger.ts';

let ledger: FreshLedger;
let database: Database;
beforeAll(async () => {
  ledger = await freshLedger();
  database = new Database({ url: ledger.url, schema: ledger.schema, size: 6 });
});
afterAll(async () => {
  await database?.close();
  await ledger?.close();
});
beforeEach(() =>
  ledger.query(`truncate relais.outbox, relais.event, relais.day_total, relais.closed_day, relais.audit_line;
    delete from relais.audit_chain;
    update relais.stream set position = 0, trimmed = 0, day = null; update relais.leader set process = null, lease_until = null`),
);

const toClose: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

async function connected(connectionString = ledger.url): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  toClose.push(() => client.end());
  return client;
}

const errors: unknown[] = [];
afterEach(() => void errors.splice(0));

const publisher = (process: string, more: Partial<PublisherOptions> = {}): Publisher =>
  new Publisher({
    database,
    process,
    timezone: 'Africa/Dakar',
    keepDays: 400,
    secrets: [new Secret('a secret')],
    clock: systemClock,
    onError: (error) => errors.push(error),
    ...more,
  });

const add = `insert into relais.outbox (id, account, subject, type, data, totals)
  select 'msg_' || n || '.1', 'main', 'msg_' || n, 'message.sent', '{"id": "x"}',
    jsonb_build_object('text|main|SN|sent', 1, 'text|main|SN|sentXof', n)
  from generate_series($1::int, $2::int) n`;

async function published(): Promise<readonly { position: string; id: string }[]> {
  const rows = await ledger.query<{ position: string; id: string }>(
    'select position, id from relais.event order by position',
  );
  return rows;
}

async function untilEmpty(one: Publisher): Promise<void> {
  await vi.waitUntil(async () => (await one.step()).is === 'idle', { timeout: 20_000, interval: 5 });
}

test('two publishers skip and repeat none of 20,000 events that are committed out of order', async () => {
  const MANY = 20_000;
  const EACH = 40;
  const stop = new AbortController();
  const lost: unknown[] = [];
  const running = ['a', 'b'].map((name) =>
    publishUntil(stop.signal, publisher(name, { leaseMs: 100, most: 300 }), {
      clock: systemClock,
      intervalMs: 5,
      onError: (error) => lost.push(error),
    }),
  );
  const writers = await Promise.all(Array.from({ length: 5 }, () => connected()));
  let kills = 0;
  for (let from = 1; from <= MANY; from += EACH * writers.length) {
    for (const [nth, writer] of writers.entries()) {
      await writer.query('begin');
      await writer.query(add, [from + nth * EACH, from + (nth + 1) * EACH - 1]);
    }
    // The numbers drawn last become visible first.
    for (const writer of writers.toReversed()) await writer.query('commit');
    if (from % 2_000 !== 1) continue;
    kills += 1;
    await ledger.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'relais' and query like '%relais.%'`,
    );
  }
  await vi.waitUntil(async () => (await publisherFigures(database).catch(() => undefined))?.waiting === 0);
  stop.abort();
  await Promise.all(running);
  const events = await published();
  expect(events.map(({ position }) => Number(position))).toEqual(events.map((_, at) => at + 1));
  expect(new Set(events.map(({ id }) => id)).size).toBe(MANY);
  expect(events).toHaveLength(MANY);
  const [total] = await ledger.query<{ count: string; xof: string }>('select count, xof from relais.day_total');
  expect(total).toMatchObject({ count: String(MANY), xof: String((MANY * (MANY + 1)) / 2) });
  expect(kills).toBe(10);
  for (const error of lost) expect(error).toBeInstanceOf(AnswerLost);
  expect(errors.filter((error) => !(error instanceof AnswerLost))).toEqual([]);
});

test('a process that stops with the lease is replaced when the lease ends, and one that resigns at once', async () => {
  let now = Date.parse('2026-11-22T10:00:00Z');
  const at = { now: () => new Date(now), leaseMs: 3_000 };
  const [first, second] = [publisher('a', at), publisher('b', at)];
  await ledger.query(add.replaceAll('$1::int', '1').replaceAll('$2::int', '1'));
  expect(await first.step()).toMatchObject({ is: 'published', rows: 1 });
  await ledger.query(add.replaceAll('$1::int', '2').replaceAll('$2::int', '2'));
  expect((await second.step()).is).toBe('not leading');
  now += 3_000;
  expect(await second.step()).toMatchObject({ is: 'published', rows: 1 });
  await ledger.query(add.replaceAll('$1::int', '3').replaceAll('$2::int', '3'));
  expect((await first.step()).is).toBe('not leading');
  await second.resign();
  expect(await first.step()).toMatchObject({ is: 'published', rows: 1 });
});

test('a process that is frozen within its transaction is cut off by PostgreSQL after the lease', async () => {
  const [row] = await database.transaction((run) =>
    run<{ idle_timeout: string }>('lead_publisher', ['frozen', 3_000, null]),
  );
  expect(row?.idle_timeout).toBe('3s');
  await ledger.query('update relais.leader set lease_until = null');
  let cutOff: unknown;
  const frozen = database
    .transaction(async (run) => {
      await run('lead_publisher', ['frozen', 50, null]);
      await ledger.query(add.replaceAll('$1::int', '1').replaceAll('$2::int', '1'));
      await untilEmpty(publisher('b'));
    })
    .catch((error: unknown) => (cutOff = error));
  await frozen;
  expect(cutOff).toBeInstanceOf(AnswerLost);
  expect(await published()).toHaveLength(1);
});

test('a row that cannot be published is quarantined with its reason, and the others continue', async () => {
  const client = await connected();
  await client.query(add, [1, 700]);
  await client.query(
    `update relais.outbox set totals = '{"text|main|SN|sent": "many"}' where id in ('msg_5.1', 'msg_600.1')`,
  );
  await untilEmpty(publisher('a'));
  expect(await published()).toHaveLength(698);
  expect((await published()).map(({ position }) => Number(position)).at(-1)).toBe(698);
  expect(errors).toEqual([expect.any(RowRefused), expect.any(RowRefused)]);
  expect(new Set(errors.map((error) => (error as RowRefused).event))).toEqual(new Set(['msg_5.1', 'msg_600.1']));
  expect(await publisherFigures(database)).toMatchObject({ waiting: 0, refused: 2, position: 698 });
  await client.query(`update relais.outbox set totals = '{}'`);
  expect(await releaseRefused(database)).toBe(2);
  await untilEmpty(publisher('a'));
  expect(await published()).toHaveLength(700);
});

test('a transaction that another session holds open delays its own events alone', async () => {
  const [holder, other] = [await connected(), await connected()];
  await holder.query('begin');
  await holder.query(add, [1, 3]);
  await other.query(add, [4, 6]);
  await other.query('begin isolation level repeatable read');
  await other.query(`select from relais.outbox where id = 'msg_5.1' for update`);
  expect(await publisher('a').step()).toMatchObject({ is: 'published', rows: 2 });
  expect((await published()).map(({ id }) => id)).toEqual(['msg_4.1', 'msg_6.1']);
  await other.query('rollback');
  await holder.query('commit');
  await untilEmpty(publisher('a'));
  expect((await published()).map(({ id }) => id)).toEqual([
    'msg_4.1',
    'msg_6.1',
    'msg_1.1',
    'msg_2.1',
    'msg_3.1',
    'msg_5.1',
  ]);
});

/** Shows the rows of the outbox after the last one that was published, as a cursor does. */
const BY_CURSOR = `alter table relais.outbox rename to outbox_row;
  create table relais.outbox_cursor as select 0::bigint as last;
  create view relais.outbox as
    select * from relais.outbox_row where sequence > (select last from relais.outbox_cursor);
  create function relais.move_cursor() returns trigger language plpgsql as
    'begin update relais.outbox_cursor set last = greatest(last, old.sequence); return null; end';
  create trigger move_cursor after delete on relais.outbox_row for each row execute function relais.move_cursor()`;

test.for([
  ['is published, since rows are taken because they exist', 'select', ['msg_2.1', 'msg_1.1']],
  ['would be skipped if rows were taken by a cursor', BY_CURSOR, ['msg_2.1']],
] as const)('an event that is committed after a later one %s', async ([, change, expected]) => {
  const bare = await openLedger();
  toClose.push(() => bare.close());
  await bare.query(change);
  const [late, soon] = [await connected(bare.url), await connected(bare.url)];
  await late.query('begin');
  await late.query(add, [1, 1]);
  await soon.query(add, [2, 2]);
  const one = publisher('a', { database: bare.database });
  await untilEmpty(one);
  await late.query('commit');
  await untilEmpty(one);
  const rows = await bare.query<{ id: string }>('select id from relais.event order by position');
  expect(rows.map(({ id }) => id)).toEqual(expected);
});

test('totals without an event count, and get no position', async () => {
  await ledger.query(
    `insert into relais.outbox (totals) values ('{"disbursement|main|wallet-a-senegal|=doubt": 1, "disbursement|main|wallet-a-senegal|=doubtXof": 500}')`,
  );
  await untilEmpty(publisher('a'));
  expect(await published()).toEqual([]);
  expect(await ledger.query('select account, mode, item, count, xof from relais.day_total')).toEqual([
    { account: 'main', mode: 'wallet-a-senegal', item: 'disbursement.=doubt', count: '1', xof: '500' },
  ]);
});
