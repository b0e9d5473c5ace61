/** The frequent statements use their indexes for any values: no plan scans a whole table. */
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadStatements } from '../../src/ledger/statements.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';

let ledger: FreshLedger;
let client: Client;
beforeAll(async () => {
  ledger = await freshLedger();
  client = new Client({ connectionString: ledger.url });
  await client.connect();
  await client.query(`insert into relais.operation (id, kind, account, reference, fingerprint, state, queue, request, created_by, schema_version, op, due_at)
    select 'dsb_' || n, 'disbursement', 'a' || n % 5, 'r' || n, '', 'queued', 'disbursement', '{}', 'x', 1, gen_random_uuid(),
      case when n % 100 = 0 then now() end from generate_series(1, 20000) n`);
  await client.query('analyze relais.operation');
});
afterAll(async () => {
  await client?.end();
  await ledger?.close();
});

const HOT = {
  claim: 'operation_due',
  identities: 'operation_pkey',
  signal: 'operation_pkey',
  written_by: 'operation_pkey',
  read: 'operation_pkey',
} as const;

test.for(Object.entries(HOT))('%s reads by %s', async ([name, index]) => {
  const statement = loadStatements('relais').get(name);
  await client.query(`set plan_cache_mode = force_generic_plan; prepare ${name} as ${statement?.text ?? ''}`);
  const values = statement?.params.map(() => 'null').join() ?? '';
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain execute ${name} (${values})`);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain(index);
  expect(plan).not.toMatch(/Seq Scan on operation/);
});

test('a planned statement reads by its index though it was first run while the table was empty', async () => {
  const fresh = await freshLedger();
  const session = new Client({ connectionString: fresh.url });
  await session.connect();
  try {
    const { call = '' } = loadStatements('relais').get('claim') ?? {};
    const claim = () => session.query(call, ['disbursement', ['a1'], 1, 1_000, 1, null, 'one', 'one/read']);
    await session.query(`insert into relais.mark (lane) values ('one/read')`);
    for (let time = 0; time < 10; time += 1) await claim();
    await session.query('alter table relais.operation set (autovacuum_enabled = off)');
    await session.query(`insert into relais.operation (id, kind, account, fingerprint, state, queue, request, created_by, schema_version, op, due_at)
      select 'dsb_' || n, 'disbursement', 'a' || n % 5, '', 'queued', 'disbursement', '{}', 'x', 1, gen_random_uuid(), now()
      from generate_series(1, 5000) n`);
    await session.query('begin');
    expect((await claim()).rowCount).toBe(1);
    const { rows: scans } = await session.query<{ scans: string }>(
      `select seq_scan as scans from pg_stat_xact_user_tables where relid = 'relais.operation'::regclass`,
    );
    await session.query('commit');
    expect(scans).toEqual([{ scans: '0' }]);
    const { rows } = await session.query<{ enable_seqscan: string }>('show enable_seqscan');
    expect(rows).toEqual([{ enable_seqscan: 'on' }]);
  } finally {
    await session.end();
    await fresh.close();
  }
});
