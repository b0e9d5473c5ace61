/** The hot statements use their indexes, whatever the values: no plan reads a whole table. */
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
  written_by: 'operation_op',
  read: 'operation_pkey',
} as const;

test.for(Object.entries(HOT))('%s reads by %s', async ([name, index]) => {
  const statement = loadStatements('relais').get(name);
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${statement?.text ?? ''}`);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain(index);
  expect(plan).not.toMatch(/Seq Scan on operation/);
});
