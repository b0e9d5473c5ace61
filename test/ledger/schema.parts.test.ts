/** Properties of the schema: order of keys, rights of functions, and independence of session settings. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client } from 'pg';
import { Connection, prepareSession } from '../../src/ledger/database.ts';
import { loadStatements } from '../../src/ledger/statements.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';

let ledger: FreshLedger;
beforeAll(async () => (ledger = await freshLedger()));
afterAll(() => ledger?.close());

test('every text in an index is ordered by bytes, which no upgrade of a locale library changes', async () => {
  const others = await ledger.query(
    `select i.indexrelid::regclass::text as index, pg_get_indexdef(i.indexrelid, k.nth::int, false) as key
     from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
     cross join lateral unnest(i.indcollation::oid[]) with ordinality as k(ordered_by, nth)
     join pg_collation l on l.oid = k.ordered_by
     where n.nspname = 'relais' and l.collname <> 'C' and c.relname <> 'migration' order by 1, 2`,
  );
  expect(others).toEqual([]);
});

test('a database with another encoding than UTF8 is refused', async () => {
  const name = `ascii_${systemRandom.hex(6)}`;
  await ledger.query(`create database ${name} template template0 encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'`);
  const url = Object.assign(new URL(ledger.url), { pathname: `/${name}` }).href;
  await expect(Connection.open({ url, schema: 'relais' })).rejects.toThrow('must be UTF8');
  await ledger.query(`drop database ${name}`);
});

test('a function with the rights of its owner searches no schema of the caller, and only some roles can call it', async () => {
  const definers = await ledger.query<{ name: string; searches: boolean; open: boolean }>(
    `select p.proname as name, p.proconfig @> array['search_path=pg_catalog, pg_temp'] as searches,
       coalesce((select bool_or(a.grantee = 0) from aclexplode(p.proacl) a), p.proacl is null) as open
     from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname = 'relais' and p.prosecdef order by 1`,
  );
  expect(definers.map(({ name }) => name)).toContain('enqueue');
  expect(definers.filter(({ searches, open }) => !searches || open)).toEqual([]);
});

test('a connection gives up a lock and a statement in time, and an abandoned transaction ends', async () => {
  const client = new Client({ connectionString: ledger.url });
  await client.connect();
  await prepareSession(client);
  const { rows } = await client.query(
    `select name, setting from pg_settings
     where name in ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout', 'TimeZone')`,
  );
  await client.end();
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
    lock_timeout: '1000',
    statement_timeout: '10000',
    idle_in_transaction_session_timeout: '60000',
    TimeZone: 'UTC',
  });
});

test('no statement reads the time zone of its session, or changes a setting for longer than its transaction', () => {
  const depends = /\bcurrent_(date|time)\b|\blocaltime|(\)|\bat|_at)::date\b|set_config\([^)]*false\)/;
  const inUtc = (text: string): string => text.replaceAll(/at time zone '?[\w.]+'?\)::date\b/g, '');
  const found = [...loadStatements('relais').values()].filter(({ text }) => depends.test(inUtc(text)));
  expect(found.map(({ name }) => name)).toEqual([]);
});
