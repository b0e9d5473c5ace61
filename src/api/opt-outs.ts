/** Who does not want to be texted. Asked for when a chunk is sent, so what is written here counts from now on. */
import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import { accountName, country, visible } from '../kinds/request-pieces.ts';
import { UnusableFile } from '../files/problems.ts';
import { type OptOutPhone, type PhoneRefused, phonesInFile, readPhones } from '../campaigns/opt-out-phones.ts';
import type { OptOutList } from '../operations/opt-outs.ts';
import { problemsOf } from '../producer/problems.ts';
import {
  type ApiContext,
  isRecord,
  queryNumber,
  queryText,
  requireAccount,
  requireKeeping,
  requireKept,
  requireRole,
} from './context.ts';
import { fileBodyOf } from './file-body.ts';
import { invalid } from './problem.ts';

const AT_ONCE = 1_000;
const REFUSED_SHOWN = 20;
const PHONES_MAX = 50_000;

const listFields = {
  from: visible(20).optional(),
  account: accountName.default('main'),
  country: country.optional(),
};

export const optOutRequest = z
  .strictObject({
    phones: z
      .array(z.string().max(64))
      .min(1)
      .max(PHONES_MAX)
      .meta({ example: ['+221771234567'] }),
    ...listFields,
  })
  .meta({ id: 'OptOutRequest' });
const optOutQuery = z.object(listFields);

export function optOutRoutes(context: ApiContext): Router {
  const router = Router();
  router.post('/', (request, response) => change(context, { request, response }, 'add'));
  router.delete('/', (request, response) => change(context, { request, response }, 'remove'));
  router.get('/', (request, response) => list(context, request, response));
  return router;
}

type How = 'add' | 'remove';
type Phones = AsyncIterable<OptOutPhone> | Iterable<OptOutPhone>;

interface Exchange {
  readonly request: Request;
  readonly response: Response;
}

interface Done {
  readonly changed: number;
  /** They were as they were asked to be. */
  readonly asBefore: number;
  readonly refused: readonly PhoneRefused[];
}

/** What can be read is done, what cannot is named by its place: one bad row keeps nobody's wish waiting. */
async function change(context: ApiContext, { request, response }: Exchange, how: How): Promise<void> {
  const key = requireRole(response, how === 'add' ? 'enqueue' : 'operate');
  const { named, phones } = read(context, request);
  requireAccount(key, named);
  requireKeeping(context, response);
  const { changed, asBefore, refused } = await changeAll(phones, (part) => context.optOuts[how](named, part));
  await requireKept(context);
  const shownOnes = refused.slice(0, REFUSED_SHOWN);
  if (changed + asBefore === 0 && refused.length > 0) throw invalid(shownOnes.map(asProblem));
  response.json({
    ...shown(named),
    ...(how === 'add' ? { added: changed, already: asBefore } : { removed: changed, absent: asBefore }),
    refused: refused.length,
    problems: shownOnes,
  });
}

async function changeAll(phones: Phones, run: (part: readonly string[]) => Promise<number>): Promise<Done> {
  const refused: PhoneRefused[] = [];
  let [changed, asked] = [0, 0];
  let part: string[] = [];
  const flush = async (): Promise<void> => {
    changed += await run(part);
    asked += part.length;
    part = [];
  };
  try {
    for await (const one of phones) {
      if ('phone' in one) part.push(one.phone);
      else refused.push(one.refused);
      if (part.length === AT_ONCE) await flush();
    }
    await flush();
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    throw invalid(error.problems.map(({ message, row }) => ({ pointer: row ? `/${row}` : '', message })));
  }
  return { changed, asBefore: asked - changed, refused };
}

function asProblem({ at, message }: PhoneRefused) {
  return { pointer: `/${at}`, message };
}

/** Where the numbers come from: a JSON body, or a file with the rest in the query. */
function read({ defaultCountry }: ApiContext, request: Request): { named: OptOutList; phones: Phones } {
  const file = fileBodyOf(request);
  const parsed = file ? optOutQuery.safeParse(request.query) : optOutRequest.safeParse(request.body);
  if (!parsed.success) throw invalid(problemsOf(parsed.error));
  const { account, from = '', country: code = defaultCountry } = parsed.data;
  const named = { account, sender: from };
  if (file) return { named, phones: phonesInFile(request, { country: code, ...file }) };
  const written = 'phones' in parsed.data && isRecord(parsed.data) ? (parsed.data['phones'] as string[]) : [];
  return { named, phones: readPhones(written, { country: code }) };
}

async function list(context: ApiContext, request: Request, response: Response): Promise<void> {
  const key = requireRole(response, 'read');
  const parsed = optOutQuery.safeParse(request.query);
  if (!parsed.success) throw invalid(problemsOf(parsed.error));
  const { account, from = '', country: code = context.defaultCountry } = parsed.data;
  requireAccount(key, { account });
  const named = { account, sender: from };
  const phone = queryText(request, 'phone', /^[\d\s+().-]{1,40}$/);
  if (phone !== undefined) {
    const [one] = readPhones([phone], { country: code });
    if (!one || 'refused' in one) throw invalid([{ pointer: '/phone', message: one?.refused.message ?? '' }]);
    const sender = from === '' ? {} : { sender: from };
    const [optedOut = false] = await context.optOuts.among(account, [{ to: one.phone, ...sender }]);
    response.json({ ...shown(named), phone: one.phone, optedOut });
    return;
  }
  const after = queryText(request, 'after', /^\d{1,20}$/);
  const limit = queryNumber(request, 'limit', 1_000, 10_000);
  const page = await context.optOuts.page(named, { limit, ...(after === undefined ? {} : { after }) });
  const { listed, forgotten } = await context.optOuts.count(named);
  response.json({ ...shown(named), total: listed, forgotten, items: page.phones, next: page.next ?? null });
}

function shown({ account, sender }: OptOutList) {
  return { account, from: sender === '' ? null : sender };
}
