/** Refused requests, budgets and paused queues. */
import { expect, test } from 'vitest';
import { Budgets } from '../../src/ledger/budgets.ts';
import { MoneyLimits } from '../../src/ledger/limits.ts';
import { Rejections } from '../../src/ledger/rejections.ts';
import { Switches } from '../../src/ledger/switches.ts';
import type { Rejection } from '../../src/kinds/intake.ts';
import { ledgerOfThisFile } from '../support/ledger-of-file.ts';

const ledger = ledgerOfThisFile('intake', 'outbox', 'audit_line', 'switch', 'sms_cost', 'limit_value');

const rejected = (nth: number, account = 'main'): Rejection => ({
  id: `rej_${nth}`,
  jobId: `${nth}`,
  kind: 'disbursement',
  account,
  reference: `order-${nth}`,
  problems: [{ pointer: '/amount', message: 'is required' }],
});

test('a refusal is stored once, and listed in pages, newest first, of accounts that are meant', async () => {
  const rejections = new Rejections({ database: ledger.database });
  for (let nth = 0; nth < 7; nth += 1) {
    expect(await rejections.add(rejected(nth, nth % 3 === 0 ? 'other' : 'main'))).toBe(true);
  }
  expect(await rejections.add(rejected(4))).toBe(false);
  const pages: string[][] = [];
  for (let before: string | undefined; ; ) {
    const isMeant = (account: string): boolean => account === 'main';
    const { items, next } = await rejections.page({ before, limit: 3, isMeant });
    pages.push(items.map(({ id }) => id));
    expect(items[0]).toMatchObject({ account: 'main', kind: 'disbursement', problems: rejected(1).problems });
    if (next === null) break;
    expect(next).toMatch(/^\d{1,15}-\d{1,10}$/);
    before = next;
  }
  expect(pages).toEqual([['rej_5', 'rej_4', 'rej_2'], ['rej_1']]);
});

test('a refusal and its event are one transaction, also with characters that PostgreSQL refuses', async () => {
  const rejections = new Rejections({ database: ledger.database });
  const odd = { ...rejected(1), reference: 'a\0b\ud800c \u{1f600}' };
  expect([await rejections.add(odd), await rejections.add(odd)]).toEqual([true, false]);
  const data = { id: 'rej_1', reference: 'ab\ufffdc \u{1f600}' };
  expect(await ledger.query('select id, account, type, data from relais.outbox')).toMatchObject([
    { id: 'rej_1', account: 'main', type: 'intake.rejected', data },
  ]);
});

const NIGHT = Date.parse('2026-11-30T23:30:00Z');
const openBudgets = (more: object = {}): Budgets =>
  new Budgets({ database: ledger.database, timezone: 'Africa/Dakar', prices: { SN: 20 }, ...more });
const limit = (value: number): Promise<unknown> =>
  new MoneyLimits({ database: ledger.database }).set('SMS_BUDGET_MONTH', value, 'maker');
const spend = (cents: number): Promise<unknown> =>
  ledger.query(`insert into relais.sms_cost values ('main', '2026-11-30', ${cents}), ('main', '2026-11', ${cents})`);

test('the stricter of settings and limit applies, and the spent cost is shown in XOF', async () => {
  const budgets = openBudgets({ limits: { SMS_BUDGET_DAY: 1_000, SMS_BUDGET_MONTH: 9_000 } });
  expect(await openBudgets().standing('main', NIGHT)).toEqual([]);
  await limit(5_000);
  await spend(12_345);
  expect(await budgets.standing('main', NIGHT)).toEqual([
    { limit: 'SMS_BUDGET_DAY', value: 1_000, spent: 123.45 },
    { limit: 'SMS_BUDGET_MONTH', value: 5_000, spent: 123.45 },
  ]);
  expect([budgets.reckons, openBudgets().reckons]).toEqual([true, false]);
});

test('a budget that is spent has no room until the next period', async () => {
  const budgets = openBudgets({ limits: { SMS_BUDGET_DAY: 100 } });
  await spend(10_000);
  expect(await budgets.hasRoom('main', NIGHT)).toBe(false);
  expect(await budgets.hasRoom('other', NIGHT)).toBe(true);
  expect(await budgets.hasRoom('main', NIGHT + 3_600_000)).toBe(true);
  expect(await openBudgets({ limits: { SMS_BUDGET_DAY: 100 }, prices: {} }).hasRoom('other', NIGHT)).toBe(false);
});

test('a queue is paused and resumed once, with an audit entry for each', async () => {
  const told: unknown[] = [];
  const onCommitted = async (kind: string, facts: object): Promise<void> => void told.push({ kind, ...facts });
  const switches = new Switches({ database: ledger.database, onCommitted });
  const act = {
    by: 'ops',
    person: '',
    role: 'operate',
    source: 'api',
    requestId: 'r',
    act: 'queue',
    target: 'campaign',
  } as const;
  const change = (how: 'pause' | 'resume') => switches.switchQueue('campaign', { how, act });
  expect(await Promise.all([change('pause'), change('pause')]).then((all) => all.filter(Boolean))).toHaveLength(1);
  expect([...(await switches.paused())]).toEqual(['campaign']);
  expect([await change('resume'), await change('resume')]).toEqual([true, false]);
  expect((await switches.paused()).size).toBe(0);
  expect(await ledger.query('select by, target from relais.audit_line')).toEqual([
    { by: 'ops', target: 'campaign' },
    { by: 'ops', target: 'campaign' },
  ]);
  const paused = { kind: 'queue.paused', name: 'campaign', by: 'ops' };
  expect(told).toEqual([paused, paused]);
});
