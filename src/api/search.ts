/** Search for operations by any lookup key. */
import { kindOf, kinds } from '../kinds/index.ts';
import { textedCursor, textedPage } from '../campaigns/texted.ts';
import { NAME_MOST } from '../kinds/fields.ts';
import { soughtText } from '../kinds/request-pieces.ts';
import type { RecordBase } from '../operations/record.ts';
import { mayUseAccount } from './keys.ts';
import type { ApiContext } from './context.ts';
import { idsOfReference, payeesOf, phonesOf } from './finding.ts';
import { accountsListed } from './gates.ts';
import { found as foundAnswer } from './openapi/answers-operating.ts';
import { textedList } from './openapi/answers-texts.ts';
import { after, answer, limit, listedAccount, route } from './route.ts';

const FOUND_MOST = 50;

const search = route(
  {
    method: 'get',
    path: '/v1/search',
    id: 'search',
    cli: {
      name: 'search',
      argument: 'q',
      columns: ['kind', 'id', 'state', 'reference', 'account', 'createdAt'],
      none: 'No exact match. Search with the whole identifier.',
      next: 'Show the timeline of an operation: relais explain ID',
    },
    tag: 'Operating',
    summary: 'Search operations by identifier or phone number',
    description:
      'Exact matches of every kind by id, reference, provider identifier or phone number, newest first, at most ' +
      `${FOUND_MOST}; filtered lists return more. Erased personal data is not found.`,
    role: 'read',
    scope: 'list',
    query: {
      q: soughtText(NAME_MOST).meta({
        description:
          'An id, reference, disburseId, token, transactionId, reference of the provider, or a telephone number, ' +
          'however it is spelt.',
        example: '77 123 45 67',
      }),
    },
    answers: { 200: answer('All that it names.', foundAnswer) },
  },
  async ({ context, key, query: { q } }) => {
    const accounts = accountsListed(context, key, undefined);
    const { items } = await found(context, q, accounts);
    const byId = new Map(
      items.filter(({ account }) => mayUseAccount(key, account)).map((record) => [record.id, record] as const),
    );
    const newest = [...byId.values()].sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
    return { items: newest.slice(0, FOUND_MOST).map(rowOf) };
  },
);

function rowOf({ kind, id, state, reference, account, createdAt }: RecordBase) {
  return {
    kind,
    id,
    state,
    reference: reference ?? null,
    account,
    createdAt: new Date(createdAt).toISOString(),
  };
}

/** An unreadable operation is found only by its id, at its own route. */
async function found(context: ApiContext, q: string, accounts: readonly string[] | undefined) {
  const { queries, defaultCountry } = context;
  const kind = /^[\w.-]{1,80}$/.test(q) ? kindOf(q) : undefined;
  const referred = await Promise.all(kinds.map((one) => idsOfReference(context, one, q, accounts)));
  const named = [
    ...(['token', 'transactionId', 'providerRef', 'disburseId'] as const).map((name) => [name, q] as const),
    ...payeesOf(q, defaultCountry).map((payee) => ['phone', payee] as const),
  ];
  const ids = [...(kind === undefined ? [] : [q]), ...referred.flat()];
  return queries.sought({ word: q, ids: [...new Set(ids)], named }, { accounts, limit: FOUND_MOST });
}

const texted = route(
  {
    method: 'get',
    path: '/v1/recipients',
    id: 'listTexted',
    tag: 'Campaigns',
    cli: {
      name: 'campaign texted',
      example: "--phone '77 123 45 67'",
      columns: ['campaign', 'name', 'state', 'sentAt', 'code', 'account', 'createdAt'],
    },
    summary: 'Find campaigns by phone number',
    description: 'With the result for the number, newest campaign first. Erased personal data is not found.',
    role: 'read',
    scope: 'list',
    query: {
      phone: soughtText(NAME_MOST).meta({
        description: 'The phone number, in any spelling.',
        example: '+221771234567',
      }),
      account: listedAccount,
      after: after(textedCursor),
      limit: limit(50, 200),
    },
    answers: { 200: answer('A page of them.', textedList) },
  },
  async ({ context, key, query: { phone, account, ...page } }) => {
    const accounts = accountsListed(context, key, account);
    const phones = phonesOf(phone, context.defaultCountry);
    const { items, next } = await textedPage(context, { ...page, accounts, phones });
    return { items: items.map(textedRow), next: next ?? null };
  },
);

type Texted = Awaited<ReturnType<typeof textedPage>>['items'][number];

function textedRow({ campaign: { id, name, account, createdAt }, recipient: { row, state, code, sentAt } }: Texted) {
  const when = new Date(createdAt).toISOString();
  return { campaign: id, name, account, row, state, code: code ?? null, sentAt: sentAt ?? null, createdAt: when };
}

export const searchRoutes = [search, texted];
