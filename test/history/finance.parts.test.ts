/** Each question of docs/finance.md is asked as it stands there, with no other right than to read, of rows that relais wrote. */
import { readFileSync } from 'node:fs';
import { Client, types } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Audit } from '../../src/operations/audit.ts';
import { keys } from '../../src/operations/keys.ts';
import { packCountries, packItems, packRequest } from '../../src/operations/slice-form.ts';
import { type FreshPostgres, freshPostgres } from '../support/fresh-postgres.ts';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';
import { type HistoryWorld, historyWorld, PAID, writerOf } from './history-world.ts';

const DAY_MS = 86_400_000;
const NOON = Date.parse('2026-11-22T12:00:00Z');

const page = readFileSync(new URL('../../docs/finance.md', import.meta.url), 'utf8');
const questions = new Map(
  [...page.matchAll(/^## (.+)\n\n```sql\n([^`]+)```/gm)].map(([, title = '', sql = '']) => [title, sql] as const),
);

let fresh: FreshRedis;
let database: FreshPostgres;
let world: HistoryWorld;
let reader: Client;

beforeAll(async () => {
  [fresh, database] = [await freshRedis(), await freshPostgres()];
  world = historyWorld(fresh.redis, NOON);
  await happened();
  const writer = writerOf(fresh.redis, () => database.url);
  await writer.pass();
  await world.balances.note('main', { at: NOON + DAY_MS, balances: { SN: 7_950 } });
  await writer.pass();
  await writer.close();
  reader = new Client({ connectionString: database.url });
  await reader.connect();
  await reader.query("set timezone to 'UTC'");
  await reader.query('set role relais_reader');
  await reader.query('create temp table statement (transaction_id text, amount bigint)');
  await reader.query("insert into statement values ('TX-a', 500), ('TX-c', 901), ('TX-theirs', 60)");
});
afterAll(async () => {
  await reader?.end();
  await database?.close();
  await fresh?.close();
});

/** Two days of November: five payments, one of them twice, one in doubt, one that came back; and two texts. */
async function happened(): Promise<void> {
  await world.balances.note('main', { at: NOON, balances: { SN: 10_000, CI: null } });
  await asked('dsb_a', { amount: 500, transactionId: 'TX-a' });
  await asked('dsb_b', { amount: 500, transactionId: 'TX-b' });
  await asked('dsb_c', { amount: 900, accountAlias: '772222222', transactionId: 'TX-c' });
  await asked('dsb_d', { amount: 1_300, transactionId: 'TX-d' });
  await asked('dsb_e', { amount: 40, accountAlias: '772222222' });
  await approved('dsb_a', 'awa');
  await approved('dsb_c', 'awa');
  await approved('dsb_d', 'binta');
  await world.go('dsb_a', ...PAID);
  await world.go('dsb_b', ...PAID);
  await world.go('dsb_d', ...PAID);
  await world.go('dsb_e', 'created', 'submitting', 'needs_review');
  world.turnTo(NOON + DAY_MS);
  await world.go('dsb_c', ...PAID);
  await world.go('dsb_d', 'reversed');
  await texted();
}

const asked = (id: string, fields: object) =>
  world.ask(id, {
    xof: 500,
    fields: { accountAlias: '771000000', disburseId: id, withdrawMode: 'wallet-a-senegal', ...fields },
  });

const approved = (target: string, person: string) =>
  new Audit(fresh.redis).tell({
    by: 'checker',
    person,
    role: 'approve',
    door: 'api',
    requestId: `r-${target}`,
    act: 'disbursement.approve',
    target,
    facts: { account: 'main' },
  });

async function texted(): Promise<void> {
  const common = { v: 1, account: 'main' };
  await fresh.redis.hset(keys.record('cmp_a'), { ...common, kind: 'campaign', state: 'running', createdAt: NOON });
  const items = ['+221771234567', '+221772222222', '+2250701020304'].map((to, at) => ({
    row: at + 2,
    to,
    values: [],
  }));
  const over = { is: 'over', part: false, from: 0, at: NOON, looks: 0, dueAt: 0 } as const;
  await fresh.redis.hset(keys.record('cmp_a.0f-0'), {
    ...common,
    id: 'cmp_a.0f-0',
    kind: 'slice',
    state: 'settled',
    rev: 3,
    campaign: 'cmp_a',
    count: 3,
    countries: packCountries(['SN', 'SN', 'CI']),
    ...packItems(items),
    r0: packRequest({ ...over, letters: 'sfs', codes: ['', 'ERROR_110', ''] }),
  });
}

const answers: Readonly<Record<string, readonly object[]>> = {
  'What was paid on each day, by account and wallet?': [
    {
      day: '2026-11-22',
      account: 'main',
      withdraw_mode: 'wallet-a-senegal',
      succeeded_count: '3',
      succeeded_xof: '2300',
    },
    {
      day: '2026-11-23',
      account: 'main',
      withdraw_mode: 'wallet-a-senegal',
      succeeded_count: '1',
      succeeded_xof: '900',
    },
  ],
  'What did this person receive?': [
    {
      asked: '2026-11-22',
      amount: '500',
      state: 'succeeded',
      account: 'main',
      reference: 'of-dsb_a',
      transaction_id: 'TX-a',
    },
    {
      asked: '2026-11-22',
      amount: '500',
      state: 'succeeded',
      account: 'main',
      reference: 'of-dsb_b',
      transaction_id: 'TX-b',
    },
    {
      asked: '2026-11-22',
      amount: '1300',
      state: 'reversed',
      account: 'main',
      reference: 'of-dsb_d',
      transaction_id: 'TX-d',
    },
  ],
  'Which payments are in doubt, for how much, and how old?': [
    {
      kind: 'disbursement',
      id: 'dsb_e',
      account: 'main',
      reference: 'of-dsb_e',
      xof: '40',
      days: expect.any(Number),
    },
  ],
  'What came back after it had been paid, and when?': [
    { id: 'dsb_d', account: 'main', amount: '1300', paid: '2026-11-22', came_back: '2026-11-23' },
  ],
  'What did each account have left, what was paid, and what is the rest?': [
    { day: '2026-11-22', account: 'main', left_over: '10000', paid: '2300', rest: null },
    // 900 went and 1,300 came back, and yet 2,050 are gone.
    { day: '2026-11-23', account: 'main', left_over: '7950', paid: '-400', rest: '2450' },
  ],
  'What did a campaign cost, and how many failed, by country?': [
    { country: 'CI', people: '1', sent: '1', failed_percent: '0.0', xof: '15' },
    { country: 'SN', people: '2', sent: '1', failed_percent: '50.0', xof: '12' },
  ],
  'What does the statement of the service say, and what do we?': [
    { transaction: 'TX-b', id: 'dsb_b', ours: '500', theirs: null },
    { transaction: 'TX-c', id: 'dsb_c', ours: '900', theirs: '901' },
    { transaction: 'TX-theirs', id: null, ours: null, theirs: '60' },
  ],
  'Which person was paid the same amount twice on a day?': [
    { day: '2026-11-22', person: 'p:SN 771000000', amount: '500', times: '2', ids: ['dsb_a', 'dsb_b'] },
  ],
  'What did each person approve?': [
    { person: 'awa', act: 'disbursement.approve', times: '2', xof: '1400' },
    { person: 'binta', act: 'disbursement.approve', times: '1', xof: '1300' },
  ],
  'Does the month close?': [
    {
      account: 'main',
      accepted: '3240',
      paid: '3200',
      not_paid: '0',
      carried: '40',
      came_back: '1300',
      collected: '0',
      credited: '0',
    },
  ],
};

test('each question of the page has its answer here', () => {
  expect([...questions.keys()]).toEqual(Object.keys(answers));
});

test.for(Object.keys(answers))('%s', async (title) => {
  const { rows } = await reader.query({ text: questions.get(title) ?? '', types: { getTypeParser } });
  expect(rows).toEqual(answers[title]);
});

/** A day as it is written: it has no hour that a time zone could turn. */
function getTypeParser(...[oid, ...rest]: Parameters<Client['getTypeParser']>) {
  return oid === types.builtins.DATE ? (text: string) => text : reader.getTypeParser(oid, ...rest);
}
