/** Forgetting a person, a bounded walk a request: `next` is where the next one goes on. */
import { Router } from 'express';
import { z } from 'zod';
import { country } from '../kinds/request-pieces.ts';
import { readPhones } from '../campaigns/opt-out-phones.ts';
import { maskPhone } from '../lib/mask.ts';
import { MARKS_KEPT_S } from '../operations/text-marks.ts';
import { problemsOf } from '../producer/problems.ts';
import { type ApiContext, requireRole } from './context.ts';
import type { ApiKey } from './keys.ts';
import { ApiProblem, invalid } from './problem.ts';

export const purgeRequest = z
  .strictObject({
    phone: z.string().max(64).meta({ example: '+221771234567' }),
    country: country.optional(),
    after: z
      .string()
      .regex(/^(?:\d{1,20}|events-\d{1,15}-\d{1,10}|jobs-\d{1,10})$/)
      .optional()
      .meta({ description: 'Where the last answer left off (`next`).' }),
  })
  .meta({ id: 'PurgeRequest' });

/** Books must balance: what was paid stays, with the number that it was paid to. */
const KEPT =
  'Disbursements and other money records stay, with their numbers: they are books of account. Hashed marks of the texts ' +
  `that were sent to them end by themselves, ${MARKS_KEPT_S / 86_400} days after the text at the latest.`;

export function purgeRoutes(context: ApiContext): Router {
  const router = Router();
  router.post('/', async (request, response) => {
    const key = requireEverything(requireRole(response, 'operate'));
    const parsed = purgeRequest.safeParse(request.body);
    if (!parsed.success) throw invalid(problemsOf(parsed.error));
    const { phone: written, after, country: code = context.defaultCountry } = parsed.data;
    const [one] = readPhones([written], { country: code });
    if (!one || 'refused' in one) throw invalid([{ pointer: '/phone', message: one?.refused.message ?? '' }]);
    const { phone } = one;
    const { next, found, ...told } = await step(context, { phone, code, after });
    const optOuts = after === undefined ? await context.optOuts.forget(phone) : 0;
    const facts = { phone: maskPhone(phone), ...told, found: { ...NOTHING, ...found, optOuts } };
    context.audit({ by: key.name, did: 'purge', ...facts, over: next === undefined });
    response.json({ ...facts, ...(next === undefined ? {} : { next }), kept: KEPT });
  });
  return router;
}

const NOTHING = { messages: 0, recipients: 0, intakeJobs: 0, events: 0, optOuts: 0 };
type Found = Partial<typeof NOTHING>;

interface Step {
  readonly looked: number;
  readonly open: number;
  readonly found: Found;
  readonly next?: string;
}

interface Person {
  readonly phone: string;
  readonly code: string | undefined;
  readonly after: string | undefined;
}

/** First our keys, then the stream of events, then the jobs that callers have added and what BullMQ says of them. */
async function step({ purge, intakeJobs }: ApiContext, { phone, code, after = '0' }: Person): Promise<Step> {
  const reads = readerOf(phone, code);
  const [walk, place = ''] = /^(events|jobs)-(.*)$/.exec(after)?.slice(1) ?? [];
  if (walk === 'events') {
    const { found, next } = await purge.events(mentions(phone), place);
    return { looked: 0, open: 0, found: { events: found }, next: next === undefined ? 'jobs-0' : `events-${next}` };
  }
  if (walk === 'jobs') {
    const isAbout = mentions(phone);
    const among = (text: string): boolean => isAbout(text) || wordsIn(text).some(reads);
    const { looked, removed, open, next } = await intakeJobs.forget(among, Number(place));
    const events = next === undefined ? await purge.announcements('intake', among) : 0;
    const found = { intakeJobs: removed, events };
    return { looked, open, found, ...(next === undefined ? {} : { next: `jobs-${next}` }) };
  }
  const { next = 'events-0-0', looked, open, messages, recipients, rows } = await purge.page(phone, { after, reads });
  return { looked, open, found: { messages, recipients: recipients + rows }, next };
}

/** The number in its digits, whatever stands between them. */
function mentions(phone: string): (text: string) => boolean {
  const digits = phone.slice(1);
  const spread = new RegExp(digits.split('').join('[\\s().-]{0,2}'));
  return (text) => text.includes(digits) || spread.test(text);
}

/** What stands in quotes in a JSON text, and is short enough for a number. */
function wordsIn(json: string): string[] {
  return [...json.matchAll(/"([^"\\]{6,32})"/g)].map(([, word = '']) => word);
}

/** The walk goes through every account. */
function requireEverything(key: ApiKey): ApiKey {
  if (key.accounts === undefined) return key;
  throw new ApiProblem('forbidden', `The key "${key.name}" is for some accounts, and a person is forgotten in all.`);
}

/** Whether a number in a row that was left out is this one. Most are told by their last digits already. */
function readerOf(phone: string, code: string | undefined): (written: string) => boolean {
  const tail = phone.slice(-6);
  return (written) => {
    if (!written.replace(/\D/g, '').endsWith(tail)) return false;
    const [one] = readPhones([written], { country: code });
    // A row without its country code may be a number of any country: too much is forgotten rather than too little.
    return one !== undefined && ('refused' in one || one.phone === phone);
  };
}
