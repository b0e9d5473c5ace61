/** Lists read equally few rows at any depth, also with PostgreSQL's generic plan. */
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadStatements } from '../../src/ledger/statements.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';

const ROWS = 100_000;
const OLD = '2026-01-03T00:00:00Z';
const STATES = "'queued', 'pending', 'succeeded', 'failed', 'needs_review'";

let ledger: FreshLedger;
let client: Client;
beforeAll(async () => {
  ledger = await freshLedger();
  client = new Client({ connectionString: ledger.url });
  await client.connect();
  await client.query(`insert into relais.operation (id, kind, account, reference, fingerprint, state, amount, beneficiary, batch,
      token, transaction_id, provider_ref, provider_id, metadata, request, created_by, schema_version, op, created_at, since, finished_at, queue, due_at)
    select 'op_' || n, case n % 4 when 0 then 'message' else 'disbursement' end, 'a' || n % 5, 'r' || n, '',
      (array[${STATES}])[1 + n % 5], n % 1000 + 1, 'SN ' || n % 100, 'bat_' || n % 50, 't' || n, 'x' || n, 'p' || n, 'd' || n,
      jsonb_build_object('orderId', n::text), '{}', 'x', 1, gen_random_uuid(), '2026-01-01'::timestamptz + n * interval '1 min',
      '2026-01-01'::timestamptz + n * interval '1 min', case when n % 5 in (2, 3) then now() end,
      case when n % 5 = 0 then 'disbursement' end, case when n % 5 = 0 then now() end
    from generate_series(1, ${ROWS}) n`);
  await client.query(loadStatements('relais').get('fold_counts')?.text ?? '');
  await client.query('vacuum analyze relais.operation');
  await client.query('set plan_cache_mode = force_generic_plan');
});
afterAll(async () => {
  await client?.end();
  await ledger?.close();
});

type Value = string | number | null | readonly string[];

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** Rows read by scans, and the indexes used. */
async function readBy(name: string, values: readonly Value[]) {
  const { text = '', params = [] } = loadStatements('relais').get(name) ?? {};
  const types = params.length === 0 ? '' : `(${params.map(({ type }) => type).join(', ')})`;
  await client.query(`prepare asked ${types} as ${text}`);
  try {
    const list = values.map((value, at) => `${literal(value)}::${params[at]?.type ?? 'text'}`).join(', ');
    const { rows } = await client.query<{ 'QUERY PLAN': readonly { Plan: Plan }[] }>(
      `explain (analyze, format json) execute asked ${list === '' ? '' : `(${list})`}`,
    );
    const scans = rows[0]?.['QUERY PLAN'].flatMap(({ Plan: plan }) => scansIn(plan)) ?? [];
    const read = scans.map(
      (one) => (one['Actual Rows'] + (one['Rows Removed by Filter'] ?? 0)) * one['Actual Loops'],
    );
    return {
      rows: read.reduce((all, one) => all + one, 0),
      indexes: scans.flatMap((one) => (one['Actual Loops'] > 0 && one['Index Name']) || []),
      whole: scans.filter((one) => one['Node Type'] === 'Seq Scan' && one['Relation Name'] === 'operation').length,
    };
  } finally {
    await client.query('deallocate asked');
  }
}

function scansIn(plan: Plan): readonly Plan[] {
  const below = (plan.Plans ?? []).flatMap(scansIn);
  return plan['Relation Name'] === undefined && plan['Index Name'] === undefined ? below : [plan, ...below];
}

function literal(value: Value): string {
  if (value === null) return 'null';
  return typeof value === 'object' ? `'{${value.join(',')}}'` : `'${value}'`;
}

const LIMIT = 50;
const filters = (over: Partial<Record<string, Value>>): readonly Value[] =>
  ['kind accounts states min max beneficiary batch token transaction ref id metadata'].flatMap((names) =>
    names.split(' ').map((name) => over[name] ?? (name === 'kind' ? 'disbursement' : null)),
  );
const walk = (over: Partial<Record<string, Value>>, before: string) => [
  ...filters(over),
  '-infinity',
  before,
  '',
  5_000,
  LIMIT + 2,
];
function byState(accounts: readonly string[], states: readonly string[], before: string): readonly Value[] {
  const most = LIMIT + 1 + accounts.length * states.length;
  return ['disbursement', accounts, states, null, null, '-infinity', before, '', LIMIT + 1, most];
}

interface Case {
  readonly statement: string;
  readonly index: string;
  readonly values: (before: string) => readonly Value[];
  /** Maximum rows read by scans. */
  readonly most: number;
}

const cases: readonly Case[] = [
  { statement: 'places_by_kind', index: 'operation_new', values: (at) => walk({}, at), most: 60 },
  {
    statement: 'places_by_beneficiary',
    index: 'operation_beneficiary',
    values: (at) => walk({ beneficiary: 'SN 7' }, at),
    most: 60,
  },
  { statement: 'places_by_batch', index: 'operation_batch', values: (at) => walk({ batch: 'bat_7' }, at), most: 60 },
  {
    statement: 'places_by_state',
    index: 'operation_list',
    values: (at) => byState(['a2'], ['succeeded'], at),
    most: 60,
  },
  {
    statement: 'places_by_state',
    index: 'operation_list',
    values: (at) => byState(['a1', 'a2', 'a3'], ['succeeded', 'failed', 'pending'], at),
    most: 9 * 60,
  },
  {
    statement: 'places_by_name',
    index: 'operation_token',
    values: (at) => walk({ token: 't2001' }, at),
    most: 20,
  },
  {
    statement: 'places_by_name',
    index: 'operation_disburse_tx',
    values: (at) => walk({ transaction: 'x2001' }, at),
    most: 20,
  },
  {
    statement: 'places_by_metadata',
    index: 'operation_pkey',
    values: (at) => walk({ metadata: '{"orderId": "2001"}' }, at),
    most: 20,
  },
];

test.for(
  cases.flatMap((one) => [
    { ...one, before: 'infinity' },
    { ...one, before: OLD },
  ]),
)('$statement reads $index from $before, $most rows at most', async ({ statement, index, values, most, before }) => {
  const { rows, indexes, whole } = await readBy(statement, values(before));
  expect(indexes).toContain(index);
  expect(whole).toBe(0);
  expect(rows).toBeLessThanOrEqual(most);
});

test('the search for metadata uses their index with any plan, and stops at its limit', async () => {
  const { rows } = await client.query<{ id: string }>(
    `select relais.ids_with_metadata('{"orderId": "77"}', 10) as id`,
  );
  expect(rows).toEqual([{ id: 'op_77' }]);
  await client.query('set enable_seqscan = off');
  const { rows: plan } = await client.query<{ 'QUERY PLAN': string }>(
    `explain select id from relais.operation where metadata @> '{"orderId": "77"}' limit 10`,
  );
  await client.query('reset enable_seqscan');
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('operation_metadata');
});

test('a rare amount is searched only in the index of the list', async () => {
  const values = ['disbursement', ['a0'], ['queued'], 999_999, null, '-infinity', 'infinity', '', 5_000, 60];
  const { rows, indexes } = await readBy('places_by_state', values);
  expect(indexes).toEqual(['operation_list']);
  expect(rows).toBeLessThanOrEqual(5_000);
});

const figures: readonly (readonly [string, readonly Value[], string, number])[] = [
  ['count_states', ['disbursement'], 'operation_open', 50_000],
  ['places_in_review', [['disbursement', 'invoice'], null, '-infinity', '', 51], 'operation_open', 110],
  ['oldest_in_state', ['disbursement', 'pending'], 'operation_open', 10],
  ['due_by_account', ['disbursement', null], 'operation_due', 21_000],
  ['find_operations', ['t77', [], null, 50], 'operation_token', 10],
  ['find_operations', ['77', ['SN 7'], null, 50], 'operation_beneficiary', 60],
  ['ids_of_reference', ['disbursement', 'r77', null], 'operation_reference', 5],
  ['recent_payments', [['SN 1', 'SN 2'], null, ['succeeded'], '2026-03-01', 'bat_x'], 'operation_beneficiary', 2_100],
];
test.for(figures)('%s reads only what it returns', async ([statement, values, index, most]) => {
  const { rows, indexes, whole } = await readBy(statement, values);
  expect(indexes).toContain(index);
  expect(whole).toBe(0);
  expect(rows).toBeLessThanOrEqual(most);
});

test('a sum reads the index of the list, and no row of another account', async () => {
  const values = [
    ...filters({ accounts: ['a0', 'a1'], states: ['succeeded', 'queued'] }),
    '-infinity',
    'infinity',
    100_000,
    'state',
  ];
  const { rows, indexes, whole } = await readBy('sum_operations', values);
  expect(new Set(indexes)).toEqual(new Set(['operation_list']));
  expect(whole).toBe(0);
  expect(rows).toBeLessThanOrEqual(30_000);
});
