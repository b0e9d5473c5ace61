/** Lists of operations: every kind by the same filters, which hold together, the newest first; as JSON, or as CSV. */
import type { Request } from 'express';
import { z } from 'zod';
import { type Kind, asDeclared } from '../kinds/index.ts';
import { askedTime, identityText } from '../kinds/request-pieces.ts';
import { statesOf } from '../kinds/states.ts';
import { csvCell } from '../files/csv.ts';
import { type Filters, isMeant, pageCursor } from '../operations/queries.ts';
import { type BatchRecord, type RecordAt, UnreadableRecord } from '../operations/record.ts';
import { idOfReference } from '../producer/acceptance.ts';
import { invoiceView, paymentRequestView } from './collect-views.ts';
import type { ApiContext } from './context.ts';
import { accountsListed } from './gates.ts';
import { listAnswerOf, TOLD_ALONE } from './openapi/answers-shared.ts';
import { after, limit, listedAccount } from './openapi/pieces.ts';
import { type RouteDeclaration, type tags, route } from './route.ts';
import { campaignView, unreadableView, view, viewOf } from './views.ts';

type ListedKind = Exclude<Kind, 'slice' | 'message'>;

interface Listed<K extends ListedKind> {
  readonly kind: K;
  readonly path: string;
  /** For generated clients. */
  readonly id: string;
  readonly tag: keyof typeof tags;
  readonly cli: string;
  /** At a shell, and as CSV. */
  readonly columns: readonly string[];
  readonly row: (record: RecordAt<K>, now: number) => Readonly<Record<string, unknown>>;
}

const time = (description: string) => askedTime.transform(Date.parse).optional().meta({ description });
const xof = (description: string) => z.int().min(0).optional().meta({ description });

function filtersOf<const K extends ListedKind>(kind: K) {
  const asked = asDeclared(kind).request?.shape ?? {};
  return {
    state: z.enum(statesOf(kind)).optional().meta({ description: 'Only in this state.' }),
    ...('reference' in asked
      ? { reference: identityText(128).optional().meta({ description: 'The one that the caller gave this name.' }) }
      : {}),
    account: listedAccount,
    createdFrom: time('Asked for at this time, or later.'),
    createdTo: time('Asked for at this time, or before.'),
    ...(kind === 'campaign' || kind === 'batch'
      ? {}
      : { amountMin: xof('Of so many XOF, or more.'), amountMax: xof('Of so many XOF, or less.') }),
    after: after(pageCursor),
    limit: limit(50, 500),
  };
}

function listRoute<const K extends ListedKind>(listed: Listed<K>) {
  const { kind, path, id, tag, columns } = listed;
  const declaration = {
    method: 'get',
    path,
    id,
    tag,
    cli: { name: listed.cli, example: `--state ${statesOf(kind)[0]}`, columns },
    summary: 'List them, the newest first; as CSV with `Accept: text/csv`.',
    description:
      'All filters together. A page may be short, or empty, while `next` still leads on. Of one state that is not final, ' +
      'the newest is the one that came to it last.',
    role: 'read',
    scope: 'list',
    query: filtersOf(kind),
    answers: {
      200: {
        says: 'A page of them.',
        schema: listAnswerOf(kind),
        files: { 'text/csv': { says: 'One line each.', example: `${columns.join(';')}\r\n` } },
        headers: { 'X-Next': 'With CSV: what `next` is with JSON; absent at the end.' },
      },
    },
  } as const satisfies RouteDeclaration;
  return route(declaration, async ({ context, key, query, request, response }) => {
    const filters = { ...query, accounts: accountsListed(context, key, query.account) };
    const { items, next } = await pageOf(context, kind, filters);
    const now = context.clock.now();
    const rows = items.map((item) =>
      item instanceof UnreadableRecord ? unreadableView(item) : rowOf(listed, item, now),
    );
    if (!asksForCsv(request)) return { items: rows, next: next ?? null };
    if (next) response.set('X-Next', next);
    response.type('text/csv').send(csvOf(columns, rows));
    return undefined;
  });
}

type Asked = Filters & {
  readonly reference?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
};

async function pageOf<K extends ListedKind>(
  context: ApiContext,
  kind: K,
  { reference, ...filters }: Asked,
): Promise<{ readonly items: readonly (RecordAt<K> | UnreadableRecord)[]; readonly next?: string }> {
  if (reference === undefined) return context.queries.page(kind, filters);
  // There is one page of them.
  if (filters.after !== undefined) return { items: [] };
  const { accounts = context.accountNames } = filters;
  const found = await Promise.all(accounts.map((account) => byReference(context, kind, account, reference)));
  return { items: found.filter((record) => record !== undefined).filter((record) => isMeant(record, filters)) };
}

/** A reference is unique per account and kind. */
async function byReference<K extends ListedKind>(
  { queries, environment }: ApiContext,
  kind: K,
  account: string,
  reference: string,
) {
  const own = await queries.idOfReference(kind, account, reference);
  return queries.read(kind, own ?? idOfReference(environment, kind, account, reference));
}

const rowOf = <K extends ListedKind>(listed: Listed<K>, record: RecordAt<K>, now: number): Record<string, unknown> =>
  Object.fromEntries(Object.entries(listed.row(record, now)).filter(([name]) => !TOLD_ALONE.includes(name)));

const asksForCsv = (request: Request): boolean => request.accepts(['json', 'csv']) === 'csv';

function csvOf(columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  const cell = (value: unknown): string =>
    csvCell(
      value === undefined || value === null
        ? ''
        : typeof value === 'object'
          ? JSON.stringify(value)
          : (value as string | number),
    );
  const lines = rows.map((row) => columns.map((name) => cell(row[name])).join(';'));
  return `\ufeff${[columns.join(';'), ...lines].join('\r\n')}\r\n`;
}

/** Its rows, and what is wrong with them, are told where it is read alone. */
function batchRow(record: BatchRecord) {
  const [problemCount, warningCount] = [record.problems.count, record.warnings.count];
  return viewOf<'batch'>(record, { problemCount, warningCount, expiresAt: null, states: {} });
}

const PAID = ['id', 'state', 'amount', 'accountAlias', 'withdrawMode', 'reference', 'updatedAt'];

export const listRoutes = [
  listRoute({
    kind: 'disbursement',
    path: '/v1/disbursements',
    id: 'listDisbursements',
    tag: 'Disbursements',
    cli: 'disburse list',
    columns: PAID,
    row: (record) => view(record),
  }),
  listRoute({
    kind: 'batch',
    path: '/v1/disbursement-batches',
    id: 'listBatches',
    tag: 'Batches',
    cli: 'disburse batch-list',
    columns: ['id', 'state', 'account', 'totals', 'uploadedBy', 'approvedBy', 'createdAt'],
    row: batchRow,
  }),
  listRoute({
    kind: 'campaign',
    path: '/v1/campaigns',
    id: 'listCampaigns',
    tag: 'Campaigns',
    cli: 'campaign list',
    columns: ['id', 'state', 'name', 'reason', 'segments', 'account', 'createdAt'],
    row: campaignView,
  }),
  listRoute({
    kind: 'invoice',
    path: '/v1/invoices',
    id: 'listInvoices',
    tag: 'Invoices',
    cli: 'invoice list',
    columns: ['id', 'state', 'totalAmount', 'amountPaid', 'reference', 'account', 'createdAt'],
    row: invoiceView,
  }),
  listRoute({
    kind: 'payment_request',
    path: '/v1/payment-requests',
    id: 'listPaymentRequests',
    tag: 'Payment requests',
    cli: 'payment-request list',
    columns: ['id', 'state', 'amount', 'feesPaidBy', 'reference', 'account', 'createdAt'],
    row: paymentRequestView,
  }),
  listRoute({
    kind: 'direct_credit',
    path: '/v1/direct-credits',
    id: 'listDirectCredits',
    tag: 'Direct credits',
    cli: 'direct-credit list',
    columns: ['id', 'state', 'amount', 'accountAlias', 'transactionId', 'reference', 'createdAt'],
    row: (record) => view(record),
  }),
];
