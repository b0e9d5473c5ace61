/**
 * A finance day: money and texts of every kind, under faults, kills, crashes of PostgreSQL and a restore from a copy.
 * It closes to the franc against the books of the service. 600 operations; RELAIS_DEEP=1 makes it 20,000.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DailyReport } from '../../src/api/daily.ts';
import { type Books, moneyIn, paidTwice, readBooks, statementOf, sum, type Sum } from '../day/books.ts';
import { type Day, openDay } from '../day/day.ts';
import { sizesOf } from '../day/orders.ts';
import { listed } from '../day/reading.ts';
import { killEveryone } from '../storm/child.ts';
import { sumOf } from '../storm/grouping.ts';
import { mustAsk } from '../storm/http.ts';
import { API_SECRET } from '../storm/plan.ts';
import { openProcesses } from '../support/world.ts';

const DEEP = process.env['RELAIS_DEEP'] === '1';
const OPERATIONS = DEEP ? 20_000 : 600;
const SEED = 1;
const LIMIT_MS = DEEP ? 3_600_000 : 600_000;
const COLUMNS = 'transactionId=Transaction,amount=Montant,date=Date';
const sizes = sizesOf(OPERATIONS);

let day: Day;
let books: Books;
let folder: string;
let commands: ReturnType<typeof openProcesses>;
let today: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'relais-day-'));
  commands = openProcesses();
  day = await openDay(sizes, SEED);
  books = await readBooks(day.world.control);
  today = (await daily()).date;
  process.stdout.write(`${JSON.stringify(day.strikes)}\n${day.decided} decided by a person\n`);
}, LIMIT_MS);

afterAll(async () => {
  await day?.close();
  await commands?.close();
  killEveryone();
  rmSync(folder, { recursive: true, force: true });
});

async function relais(...args: readonly string[]) {
  return commands.processes.run(args, { RELAIS_URL: day.world.api, RELAIS_API_KEY: API_SECRET });
}

async function daily(): Promise<DailyReport> {
  const { code, stdout, log } = await relais('report', 'daily', '--json');
  expect(code, log).toBe(0);
  return JSON.parse(stdout) as DailyReport;
}

type Figure =
  | 'opening'
  | 'accepted'
  | 'succeeded'
  | 'failed'
  | 'rejected'
  | 'cancelled'
  | 'closing'
  | 'collected'
  | 'credited'
  | 'creditsOpen'
  | 'inDoubt'
  | 'reversed';

function total({ rows }: DailyReport, figure: Figure): Sum {
  return { count: sumOf(rows, (row) => row[figure].count), xof: sumOf(rows, (row) => row[figure].xof) };
}

interface Paid {
  readonly id: string;
  readonly state: string;
  readonly amount: number;
  readonly disburseId: string;
}

interface Text {
  readonly to: string;
  readonly state: string;
}

test('the faults did strike: the service, the processes, PostgreSQL, and the copy', () => {
  const { service, kills, wires, crashes, restores } = day.strikes;
  for (const operation of ['disbursement.submit', 'disbursement.create', 'disbursement.status', 'sms.send']) {
    expect(service[operation], operation).toBeGreaterThan(0);
  }
  for (const operation of ['direct-credit.create', 'invoice.create', 'payment-request.create']) {
    expect(service[operation], operation).toBeGreaterThan(0);
  }
  expect([kills > 0, wires > 0, crashes > 0]).toEqual([true, true, true]);
  expect(restores).toHaveLength(1);
  expect(restores[0]?.recoveredAt).toBeDefined();
});

test('everything came to its end, by itself or by a person', () => {
  expect(day.open).toEqual([]);
  expect(day.decided).toBeGreaterThan(0);
});

test('nobody was paid twice, and nobody got a text twice', () => {
  expect(paidTwice(books)).toEqual([]);
  expect(books.messages.filter(({ times }) => times > 1)).toEqual([]);
  expect(books.breaches).toEqual([]);
});

test('each disbursement says what the books say of it', async () => {
  const paid = new Set(books.disbursements.filter(({ effects }) => effects > 0).map(({ disburseId }) => disburseId));
  const records = await listed<Paid>(day.world.api, 'disbursements');
  expect(records.filter(({ state, disburseId }) => (state === 'succeeded') !== paid.has(disburseId))).toEqual([]);
  expect(records).toHaveLength(day.wishes.length + sizes.batchRows);
});

test('the report of the day is the books to the franc, and closes', async () => {
  const report = await daily();
  expect(await mustAsk(`${day.world.api}/v1/reports/daily?date=${today}`)).toEqual(report);
  const told = (figure: Figure): Sum => total(report, figure);
  const { succeeded, credited, collected } = moneyIn(books);
  expect({ succeeded: told('succeeded'), credited: told('credited'), collected: told('collected') }).toEqual({
    succeeded,
    credited,
    collected,
  });
  const records = await listed<Paid>(day.world.api, 'disbursements');
  const inState = (state: string): Sum =>
    sum(
      records.filter((one) => one.state === state),
      ({ amount }) => amount,
    );
  expect(told('accepted')).toEqual(sum(records, ({ amount }) => amount));
  for (const state of ['failed', 'rejected', 'cancelled'] as const)
    expect(told(state), state).toEqual(inState(state));
  for (const none of ['opening', 'closing', 'inDoubt', 'creditsOpen', 'reversed'] as const) {
    expect(told(none), none).toEqual({ count: 0, xof: 0 });
  }
});

test('by country too', async () => {
  const { rows } = await daily();
  for (const [country, mode] of [
    ['SN', 'wallet-a-senegal'],
    ['CI', 'wallet-a-ci'],
    ['ML', 'wallet-a-mali'],
  ] as const) {
    const paid = books.disbursements.filter(({ withdrawMode, effects }) => withdrawMode === mode && effects > 0);
    const row = rows.find((one) => one.country === country);
    expect(row?.succeeded, country).toEqual(sum(paid, ({ amount }) => amount));
  }
});

test('the texts of the report are those of the lists, and the books have each that was sent', async () => {
  const { rows } = await daily();
  const messages = await listed<Text>(day.world.api, 'messages');
  const campaigns = await Promise.all(
    day.mailings.map(({ id }) => mustAsk<{ totals: Record<string, number> }>(`${day.world.api}/v1/campaigns/${id}`)),
  );
  const counted = (state: string): number =>
    messages.filter((one) => one.state === state).length + sumOf(campaigns, ({ totals }) => totals[state] ?? 0);
  const states = ['sent', 'failed', 'unknown', 'expired'] as const;
  const told = Object.fromEntries(states.map((state) => [state, sumOf(rows, ({ texts }) => texts[state])]));
  expect(told).toEqual(Object.fromEntries(states.map((state) => [state, counted(state)])));
  const booked = sumOf(books.messages, ({ times }) => times);
  expect(booked).toBeGreaterThanOrEqual(told['sent'] ?? 0);
  expect(booked).toBeLessThanOrEqual((told['sent'] ?? 0) + (told['unknown'] ?? 0));
});

interface Reconciled {
  readonly matched: Sum;
  readonly onlyOurs: readonly { readonly transactionId: string }[];
  readonly onlyTheirs: readonly { readonly transactionId: string }[];
  readonly differentAmount: readonly { readonly transactionId: string }[];
  readonly unreadable: readonly unknown[];
}

async function reconcile(name: string, lines: readonly (readonly string[])[]): Promise<[number | null, Reconciled]> {
  const file = join(folder, `${name}.csv`);
  writeFileSync(file, ['Date;Transaction;Montant', ...lines.map((line) => line.join(';'))].join('\r\n'));
  const { code, stdout, log } = await relais('reconcile', file, '--columns', COLUMNS, '--json');
  expect([0, 1], log).toContain(code);
  return [code, JSON.parse(stdout) as Reconciled];
}

test('a statement made of the books leaves nothing over', async () => {
  const { succeeded, credited } = moneyIn(books);
  const [code, found] = await reconcile('statement', statementOf(books, today));
  const { onlyOurs, onlyTheirs, differentAmount, unreadable } = found;
  expect({ onlyOurs, onlyTheirs, differentAmount, unreadable }).toEqual({
    onlyOurs: [],
    onlyTheirs: [],
    differentAmount: [],
    unreadable: [],
  });
  expect(found.matched).toEqual({ count: succeeded.count + credited.count, xof: succeeded.xof + credited.xof });
  expect(code).toBe(0);
});

test('ten differences that are planted in it are found, and no other', async () => {
  const lines = statementOf(books, today);
  const nameOf = ([, transactionId = '']: readonly string[]): string => transactionId;
  const missing = lines.slice(0, 3);
  const altered = lines.slice(3, 7);
  const twice = lines.slice(7, 8);
  const strange = ['A', 'B'].map((name) => [lines[0]?.[0] ?? '', `TX-NOBODY-${name}`, '500']);
  const raised = altered.map(([date = '', id = '', xof = '']) => [date, id, String(Number(xof) + 1)]);
  const [code, found] = await reconcile('planted', [...raised, ...lines.slice(7), ...strange, ...twice]);
  const names = (rows: readonly { readonly transactionId: string }[]): string[] =>
    rows.map(({ transactionId }) => transactionId).sort();
  expect(code).toBe(1);
  expect(names(found.onlyOurs)).toEqual(missing.map(nameOf).sort());
  expect(names(found.differentAmount)).toEqual(altered.map(nameOf).sort());
  expect(names(found.onlyTheirs)).toEqual([...strange, ...twice].map(nameOf).sort());
  expect(found.unreadable).toEqual([]);
});
