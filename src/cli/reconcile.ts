/**
 * `relais reconcile`: compares a statement with our payments. Reads payments in every state, so that a payment that
 * failed here and was paid there is reported as such.
 */
import { type Command } from 'commander';
import { RowReader } from '../files/rows.ts';
import type { Encoding } from '../files/encodings.ts';
import type { KindOfMoney } from '../kinds/index.ts';
import { money } from '../messages/figures.ts';
import { filled } from '../messages/said.ts';
import { dateIn } from '../lib/zone.ts';
import { describeDetail } from '../messages/details.ts';
import type { JsonObject } from './client.ts';
import { CommandFailed } from './failure.ts';
import { withEncoding, withExample, wrongValue } from './flags.ts';
import type { ExitCode } from './io.ts';
import { grouped } from './output.ts';
import {
  type Columns,
  type Matched,
  type Ours,
  type Theirs,
  type Unreadable,
  columnsIn,
  match,
  readTheirs,
} from './reconcile-match.ts';
import { explainFile } from './recipients-file.ts';
import { sourceOf } from './recipients-source.ts';
import { itemsOf } from './record.ts';
import type { Words } from '../messages/languages.ts';
import type { Shell } from './shell.ts';

interface ReconcileFlags {
  readonly columns: Columns;
  readonly account?: string;
  readonly sheet?: string;
  readonly encoding?: Encoding;
  readonly json?: true;
}

const DAY_MS = 86_400_000;
const PAGE = 500;
/** Maximum time between a payment's acceptance and its success. */
const ACCEPTED_BEFORE_DAYS = 35;
const NAMES = ['transactionId', 'amount', 'date'] as const;

export function addReconcileCommand(command: Command, shell: Shell): void {
  const made = command
    .argument('<file>', 'CSV file or workbook of the provider or of a bank; - reads standard input')
    .requiredOption(
      '--columns <names>',
      'column names of the file: transactionId=Transaction,amount=Montant,date=Date',
      readColumns,
    )
    .option('--account <name>', 'only this account')
    .option('--sheet <name>', 'sheet of a workbook; default: the first visible sheet');
  withEncoding(made)
    .option('--json', 'print each unmatched entry as JSON')
    .action(shell.action((file: string, flags: ReconcileFlags) => reconcile(file, flags, shell)));
  withExample(command, 'relais reconcile november.csv --columns transactionId=Transaction,amount=Montant,date=Date');
}

function readColumns(text: string): Columns {
  const named = new Map(
    text.split(',').map((pair) => {
      const cut = pair.indexOf('=');
      return [pair.slice(0, cut).trim(), pair.slice(cut + 1).trim()] as const;
    }),
  );
  const [transactionId, amount, date] = NAMES.map((name) => named.get(name));
  if (!transactionId || !amount || !date || named.size !== NAMES.length) {
    throw wrongValue('columns', {});
  }
  return { transactionId, amount, date };
}

async function reconcile(file: string, flags: ReconcileFlags, shell: Shell): Promise<ExitCode> {
  const { rows, unreadable } = await theirsIn(file, flags, shell).catch((error: unknown) => {
    throw explainFile(error, file, shell.language);
  });
  const dates = rows.map(({ date }) => date).sort();
  const [from, to] = [dates[0], dates.at(-1)];
  if (from === undefined || to === undefined) throw noRowIn(file, unreadable, shell);
  const { body } = await shell.api.get('/v1/reports/daily', {});
  const days = { from, to, timezone: String(body['timezone']) };
  const ours = await oursIn(days, flags.account, shell);
  const all = match(rows, [...ours.keys()]);
  const onlyOurs: (Ours & { readonly at: string })[] = [];
  for (const one of all.onlyOurs) {
    const at = await succeededAt(`${ours.get(one)}/${encodeURIComponent(one.id)}`, shell);
    const day = dateIn(days.timezone, Date.parse(at));
    if (day >= from && day <= to) onlyOurs.push({ ...one, at });
  }
  const found = { from, to, ...all, onlyOurs, unreadable };
  await (flags.json ? shell.output.json(found) : tell(found, shell));
  const left = [found.onlyOurs, found.onlyTheirs, found.differentAmount, unreadable];
  return left.every((list) => list.length === 0) ? 0 : 1;
}

function noRowIn(file: string, [first]: readonly Unreadable[], { words }: Shell): CommandFailed {
  const { noRow, because, otherSheet } = words.commands.reconcile;
  const next = first === undefined ? otherSheet : because(first.row, problemOf(first, words));
  return new CommandFailed(noRow(file), { next });
}

async function theirsIn(file: string, { columns, sheet, encoding }: ReconcileFlags, shell: Shell) {
  const { words } = shell;
  const said = words.commands.reconcile;
  const isHeader = (cells: readonly string[]): boolean => !Object.values(columnsIn(cells, columns)).includes(-1);
  const reader = new RowReader(sourceOf(file, shell).open(), { isHeader, sheet, encoding });
  const rows: Theirs[] = [];
  const unreadable: Unreadable[] = [];
  for await (const batch of reader.batches()) {
    const places = columnsIn(reader.columns, columns);
    const missing = NAMES.find((name) => places[name] === -1);
    if (missing !== undefined) {
      throw new CommandFailed(said.noColumn(file, columns[missing]), { next: said.itHas(reader.columns.join(', ')) });
    }
    for (const { row, cells, wrong } of batch) {
      if (cells.every((cell) => cell.trim() === '') && wrong === undefined) continue;
      const read =
        wrong === undefined
          ? readTheirs({ row, cells }, places, columns)
          : { row, problem: describeDetail(wrong, shell.language) };
      if ('problem' in read) unreadable.push(read);
      else rows.push(read);
    }
  }
  return { rows, unreadable };
}

/** The list route of each kind in a statement: a kind of outgoing money that is missing here does not compile. */
const paths: Readonly<Record<KindOfMoney<'out'>, string>> = {
  disbursement: '/v1/disbursements',
  direct_credit: '/v1/direct-credits',
};

/**
 * By kind. One day longer at either end than in UTC, for any time zone: unmatched entries are filtered by their own
 * time.
 */
async function oursIn(
  { from, to }: { readonly from: string; readonly to: string },
  account: string | undefined,
  { api }: Shell,
): Promise<ReadonlyMap<Ours, string>> {
  const at = (date: string, days: number): string => new Date(Date.parse(date) + days * DAY_MS).toISOString();
  const filters = { account, createdFrom: at(from, -ACCEPTED_BEFORE_DAYS), createdTo: at(to, 2), limit: PAGE };
  const found = new Map<Ours, string>();
  for (const path of Object.values(paths)) {
    for (let after: string | undefined; ; ) {
      const { body } = await api.get(path, { ...filters, after });
      const read = itemsOf(body).filter(({ amount }) => typeof amount === 'number') as readonly unknown[] as Ours[];
      for (const one of read) found.set(one, path);
      if (typeof body['next'] !== 'string') break;
      after = body['next'];
    }
  }
  return found;
}

/** When the provider first reported the success, or an operator confirmed it; never the time of a later check. */
async function succeededAt(path: string, { api }: Shell): Promise<string> {
  const { body } = await api.get(path);
  const told = itemsOf(body, 'history').find(saysPaid);
  return String((told ?? {})['at'] ?? body['updatedAt']);
}

function saysPaid({ operation, code, detail }: Readonly<Record<string, unknown>>): boolean {
  if (code === 'success' || code === 'completed') return true;
  if (operation === 'status') return detail === 'success';
  return operation === 'credit' ? code === 'ok' : operation === 'resolve' && code === 'succeeded';
}

async function tell(
  found: Matched & { readonly from: string; readonly to: string; readonly unreadable: readonly Unreadable[] },
  { output, words }: Shell,
): Promise<void> {
  const { matched, onlyOurs, onlyTheirs, differentAmount, unreadable } = found;
  const { labels, titles, days } = words.commands.reconcile;
  await output.facts([
    [labels.days, days(found.from, found.to)],
    [labels.matched, `${grouped(matched.count)}, ${money(matched.xof, words.figures)}`],
    [labels.onlyOurs, grouped(onlyOurs.length)],
    [labels.onlyTheirs, grouped(onlyTheirs.length)],
    [labels.different, grouped(differentAmount.length)],
    [labels.unreadable, grouped(unreadable.length)],
  ]);
  const table = async (title: string, columns: readonly string[], rows: readonly JsonObject[]): Promise<void> => {
    if (rows.length > 0) await output.write(`\n${title}\n${output.renderTable(columns, rows)}`);
  };
  await table(titles.onlyOurs, ['id', 'transactionId', 'amount', 'reference', 'at'], onlyOurs.map(plain));
  const theirs = onlyTheirs.map(({ here, ...row }) => ({ ...row, here: here && `${here.id} ${here.state}` }));
  await table(titles.onlyTheirs, ['row', 'transactionId', 'amount', 'date', 'here'], theirs);
  const different = differentAmount.map(({ amount, ...row }) => ({ ...row, theirs: amount }));
  await table(titles.different, ['row', 'transactionId', 'id', 'theirs', 'ours'], different);
  const told = unreadable.map((one) => ({ row: one.row, problem: problemOf(one, words) }));
  await table(titles.unreadable, ['row', 'problem'], told);
}

function problemOf({ code, values = {}, problem }: Unreadable, { commands }: Words): string {
  return code === undefined ? problem : filled(commands.reconcile.problems[code], values);
}

const plain = (row: object): JsonObject => ({ ...row });
