/** The rows of a batch a page at a time, those to act on first; and what their people were paid before. */
import { z } from 'zod';
import { batchOutcomes } from '../kinds/batch.ts';
import { outcomeOf } from '../kinds/batch-outcome.ts';
import type { BatchRow } from '../operations/batch-rows.ts';
import type { BatchRecord, DisbursementRecord } from '../operations/record.ts';
import { UnreadableRecord } from '../operations/record.ts';
import { statesOf } from '../kinds/index.ts';
import { beneficiaryOf, phoneIn } from '../producer/acceptance.ts';
import { type ReportLine, reportPages } from '../producer/batch/report.ts';
import type { ApiContext } from './context.ts';
import { accountsListed } from './gates.ts';
import { batchRows, recentPayments } from './openapi/answers-money.ts';
import { after, answer, limit, route } from './route.ts';

const about = { method: 'get', tag: 'Batches', scope: 'record', record: 'batch', role: 'read' } as const;

/** How many rows were read before. */
const rowsCursor = /^\d{1,6}$/;

const listBatchRows = route(
  {
    ...about,
    path: '/v1/disbursement-batches/{id}/rows',
    id: 'listBatchRows',
    cli: {
      name: 'disburse batch-rows',
      example: 'bat_4n7q0c1w2e3r4t5y6z7a8b9c0d --outcome notPaid',
      columns: ['row', 'reference', 'accountAlias', 'amount', 'state', 'id', 'reason'],
      none: 'The batch has no such rows.',
    },
    summary: 'List the rows of a payment batch',
    description:
      'Unpaid rows come first, then uncertain and open ones, then paid ones; within each in the order of the file. ' +
      '`own` has the columns of the file that relais does not read, such as the name of the payee.',
    query: {
      outcome: z.enum(batchOutcomes).optional().meta({ description: 'Only rows with this outcome.' }),
      after: after(rowsCursor),
      limit: limit(50, 500),
    },
    answers: { 200: answer('A page of them.', batchRows) },
  },
  async ({ context, record, query }) => {
    const lines = (await linesInOrder(context, record)).filter(
      ({ state }) => query.outcome === undefined || outcomeOf(state) === query.outcome,
    );
    const from = Number(query.after ?? 0);
    const to = from + query.limit;
    const items = lines.slice(from, to);
    return { columns: record.columns, items, next: to < lines.length ? String(to) : null };
  },
);

async function linesInOrder({ batches }: ApiContext, record: BatchRecord): Promise<readonly ReportLine[]> {
  const byOutcome = new Map<string, ReportLine[]>(batchOutcomes.map((outcome) => [outcome, []]));
  for await (const page of reportPages(record, batches)) {
    for (const line of page) byOutcome.get(outcomeOf(line.state))?.push(line);
  }
  return [...byOutcome.values()].flat();
}

const DAY_MS = 86_400_000;
const RECENT_DAYS = 30;
/** So many people are looked up beside each other. */
const AT_ONCE = 50;
/** So many payments to one person are added up. */
const EACH_MOST = 100;
/** Paid, or perhaps paid: what an approver must not overlook. */
const PAID = statesOf('disbursement').filter((state) => ['paid', 'uncertain'].includes(outcomeOf(state)));

const listRecentPayments = route(
  {
    ...about,
    path: '/v1/disbursement-batches/{id}/recent-payments',
    id: 'listRecentPayments',
    summary: 'List recent payments to the same payees',
    description:
      `Payments of the last ${RECENT_DAYS} days that are paid, uncertain or in review, in any batch or by themselves, whatever the ` +
      `wallet. Rows without such payments, and transfers to accounts of the provider, are left out.`,
    answers: { 200: answer('By row, in the order of the file.', recentPayments) },
  },
  async ({ context, key, record }) => {
    const createdFrom = context.clock.now() - RECENT_DAYS * DAY_MS;
    const accounts = accountsListed(context, key, undefined);
    const items: Recent[] = [];
    for (let from = 0; from < record.totals.count; from += AT_ONCE) {
      const rows = await context.batches.rows(record.id, from, AT_ONCE);
      const found = await Promise.all(
        rows.map(async (row) =>
          recentOf(row, await paidTo(context, row, { accounts, createdFrom, batch: record.id })),
        ),
      );
      items.push(...found.filter((one) => one !== undefined));
    }
    const sum = (of: 'count' | 'xof'): number => items.reduce((all, one) => all + one[of], 0);
    return {
      from: new Date(createdFrom).toISOString(),
      people: items.length,
      count: sum('count'),
      xof: sum('xof'),
      items,
    };
  },
);

interface Asking {
  readonly accounts: readonly string[] | undefined;
  readonly createdFrom: number;
  readonly batch: string;
}

async function paidTo(
  { queries }: ApiContext,
  row: BatchRow,
  { batch, ...filters }: Asking,
): Promise<readonly DisbursementRecord[]> {
  const phone = phoneIn(beneficiaryOf(row, [row.withdrawMode]));
  if (phone === undefined) return [];
  const named = [['phone', phone] as const];
  const { items } = await queries.page('disbursement', { ...filters, named, states: PAID, limit: EACH_MOST });
  return items.flatMap((one) => (one instanceof UnreadableRecord || one.batch === batch ? [] : [one]));
}

function recentOf({ row }: BatchRow, paid: readonly DisbursementRecord[]) {
  const [newest] = paid;
  if (newest === undefined) return undefined;
  const { id, amount, state, createdAt } = newest;
  const last = { id, amount, state, createdAt: new Date(createdAt).toISOString() };
  return { row, count: paid.length, xof: paid.reduce((all, one) => all + one.amount, 0), last };
}

type Recent = NonNullable<ReturnType<typeof recentOf>>;

export const batchRowRoutes = [listBatchRows, listRecentPayments];
