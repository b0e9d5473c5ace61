/** Pages of a batch's rows, most urgent first; and earlier payments to their recipients. */
import { z } from 'zod';
import { batchOutcomes } from '../kinds/batch.ts';
import { outcomeOf } from '../kinds/batch-outcome.ts';
import { ROWS_AT_ONCE } from '../kinds/batch-rows.ts';
import type { RecentPayments } from '../ledger/queries.ts';
import type { BatchRecord } from '../operations/record.ts';
import { statesOf } from '../kinds/index.ts';
import { beneficiaryOf, phoneIn } from '../producer/acceptance.ts';
import { type ReportLine, reportPages } from '../producer/batch/report.ts';
import type { ApiContext } from './context.ts';
import { accountsListed } from './gates.ts';
import { batchRows, recentPayments } from './openapi/answers-money.ts';
import { after, answer, limit, route } from './route.ts';

const about = { method: 'get', tag: 'Batches', scope: 'record', record: 'batch', role: 'read' } as const;

/** The number of rows read before. */
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
/** Paid or possibly paid: important for an approver. */
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
    const rows = await rowsWithPhones(context, record);
    const paid = await context.queries.recentPayments({
      phones: [...new Set(rows.map(({ phone }) => phone))],
      accounts: accountsListed(context, key, undefined),
      states: PAID,
      since: createdFrom,
      batch: record.id,
    });
    const items = rows.flatMap(({ row, phone }) => recentOf(row, paid.get(phone)) ?? []);
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

interface RowWithPhone {
  readonly row: number;
  readonly phone: string;
}

/** Rows that pay a phone number. */
async function rowsWithPhones({ batches }: ApiContext, { id, totals }: BatchRecord): Promise<RowWithPhone[]> {
  const found: RowWithPhone[] = [];
  for (let from = 0; from < totals.count; from += ROWS_AT_ONCE) {
    for (const row of await batches.rows(id, from, ROWS_AT_ONCE)) {
      const phone = phoneIn(beneficiaryOf(row, [row.withdrawMode]));
      if (phone !== undefined) found.push({ row: row.row, phone });
    }
  }
  return found;
}

function recentOf(row: number, paid: RecentPayments | undefined) {
  if (paid === undefined) return undefined;
  const { id, amount, state, createdAt } = paid.last;
  const last = { id, amount, state, createdAt: new Date(createdAt).toISOString() };
  return { row, count: paid.count, xof: paid.xof, last };
}

export const batchRowRoutes = [listBatchRows, listRecentPayments];
