/** Recipients who opted out. Read at each send, so a change takes effect at once. */
import { z } from 'zod';
import { UnusableFile } from '../files/problems.ts';
import { type OptOutPhone, type PhoneRefused, phonesInFile, readPhones } from '../campaigns/opt-out-phones.ts';
import { type OptOutList, nameOf } from '../ledger/opt-outs.ts';
import { accountName, country, senderId } from '../kinds/request-pieces.ts';
import { requireStill } from './gates.ts';
import { requireFileBody } from './file-body.ts';
import { optOuts, optOutsChanged } from './openapi/answers-texts.ts';
import { after, answer, json, limit, listFiles, type AnyAsked, route } from './route.ts';
import { invalid, languageFor } from './problem.ts';
import type { Problem } from '../producer/problems.ts';
import { textOf } from '../messages/texts.ts';

const AT_ONCE = 1_000;
const REFUSED_SHOWN = 20;
const PHONES_MAX = 50_000;

const listFields = {
  from: senderId.optional().meta({ description: 'Only of this sender; absent: of all.' }),
  account: accountName.default('main').meta({ description: 'Name of the account.' }),
  country: country.optional().meta({ description: 'Country of the numbers that are written without one.' }),
};

const optOutRequest = z
  .strictObject({
    phones: z
      .array(z.string().max(64))
      .min(1)
      .max(PHONES_MAX)
      .meta({ example: ['+221771234567'] }),
    ...listFields,
  })
  .meta({ id: 'OptOutRequest' });

const changing = {
  path: '/v1/opt-outs',
  tag: 'Opt-outs',
  description: 'What cannot be read is named by its place, and the others are done.',
  scope: 'named',
  durable: 'also recovering',
  query: listFields,
  body: {
    ...json(optOutRequest),
    // The other options are in the query.
    files: listFiles('to\n+221771234567\n', '{"to":"+221771234567"}\n'),
  },
} as const;

const addOptOuts = route(
  {
    ...changing,
    method: 'post',
    id: 'addOptOuts',
    summary: 'Add opt-outs',
    description:
      'relais sends no more SMS to these numbers. A number that cannot be read is reported with its position; all ' +
      'other numbers are added.',
    role: 'enqueue-sms',
    answers: { 200: answer('How many are new.', optOutsChanged) },
  },
  async (asked) => {
    const { changed, asBefore, ...told } = await change(asked, 'add');
    return { added: changed, already: asBefore, ...told };
  },
);

const removeOptOuts = route(
  {
    ...changing,
    method: 'delete',
    id: 'removeOptOuts',
    fresh: true,
    summary: 'Remove opt-outs',
    description:
      'Only at the request of the recipients: relais can send SMS to these numbers again. A number that cannot be ' +
      'read is reported with its position; all other numbers are removed.',
    role: 'operate',
    answers: { 200: answer('How many were on the list.', optOutsChanged) },
  },
  async (asked) => {
    const { changed, asBefore, ...told } = await change(asked, 'remove');
    return { removed: changed, absent: asBefore, ...told };
  },
);

type List = z.output<z.ZodObject<typeof listFields>>;

interface AskedToChange extends Pick<AnyAsked, 'context' | 'key' | 'request' | 'act' | 'hold'> {
  readonly query: List;
  readonly body: z.output<typeof optOutRequest> | undefined;
}

/** Valid rows are processed, and invalid ones are reported by position: one bad row does not delay the others. */
async function change({ context, key, request, query, body, act, hold }: AskedToChange, how: 'add' | 'remove') {
  const { country: code = context.defaultCountry, ...list } = body ?? query;
  const named = namedBy(list);
  const phones = body
    ? readPhones(body.phones, { country: code })
    : phonesInFile(request.iterator({ destroyOnReturn: false }), {
        country: code,
        held: hold(),
        ...requireFileBody(request),
      });
  const { problems, ...done } = await changeAll(phones, async (part) => {
    // An upload may take minutes.
    await requireStill(context, key);
    return context.optOuts[how](named, part, act(nameOf(named)));
  });
  if (done.changed + done.asBefore === 0 && done.refused > 0) throw invalid(problems.map(asProblem));
  const language = languageFor(request);
  const told = problems.map((one) => ({ ...one, message: textOf({ code: one.reason }, language) }));
  return { ...shown(named), ...done, problems: told };
}

type Phones = AsyncIterable<OptOutPhone> | Iterable<OptOutPhone>;

interface Done {
  readonly changed: number;
  /** They already had the requested state. */
  readonly asBefore: number;
  readonly refused: number;
  /** The first refused rows only: a file may have millions, and is never stored. */
  readonly problems: readonly PhoneRefused[];
}

async function changeAll(phones: Phones, run: (part: readonly string[]) => Promise<number>): Promise<Done> {
  const problems: PhoneRefused[] = [];
  let [changed, asked, refused] = [0, 0, 0];
  let part: string[] = [];
  const flush = async (): Promise<void> => {
    changed += await run(part);
    asked += part.length;
    part = [];
  };
  try {
    for await (const one of phones) {
      if ('phone' in one) part.push(one.phone);
      else if ((refused += 1) <= REFUSED_SHOWN) problems.push(one.refused);
      if (part.length === AT_ONCE) await flush();
    }
    await flush();
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    throw invalid(error.problems.map(({ code, row }) => ({ pointer: row ? `/${row}` : '', message: { code } })));
  }
  return { changed, asBefore: asked - changed, refused, problems };
}

function asProblem({ at, reason }: PhoneRefused): Problem {
  return { pointer: `/${at}`, message: { code: reason } };
}

const listOptOuts = route(
  {
    method: 'get',
    path: '/v1/opt-outs',
    id: 'listOptOuts',
    tag: 'Opt-outs',
    summary: 'List opt-outs',
    description: 'With `phone`, the answer says whether this number has opted out.',
    role: 'read',
    scope: 'named',
    query: {
      ...listFields,
      phone: z.string().max(64).optional().meta({ description: 'Answered with `optedOut`, without the list.' }),
      after: after(/^\d{1,20}$/),
      limit: limit(1_000, 10_000),
    },
    answers: { 200: answer('A page of them, or the one that was asked about.', optOuts) },
  },
  async ({
    context,
    query: { phone, after: place, limit: most, country: code = context.defaultCountry, ...list },
  }) => {
    const named = namedBy(list);
    if (phone !== undefined) {
      const [one] = readPhones([phone], { country: code });
      if (!one || 'refused' in one)
        throw invalid([{ pointer: '/phone', message: { code: one?.refused.reason ?? 'empty' } }]);
      const sender = named.sender === '' ? {} : { sender: named.sender };
      const [optedOut = false] = await context.optOuts.among(named.account, [{ to: one.phone, ...sender }]);
      return { ...shown(named), phone: one.phone, optedOut };
    }
    const page = await context.optOuts.page(named, { limit: most, ...(place === undefined ? {} : { after: place }) });
    const { listed, forgotten } = await context.optOuts.count(named);
    return { ...shown(named), total: listed, forgotten, items: page.phones, next: page.next ?? null };
  },
);

function namedBy({ account, from = '' }: Pick<List, 'account' | 'from'>): OptOutList {
  return { account, sender: from };
}

function shown({ account, sender }: OptOutList) {
  return { account, from: sender === '' ? null : sender };
}

export const optOutRoutes = [addOptOuts, removeOptOuts, listOptOuts];
