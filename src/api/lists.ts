/** Lists of operations: every kind with the same filters, combined with AND, newest first; as JSON or CSV. */
import type { Request } from 'express';
import { z } from 'zod';
import { type Kind, asDeclared, statesOf } from '../kinds/index.ts';
import { askedTime, soughtText } from '../kinds/request-pieces.ts';
import { csvCell } from '../files/csv.ts';
import { pageCursor } from '../lib/list-cursor.ts';
import { onClockOf } from '../lib/zone.ts';
import { NAME_MOST, type SoughtName, soughtNames } from '../kinds/fields.ts';
import { type Named, namesOf } from '../ledger/named.ts';
import type { PageOf } from '../ledger/listing.ts';
import type { ListFilters } from '../ledger/listing.ts';
import { idsOfReference, payeeOfQuery, phoneFilter } from './finding.ts';
import type { RecordAt } from '../operations/record.ts';
import type { ApiContext } from './context.ts';
import { accountsListed } from './gates.ts';
import { listAnswerOf, TOLD_ALONE } from './openapi/answers-shared.ts';
import { says } from '../messages/schemas.ts';
import { after, limit, listedAccount, type RouteDeclaration, type tags, route } from './route.ts';

interface Listed<K extends Kind> {
  readonly kind: K;
  readonly path: string;
  /** For generated clients. */
  readonly id: string;
  readonly tag: keyof typeof tags;
  readonly summary: string;
  readonly cli: string;
  /** In a terminal; CSV adds those of `DESCRIBING`. */
  readonly columns: readonly string[];
  readonly row: (record: RecordAt<K>, now: number) => Readonly<Record<string, unknown>>;
}

/** Columns of CSV alone: together they are too wide for a terminal. */
const DESCRIBING = ['payeeName', 'purpose', 'totalWithoutFees', 'fees', 'customer', 'customData', 'metadata'];

const time = (description: string) => askedTime.transform(Date.parse).optional().meta({ description });
const xof = (description: string) => z.int().min(0).optional().meta({ description });

const named = (description: string) => soughtText(NAME_MOST).optional().meta({ description });

/** Additional lookup keys by kind. */
const byName = {
  token: named('Only the operation with this provider token.'),
  transactionId: named('Only the operation with this provider transaction id.'),
  batch: named('Only rows of this payment batch.'),
  phone: phoneFilter,
} as const;

/** Each entry is a parameter of its own: `metadata.orderId=1042`. */
const metadataFilter = z
  .record(z.string().max(40), z.string().max(500))
  .refine((entries) => Object.keys(entries).length === 1, says('one_entry'))
  .optional()
  .meta({ description: 'Only operations with this value under KEY of their `metadata`.' });

function filtersOf<const K extends Kind>(kind: K) {
  const asked = asDeclared(kind).request?.shape ?? {};
  const names = namesOf(kind);
  return {
    state: z
      .array(z.enum(statesOf(kind)))
      .min(1)
      .optional()
      .meta({ description: 'Only these states, separated by commas.' }),
    ...('reference' in asked
      ? { reference: soughtText(128).optional().meta({ description: 'Only the operation with this reference.' }) }
      : {}),
    account: listedAccount,
    createdFrom: time('Created at this time or later.'),
    createdTo: time('Created at this time or before.'),
    ...(asDeclared(kind).money
      ? { amountMin: xof('Minimum amount in XOF.'), amountMax: xof('Maximum amount in XOF.') }
      : {}),
    ...('metadata' in asked ? { metadata: metadataFilter } : {}),
    ...(names.has('token') ? { token: byName.token } : {}),
    ...(names.has('transactionId') ? { transactionId: byName.transactionId } : {}),
    ...(names.has('batch') ? { batch: byName.batch } : {}),
    // An invoice has no phone number before a payment.
    ...(asDeclared(kind).payee ? { phone: byName.phone } : {}),
    after: after(pageCursor),
    limit: limit(50, 500),
    // A declared but unused parameter would be accepted and filter nothing.
  } satisfies Readonly<Partial<Record<keyof Asked | 'account', z.ZodType>>>;
}

export function listRoute<const K extends Kind>(listed: Listed<K>) {
  const { kind, path, id, tag, summary, columns } = listed;
  const csvColumns = [...columns, ...DESCRIBING.filter((name) => name in asDeclared(kind).fields)];
  const declaration = {
    method: 'get',
    path,
    id,
    tag,
    cli: { name: listed.cli, example: `--state ${statesOf(kind)[0]}`, columns },
    summary,
    description:
      'Newest first; as CSV with `Accept: text/csv`. All filters apply together. With a selective filter, a page can be ' +
      'short or empty while `next` still leads to more.',
    role: 'read',
    scope: 'list',
    query: filtersOf(kind),
    answers: {
      200: {
        says: 'A page of them.',
        schema: listAnswerOf(kind),
        files: { 'text/csv': { says: 'One line each.', example: `${csvColumns.join(';')}\r\n` } },
        headers: { 'X-Next': 'With CSV: what `next` is with JSON; absent at the end.' },
      },
    },
  } as const satisfies RouteDeclaration;
  return route(declaration, async ({ context, key, query, request, response }) => {
    const filters = { ...query, accounts: accountsListed(context, key, query.account) };
    const { items, next } = await pageFor(context, kind, filters);
    const now = context.clock.now();
    const rows = items.map((item) => rowOf(listed, item, now));
    if (!asksForCsv(request)) return { items: rows, next: next ?? null };
    if (next) response.set('X-Next', next);
    response.type('text/csv').send(csvOf(csvColumns, rows, context.reports.timezone));
    return undefined;
  });
}

interface Asked extends ListFilters, Partial<Readonly<Record<keyof typeof byName, string | undefined>>> {
  readonly state?: readonly string[] | undefined;
  readonly reference?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

async function pageFor<K extends Kind>(
  context: ApiContext,
  kind: K,
  { reference, state, token, transactionId, batch, phone, ...rest }: Asked,
): Promise<PageOf<K>> {
  // The most selective name comes first: its index is walked.
  const names = { token, transactionId, batch, phone: phone && payeeOfQuery(phone, context.defaultCountry) };
  const given = Object.entries(names).flatMap(([name, value]): Named[] =>
    value === undefined || !isSought(name) ? [] : [[name, value]],
  );
  const filters = { ...rest, states: state, ...(given.length > 0 ? { named: given } : {}) };
  if (reference === undefined) return context.queries.page(kind, filters);
  // There is one page.
  if (filters.after !== undefined) return { items: [] };
  const ids = await idsOfReference(context, kind, reference, filters.accounts);
  return context.queries.referred(kind, ids, { ...filters, reference });
}

const isSought = (name: string): name is SoughtName => Object.hasOwn(soughtNames, name);

const rowOf = <K extends Kind>(listed: Listed<K>, record: RecordAt<K>, now: number): Record<string, unknown> =>
  Object.fromEntries(Object.entries(listed.row(record, now)).filter(([name]) => !TOLD_ALONE.includes(name)));

const asksForCsv = (request: Request): boolean => request.accepts(['json', 'csv']) === 'csv';

/** Times are those of `zone`, with their offset. */
function csvOf(columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[], zone: string): string {
  const cell = (value: unknown): string =>
    csvCell(
      value === undefined || value === null
        ? ''
        : typeof value === 'object'
          ? JSON.stringify(value)
          : (value as string | number),
    );
  const lines = rows.map((row) => columns.map((name) => cell(onClockOf(zone, row[name]))).join(';'));
  return `\ufeff${[columns.join(';'), ...lines].join('\r\n')}\r\n`;
}
