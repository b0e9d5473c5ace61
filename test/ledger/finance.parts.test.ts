/** The views for finance: the queries of docs/finance.md, and the columns that other programs use. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { insertOperations } from '../support/ledger-rows.ts';

const page = readFileSync(new URL('../../docs/finance.md', import.meta.url), 'utf8');
const questions = new Map(
  [...page.matchAll(/^## (.+)\n\n```sql\n([^`]+)```/gm)].map(([, title = '', sql = '']) => [title, sql] as const),
);

let ledger: FreshLedger;
beforeAll(async () => {
  ledger = await freshLedger();
  await happened();
});
afterAll(() => ledger?.close());

const NOON = '2026-11-22T12:00:00Z';
const NEXT = '2026-11-23T12:00:00Z';

const move = (id: string, state: string, at: string) =>
  ledger.query(`update relais.operation set state = '${state}', since = '${at}',
    finished_at = case when '${state}' in ('succeeded', 'failed', 'reversed') then '${at}'::timestamptz end where id = '${id}'`);

const asked = (id: string, more: object) =>
  insertOperations(ledger, [
    {
      id,
      reference: `of-${id}`,
      state: 'pending',
      beneficiary: 'SN 771000000',
      provider_id: id,
      created_at: NOON,
      request: { accountAlias: '771000000', withdrawMode: 'wallet-a-senegal' },
      ...more,
    },
  ]);

/** Two days: five payments, one of them twice, one in doubt, one returned; an invoice and a credit. */
async function happened(): Promise<void> {
  await asked('dsb_a', { amount: 500, transaction_id: 'TX-a' });
  await asked('dsb_b', { amount: 500, transaction_id: 'TX-b' });
  await asked('dsb_c', { amount: 900, beneficiary: 'SN 772222222', transaction_id: 'TX-c' });
  await asked('dsb_d', { amount: 1_300, transaction_id: 'TX-d' });
  await asked('dsb_e', { amount: 40, beneficiary: 'SN 772222222' });
  await asked('inv_a', { kind: 'invoice', amount: 2_000, facts: { amountPaid: 1_900 } });
  for (const id of ['dsb_a', 'dsb_b', 'dsb_d']) await move(id, 'succeeded', NOON);
  await move('dsb_e', 'needs_review', NOON);
  await move('dsb_c', 'succeeded', NEXT);
  await move('dsb_d', 'reversed', NEXT);
  await ledger.query(
    `update relais.operation set state = 'completed', finished_at = '${NEXT}', since = '${NEXT}' where id = 'inv_a'`,
  );
  await ledger.query(`insert into relais.event (position, id, account, subject, type, data, at)
    values (1, 'dsb_d.3', 'main', 'dsb_d', 'disbursement.succeeded', '{}', '${NOON}')`);
  await ledger.query(`insert into relais.balance (account, country, at, xof)
    values ('main', 'SN', '${NOON}', 10000), ('main', 'SN', '${NEXT}', 7950)`);
  await ledger.query('create table statement (transaction_id text, amount bigint)');
  await ledger.query("insert into statement values ('TX-a', 500), ('TX-c', 901), ('TX-theirs', 60)");
  await ledger.query(`with c as (
      insert into relais.campaign (id, account, fingerprint, name, body, state, recipients, open, created_by, created_at)
      values ('cmp_a', 'main', '', 'November', 'Bonjour', 'running', 3, 1, 'maker', '${NOON}') returning number),
    r as (insert into relais.recipient (campaign, n, row, phone, variables, own)
      select c.number, p.n, p.n + 2, p.phone, p.variables, null
      from c, (values (0, 221771234567, 'Awa\\tNdiaye\tx'), (1, 221772222222, ''), (2, 2250701020304, null)) as p(n, phone, variables))
    insert into relais.sms_request (campaign, n, size, state, outcome, codes, sent_at)
    select c.number, 0, 3, 'settled', 'sfs', '- ERROR_110 -', '${NOON}' from c`);
  await ledger.query(`insert into relais.left_out_row (campaign, tag, n, row, written, reason)
    select number, 'a1', 0, 5, '77 12', 'not a phone number' from relais.campaign`);
  await ledger.query(`insert into relais.audit (at, by, person, role, source, act, target)
    values ('${NOON}', 'checker', 'awa', 'approve', 'api', 'disbursement.approve', 'dsb_a'),
      ('${NOON}', 'checker', 'awa', 'approve', 'api', 'disbursement.approve', 'dsb_c')`);
}

const answers: Readonly<Record<string, readonly object[]>> = {
  'Paid on each day, by account and wallet': [
    { succeeded_count: '3', succeeded_xof: '2300', account: 'main', withdraw_mode: 'wallet-a-senegal' },
    { succeeded_count: '1', succeeded_xof: '900', account: 'main', withdraw_mode: 'wallet-a-senegal' },
  ],
  'Payments to one person': [
    { amount: '500', state: 'succeeded', reference: 'of-dsb_a', transaction_id: 'TX-a' },
    { amount: '500', state: 'succeeded', reference: 'of-dsb_b', transaction_id: 'TX-b' },
    { amount: '1300', state: 'reversed', reference: 'of-dsb_d', transaction_id: 'TX-d' },
  ],
  'Payments in doubt, with amount and age': [
    { kind: 'disbursement', id: 'dsb_e', account: 'main', reference: 'of-dsb_e', xof: '40' },
  ],
  'Payments that came back': [{ id: 'dsb_d', account: 'main', amount: '1300' }],
  'Balance, payments and difference by day': [
    { account: 'main', left_over: '10000', paid: '2300', rest: null },
    { account: 'main', left_over: '7950', paid: '-400', rest: '2450' },
  ],
  'Cost and failures of a campaign, by country': [
    { country: 'CI', people: '1', sent: '1', failed_percent: '0.0', xof: '15' },
    { country: 'SN', people: '2', sent: '1', failed_percent: '50.0', xof: '12' },
    { country: null, people: '1', sent: '0', failed_percent: '0.0', xof: null },
  ],
  'Comparison with a statement of the provider': [
    { transaction: 'TX-b', id: 'dsb_b', ours: '500', theirs: null },
    { transaction: 'TX-c', id: 'dsb_c', ours: '900', theirs: '901' },
    { transaction: 'TX-theirs', id: null, ours: null, theirs: '60' },
  ],
  'Same amount to one person twice on a day': [
    { person: 'p:SN 771000000', amount: '500', times: '2', ids: ['dsb_a', 'dsb_b'] },
  ],
  'Approvals by person': [{ person: 'awa', act: 'disbursement.approve', times: '2', xof: '1400' }],
  'Month-end check': [
    {
      account: 'main',
      accepted: '3240',
      paid: '3200',
      not_paid: '0',
      carried: '40',
      came_back: '1300',
      collected: '1900',
      credited: '0',
    },
  ],
};

test.for(Object.entries(answers))('%s', async ([title, expected]) => {
  const rows = await ledger.query<object>(questions.get(title) ?? '');
  expect(rows).toMatchObject([...expected]);
});

test('a day is one of the time zone of the deployment', async () => {
  const late = '2026-11-22T23:30:00Z';
  await asked('dsb_late', { amount: 70, account: 'late', created_at: late });
  const days = () => ledger.query(`select day::text, accepted_xof from relais.daily where account = 'late'`);
  expect(await days()).toEqual([{ day: '2026-11-22', accepted_xof: '70' }]);
  await ledger.query(`update relais.deployment set timezone = 'Africa/Porto-Novo'`);
  expect(await days()).toEqual([{ day: '2026-11-23', accepted_xof: '70' }]);
  await ledger.query(`update relais.deployment set timezone = 'UTC'`);
});

/** Names and order of the columns in docs/history.md. */
const columns = {
  disbursements:
    'id rev state account reference created_at updated_at since amount account_alias withdraw_mode disburse_id token transaction_id provider_ref reason late batch approved_by resolved_by note names record',
  audit: 'place by_key person role door request_id act target before after hash created_at',
  events: 'place type operation sequence account data created_at position id at',
  balances: 'account country xof created_at',
  recipients:
    'slice place rev campaign account row_number phone country state code sent_at column_values reason resent own created_at',
  in_doubt: 'kind id state account reference xof created_at since',
  daily:
    'day account withdraw_mode accepted_count accepted_xof succeeded_count succeeded_xof failed_count failed_xof reversed_count reversed_xof rejected_count rejected_xof cancelled_count cancelled_xof collected_count collected_xof credited_count credited_xof',
} as const;

test.for(Object.entries(columns))('the view %s has the columns that are documented', async ([view, names]) => {
  const rows = await ledger.query<{ column_name: string }>(
    `select column_name from information_schema.columns where table_schema = 'relais' and table_name = '${view}'`,
  );
  expect(rows.map((row) => row.column_name)).toEqual(expect.arrayContaining(names.split(' ')));
});

test('a payment that failed after all was never paid, and one that came back was paid on its day', async () => {
  await asked('dsb_x', { amount: 10, account: 'turned' });
  await move('dsb_x', 'succeeded', NOON);
  await move('dsb_x', 'needs_review', NEXT);
  const sums = () =>
    ledger.query(`select day, succeeded_xof, failed_xof from relais.daily where account = 'turned' order by day`);
  expect(await sums()).toEqual([{ day: expect.any(Date), succeeded_xof: '10', failed_xof: '0' }]);
  await move('dsb_x', 'failed', NEXT);
  expect(await sums()).toEqual([
    { day: expect.any(Date), succeeded_xof: '0', failed_xof: '0' },
    { day: expect.any(Date), succeeded_xof: '0', failed_xof: '10' },
  ]);
});

test('a recipient has the values of its row, and a row that was left out its reason', async () => {
  const rows = await ledger.query(
    'select row_number, phone, state, column_values, reason, sent_at from relais.recipients order by row_number',
  );
  expect(rows).toMatchObject([
    {
      row_number: '2',
      phone: '+221771234567',
      state: 'sent',
      column_values: ['Awa\tNdiaye', 'x'],
      sent_at: new Date(NOON),
    },
    { row_number: '3', state: 'failed', column_values: [''] },
    { row_number: '4', phone: '+2250701020304', state: 'sent', column_values: null },
    { row_number: '5', phone: '77 12', state: 'skipped', reason: 'not a phone number', sent_at: null },
  ]);
});

test('every question of the page is asked here', () => {
  expect([...questions.keys()].toSorted()).toEqual(Object.keys(answers).toSorted());
});
