/** `relais reconcile`: a statement, compared by the API with the ledger. */
import { Readable } from 'node:stream';
import { type Command } from 'commander';
import type { Encoding } from '../files/encodings.ts';
import { money } from '../messages/figures.ts';
import { filled } from '../messages/said.ts';
import { describeDetail } from '../messages/details.ts';
import { bytesFrom } from './asking.ts';
import type { JsonObject } from './client.ts';
import { contentTypeFor } from './disburse-batch-file.ts';
import { CommandFailed } from './failure.ts';
import { withEncoding, withExample, wrongValue } from './flags.ts';
import type { ExitCode } from './io.ts';
import { grouped } from '../messages/counts.ts';
import { type Reconciled, readStatement, statementColumns } from '../operations/reconcile.ts';
import type { Columns, Unreadable as UnreadableRow } from '../operations/reconcile-match.ts';
import { explainFile } from './recipients-file.ts';
import { Unreadable } from './refusal.ts';
import type { Words } from '../messages/languages.ts';
import type { Shell } from './shell.ts';

interface ReconcileFlags {
  readonly columns: Columns;
  readonly account?: string;
  readonly sheet?: string;
  readonly encoding?: Encoding;
  readonly json?: true;
}

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
  const [transactionId, amount, date] = statementColumns.map((name) => named.get(name));
  if (!transactionId || !amount || !date || named.size !== statementColumns.length) {
    throw wrongValue('columns', {});
  }
  return { transactionId, amount, date };
}

/** Read here first: a file that cannot be used is refused in the words of every other file. */
async function reconcile(file: string, flags: ReconcileFlags, shell: Shell): Promise<ExitCode> {
  const { account, sheet, columns } = flags;
  const bytes = await bytesFrom(file, shell);
  const statement = await statementIn(file, { ...flags, bytes }, shell).catch((error: unknown) => {
    throw explainFile(error, file, shell.language);
  });
  if (statement.rows.length === 0) throw noRowIn(file, statement.unreadable, shell);
  const named = { transactionColumn: columns.transactionId, amountColumn: columns.amount, dateColumn: columns.date };
  const query = new URLSearchParams({ ...named, ...(account && { account }), ...(sheet && { sheet }) });
  const type = contentTypeFor(bytes, flags.encoding);
  const path = `/v1/reconciliations?${query.toString()}`;
  const { body, status } = await shell.api.upload(path, Readable.from([bytes]), type);
  const found = body['result'];
  if (!isReconciled(found)) throw new Unreadable(shell.api.url, status, shell);
  await (flags.json ? shell.output.json(found) : tell(found, shell));
  const left = [found.onlyOurs, found.onlyTheirs, found.differentAmount, found.unreadable];
  return left.every((list) => list.length === 0) ? 0 : 1;
}

function noRowIn(file: string, [first]: readonly UnreadableRow[], { words }: Shell): CommandFailed {
  const { noRow, because, otherSheet } = words.commands.reconcile;
  const next = first === undefined ? otherSheet : because(first.row, problemOf(first, words));
  return new CommandFailed(noRow(file), { next });
}

function isReconciled(found: unknown): found is Reconciled {
  const lists = (found ?? {}) as Readonly<Record<string, unknown>>;
  return ['onlyOurs', 'onlyTheirs', 'differentAmount', 'unreadable'].every((name) => Array.isArray(lists[name]));
}

interface ToRead extends ReconcileFlags {
  readonly bytes: Buffer;
}

async function statementIn(file: string, { columns, sheet, encoding, bytes }: ToRead, shell: Shell) {
  const { words, language } = shell;
  const said = words.commands.reconcile;
  const statement = await readStatement(Readable.from([bytes]), {
    columns,
    sheet,
    encoding,
    broken: (detail) => describeDetail(detail, language),
  });
  const missing = statementColumns.find((name) => statement.columns[name] === null);
  if (missing !== undefined && statement.headings.length > 0) {
    throw new CommandFailed(said.noColumn(file, columns[missing]), {
      next: said.itHas(statement.headings.join(', ')),
    });
  }
  return statement;
}

async function tell(found: Reconciled, { output, words }: Shell): Promise<void> {
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

function problemOf({ code, values = {}, problem }: UnreadableRow, { commands }: Words): string {
  return code === undefined ? problem : filled(commands.reconcile.problems[code], values);
}

const plain = (row: object): JsonObject => ({ ...row });
