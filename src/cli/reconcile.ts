/** `relais reconcile`: their file against what the API lists. */
import { type Command } from 'commander';
import type { Encoding } from '../files/encodings.ts';
import type { KindOfMoney } from '../kinds/index.ts';
import { money } from '../messages/figures.ts';
import { filled } from '../messages/said.ts';
import { describeDetail } from '../messages/details.ts';
import type { JsonObject } from './client.ts';
import { CommandFailed } from './failure.ts';
import { withEncoding, withExample, wrongValue } from './flags.ts';
import type { ExitCode } from './io.ts';
import { grouped } from './output.ts';
import {
  type Reconciled,
  type Statement,
  paidAtOf,
  readStatement,
  reconcile,
  statementColumns,
} from '../operations/reconcile.ts';
import type { Columns, Ours, Unreadable } from '../operations/reconcile-match.ts';
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

const PAGE = 500;

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
    .action(shell.action((file: string, flags: ReconcileFlags) => reconcileFile(file, flags, shell)));
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

async function reconcileFile(file: string, flags: ReconcileFlags, shell: Shell): Promise<ExitCode> {
  const statement = await statementIn(file, flags, shell).catch((error: unknown) => {
    throw explainFile(error, file, shell.language);
  });
  const found = await reconcile(statement, await recordedThere(flags.account, statement, shell));
  if (found === undefined) throw noRowIn(file, statement.unreadable, shell);
  await (flags.json ? shell.output.json(found) : tell(found, shell));
  const left = [found.onlyOurs, found.onlyTheirs, found.differentAmount, found.unreadable];
  return left.every((list) => list.length === 0) ? 0 : 1;
}

function noRowIn(file: string, [first]: readonly Unreadable[], { words }: Shell): CommandFailed {
  const { noRow, because, otherSheet } = words.commands.reconcile;
  const next = first === undefined ? otherSheet : because(first.row, problemOf(first, words));
  return new CommandFailed(noRow(file), { next });
}

async function statementIn(file: string, { columns, sheet, encoding }: ReconcileFlags, shell: Shell) {
  const { words, language } = shell;
  const said = words.commands.reconcile;
  const statement = await readStatement(sourceOf(file, shell).open(), {
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

/** The list route of each kind in a statement: a kind of outgoing money that is missing here does not compile. */
const paths: Readonly<Record<KindOfMoney<'out'>, string>> = {
  disbursement: '/v1/disbursements',
  direct_credit: '/v1/direct-credits',
};

async function recordedThere(account: string | undefined, { rows }: Pick<Statement, 'rows'>, { api }: Shell) {
  const pathOf = new Map<Ours, string>();
  const list = async ({ from, to }: { readonly from: string; readonly to: string }): Promise<readonly Ours[]> => {
    const filters = { account, createdFrom: from, createdTo: to, limit: PAGE };
    for (const path of Object.values(paths)) {
      for (let after: string | undefined; ; ) {
        const { body } = await api.get(path, { ...filters, after });
        const read = itemsOf(body).filter(({ amount }) => typeof amount === 'number') as readonly unknown[] as Ours[];
        for (const one of read) pathOf.set(one, path);
        if (typeof body['next'] !== 'string') break;
        after = body['next'];
      }
    }
    return [...pathOf.keys()];
  };
  const paidAt = async (one: Ours): Promise<string> => {
    const { body } = await api.get(`${pathOf.get(one)}/${encodeURIComponent(one.id)}`);
    return paidAtOf({ updatedAt: body['updatedAt'], history: itemsOf(body, 'history') });
  };
  const timezone = rows.length === 0 ? 'UTC' : String((await api.get('/v1/reports/daily', {})).body['timezone']);
  return { timezone, list, paidAt };
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

function problemOf({ code, values = {}, problem }: Unreadable, { commands }: Words): string {
  return code === undefined ? problem : filled(commands.reconcile.problems[code], values);
}

const plain = (row: object): JsonObject => ({ ...row });
