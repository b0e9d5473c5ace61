/** A statement of the provider or of a bank against the ledger: compared, and nothing of it stored. */
import { csvCell } from '../files/csv.ts';
import type { KindOfMoney } from '../kinds/index.ts';
import type { Language } from '../messages/languages.ts';
import { wordsIn } from '../messages/languages.ts';
import { describeDetail } from '../messages/details.ts';
import { filled } from '../messages/said.ts';
import { type Reconciled, paidAtOf, readStatement, reconcile } from '../operations/reconcile.ts';
import type { Ours, Unreadable } from '../operations/reconcile-match.ts';
import { judging, named } from './campaign-upload.ts';
import type { ApiContext } from './context.ts';
import { requireFileBody } from './file-body.ts';
import { accountsListed } from './gates.ts';
import { reconciliation } from './openapi/answers-reports.ts';
import { languageFor } from './problem.ts';
import { STREAMED_BYTES, listFiles, listedAccount, route } from './route.ts';
import { disbursementView, view } from './views.ts';

const CSV_COLUMNS = [
  'result',
  'row',
  'id',
  'transactionId',
  'date',
  'theirs',
  'ours',
  'reference',
  'state',
  'problem',
];
const STATEMENT = 'Transaction;Montant;Date\nTX-20261121-0042;25000;21/11/2026\n';

const column = (description: string) => named.optional().meta({ description });

const createReconciliation = route(
  {
    method: 'post',
    path: '/v1/reconciliations',
    id: 'createReconciliation',
    tag: 'Operating',
    summary: 'Reconcile a statement',
    description:
      'Compares a statement of the provider or of a bank with the disbursements and direct credits of its days. relais ' +
      'stores nothing. Columns are found by their headings, or named by the query. While a column is missing, ' +
      '`result` is null and `headings` lists those of the file.',
    role: 'read',
    scope: 'list',
    query: {
      account: listedAccount,
      transactionColumn: column('Column of the transaction ids, if its name does not tell.'),
      amountColumn: column('Column of the amounts, if its name does not tell.'),
      dateColumn: column('Column of the dates, if its name does not tell.'),
      sheet: column('Sheet of a workbook; absent: the first visible sheet.'),
    },
    body: { files: listFiles(STATEMENT, '{"Transaction":"TX-20261121-0042","Montant":25000,"Date":"2026-11-21"}\n') },
    answers: {
      200: {
        says: 'What matches, and what is left over on either side.',
        schema: reconciliation,
        files: { 'text/csv': { says: 'One line for each difference.', example: `${CSV_COLUMNS.join(';')}\r\n` } },
      },
    },
  },
  async ({ context, key, query, request, response, hold }) => {
    const { account, transactionColumn, amountColumn, dateColumn, sheet } = query;
    const held = hold();
    held.take(STREAMED_BYTES);
    const language = languageFor(request);
    const columns = {
      ...(transactionColumn === undefined ? {} : { transactionId: transactionColumn }),
      ...(amountColumn === undefined ? {} : { amount: amountColumn }),
      ...(dateColumn === undefined ? {} : { date: dateColumn }),
    };
    const broken = (detail: Parameters<typeof describeDetail>[0]): string => describeDetail(detail, language);
    const file = requireFileBody(request);
    const statement = await judging(request, () =>
      readStatement(request.iterator({ destroyOnReturn: false }), { ...file, columns, sheet, held, broken }),
    );
    const { headings, columns: found, otherSheets } = statement;
    const result = await reconcile(statement, recordedHere(context, accountsListed(context, key, account)));
    if (request.accepts(['json', 'csv']) === 'csv') {
      response.type('text/csv').send(csvOf(result, statement.unreadable, language));
      return undefined;
    }
    const unreadable = statement.unreadable.map((one) => ({ row: one.row, problem: problemIn(one, language) }));
    const shown = result && { ...result, unreadable };
    return { headings, columns: found, sheet: statement.sheet, otherSheets, unreadable, result: shown ?? null };
  },
);

const PAGE = 500;
const KINDS = ['disbursement', 'direct_credit'] as const satisfies readonly KindOfMoney<'out'>[];

function recordedHere(context: ApiContext, accounts: readonly string[] | undefined) {
  const paid = new Map<string, string>();
  const list = async ({ from, to }: Created): Promise<readonly Ours[]> => {
    const found: Ours[] = [];
    for await (const record of paymentsOf(context, { accounts, from, to })) {
      const { id, state, account, amount, transactionId = null, reference = null } = record;
      found.push({ id, state, account, amount, transactionId, reference });
      if (state === 'succeeded')
        paid.set(id, paidAtOf(record.kind === 'disbursement' ? disbursementView(record) : view(record)));
    }
    return found;
  };
  return { timezone: context.reports.timezone, list, paidAt: async ({ id }: Ours) => paid.get(id) ?? '' };
}

interface Created {
  readonly from: string;
  readonly to: string;
}

interface OfAccounts extends Created {
  readonly accounts: readonly string[] | undefined;
}

async function* paymentsOf({ queries }: ApiContext, { accounts, from, to }: OfAccounts) {
  const filters = { accounts, createdFrom: Date.parse(from), createdTo: Date.parse(to), limit: PAGE };
  for (const kind of KINDS) {
    let after: string | undefined;
    do {
      const page = await queries.page(kind, { ...filters, after });
      yield* page.items;
      after = page.next;
    } while (after !== undefined);
  }
}

function problemIn({ code, values = {}, problem }: Unreadable, language: Language): string {
  return code === undefined ? problem : filled(wordsIn(language).commands.reconcile.problems[code], values);
}

function csvOf(result: Reconciled | undefined, unreadable: readonly Unreadable[], language: Language): string {
  const lines = [
    ...(result?.onlyOurs ?? []).map(({ id, transactionId, at, amount, reference, state }) => [
      'onlyOurs',
      '',
      id,
      transactionId,
      at,
      '',
      amount,
      reference,
      state,
      '',
    ]),
    ...(result?.onlyTheirs ?? []).map(({ row, transactionId, date, amount, here }) => [
      'onlyTheirs',
      row,
      here?.id,
      transactionId,
      date,
      amount,
      '',
      '',
      here?.state,
      '',
    ]),
    ...(result?.differentAmount ?? []).map(({ row, id, transactionId, date, amount, ours, reference }) => [
      'differentAmount',
      row,
      id,
      transactionId,
      date,
      amount,
      ours,
      reference,
      'succeeded',
      '',
    ]),
    ...unreadable.map((one) => ['unreadable', one.row, '', '', '', '', '', '', '', problemIn(one, language)]),
  ];
  const rows = [CSV_COLUMNS, ...lines].map((line) => line.map((cell) => csvCell(cell ?? '')).join(';'));
  return `\ufeff${rows.join('\r\n')}\r\n`;
}

export const reconciliationRoutes = [createReconciliation];
