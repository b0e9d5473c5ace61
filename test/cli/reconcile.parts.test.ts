/** A statement against our payments: ten planted differences are found, and no others. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { xlsxOfTexts } from '../files/workbooks.ts';
import { type Service, startService } from '../support/service.ts';
import { relais } from './terminal.ts';

const OPERATIONS = 30;

let service: Service;
let folder: string;
let lines: { readonly id: string; readonly transactionId: string; readonly amount: number; readonly date: string }[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'relais-reconcile-'));
  service = await startService();
  const ids: string[] = [];
  for (let index = 0; index < OPERATIONS; index += 1) {
    const accountAlias = `77${1_000_000 + index}`;
    const body = { accountAlias, amount: 500 + index, withdrawMode: 'wallet-a-senegal', reference: `r${index}` };
    ids.push(String((await service.call('POST', '/v1/disbursements', { body })).body.id));
  }
  lines = [];
  for (const id of ids) {
    const paid = await service.until(`/v1/disbursements/${id}`, ({ state }) => state === 'succeeded');
    const [year, month, day] = String(paid.updatedAt).slice(0, 10).split('-');
    lines.push({ id, transactionId: paid.transactionId, amount: paid.amount, date: `${day}/${month}/${year} 10:00` });
  }
});
afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const COLUMNS = 'transactionId=Transaction,amount=Montant,date=Date';
const env = () => ({ RELAIS_URL: service.api, RELAIS_API_KEY: 'reader-secret' });

function fileOf(rows: readonly (typeof lines)[number][]): string {
  const path = join(folder, `${rows.length}-${Math.abs(rows.length * 7)}.csv`);
  const money = (amount: number): string => `"${amount},00 XOF"`;
  const cells = rows.map(({ transactionId, amount, date }) => `${date};x;${transactionId};${money(amount)}`);
  writeFileSync(path, ['Releve du mois', 'Date;Libelle;Transaction;Montant', ...cells].join('\r\n'));
  return path;
}

test('an equal file leaves nothing unmatched', async () => {
  const { code, stdout, stderr } = await relais(['reconcile', fileOf(lines), '--columns', COLUMNS], { env: env() });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/matched +30, /);
});

test('a statement is read in the encoding that is named', async () => {
  const path = join(folder, 'cp850.csv');
  const cells = lines.map(({ transactionId, amount, date }) => `${transactionId};${amount};${date}`);
  writeFileSync(path, Buffer.from(['R\x82f\x82rence;Montant;Date', ...cells].join('\r\n'), 'latin1'));
  const columns = 'transactionId=Référence,amount=Montant,date=Date';
  const argv = ['reconcile', path, '--columns', columns, '--encoding', 'cp850'];
  expect((await relais(argv, { env: env() })).code).toBe(0);
});

test('a workbook is read as well', async () => {
  const path = join(folder, 'bank.xlsx');
  const rows = lines.map(({ transactionId, amount, date }) => [transactionId, String(amount), date]);
  writeFileSync(path, xlsxOfTexts([['Transaction', 'Montant', 'Date'], ...rows]));
  const { code, stdout } = await relais(['reconcile', path, '--columns', COLUMNS], { env: env() });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/matched +30, /)]);
});

test('ten planted differences give exactly those ten, and exit 1', async () => {
  const [first] = lines;
  if (!first) throw new Error('nothing was paid');
  const missing = lines.slice(0, 3);
  const altered = lines.slice(3, 7);
  const strange = ['A', 'B'].map((name) => ({ ...first, transactionId: `TX-NOBODY-${name}` }));
  const twice = lines.slice(7, 8);
  const file = fileOf([
    ...altered.map((line) => ({ ...line, amount: line.amount + 1 })),
    ...lines.slice(7),
    ...strange,
    ...twice,
  ]);
  const { code, stdout } = await relais(['reconcile', file, '--columns', COLUMNS, '--json'], { env: env() });
  expect(code).toBe(1);
  const found = JSON.parse(stdout);
  expect(found.matched.count).toBe(OPERATIONS - 7);
  expect(found.onlyOurs.map(({ id }: { id: string }) => id).sort()).toEqual(missing.map(({ id }) => id).sort());
  expect(found.differentAmount.map(({ id }: { id: string }) => id)).toEqual(altered.map(({ id }) => id));
  const theirs = found.onlyTheirs.map(({ transactionId }: { transactionId: string }) => transactionId);
  expect(theirs).toEqual([...strange, ...twice].map(({ transactionId }) => transactionId));
  expect(found.unreadable).toEqual([]);
  const told = await relais(['reconcile', file, '--columns', COLUMNS], { env: env() });
  expect([told.code, told.stdout]).toEqual([
    1,
    expect.stringMatching(/only in relais +3\n.*only in the statement +3\n.*amount +4\n/s),
  ]);
});

test('a row that cannot be read is left over, and a column that there is not is named', async () => {
  const path = join(folder, 'bad.csv');
  writeFileSync(path, `Date,Transaction,Montant\n22/11/2026,TX-1,12.5\n31/02/2026,TX-2,12\n2026-11-22,TX-3,12\n`);
  const { code, stdout } = await relais(['reconcile', path, '--columns', COLUMNS, '--json'], { env: env() });
  expect([code, JSON.parse(stdout).unreadable.map(({ row }: { row: number }) => row)]).toEqual([1, [2, 3]]);
  const other = await relais(['reconcile', path, '--columns', COLUMNS.replace('Montant', 'Total')], { env: env() });
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('no column “Total”')]);
  expect((await relais(['reconcile', path, '--columns', 'amount=Montant'], { env: env() })).code).toBe(2);
});

test('a file without a readable row explains the first problem, and what to do', async () => {
  const path = join(folder, 'unread.csv');
  writeFileSync(path, 'Date,Transaction,Montant\n2026-11-22,TX-1,12.5\n');
  const { code, stderr } = await relais(['reconcile', path, '--columns', COLUMNS], { env: env() });
  expect(code).toBe(1);
  expect(stderr).toMatch(/has no readable row.*\n.*row 2: Montant is not a whole number of XOF: “12\.5”/);
  writeFileSync(path, 'Date,Transaction,Montant\n');
  const none = await relais(['reconcile', path, '--columns', COLUMNS, '--lang', 'fr'], { env: env() });
  expect(none.stderr).toContain('--sheet');
});

test('a payment is missing on its own day only, for any number of checks since', async () => {
  const [paid] = lines;
  if (!paid) throw new Error('nothing was paid');
  // As without a callback: only answers report it, and a recheck rewrote the record days later.
  await service.ledger.query(`update relais.operation set updated_at = updated_at + interval '9 days',
    evidence = array(select line from unnest(evidence) as line where line not like '% callback|%')
    where id = '${paid.id}'`);
  const file = fileOf(lines.slice(1));
  const { code, stdout } = await relais(['reconcile', file, '--columns', COLUMNS, '--json'], { env: env() });
  const ids = JSON.parse(stdout).onlyOurs.map(({ id }: { id: string }) => id);
  expect([code, ids]).toEqual([1, [paid.id]]);
});
