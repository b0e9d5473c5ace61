/** Forgetting a person, a bounded walk a request: `next` is where the next one goes on. */
import { z } from 'zod';
import { readStoredPhone } from '../campaigns/opt-out-phones.ts';
import type { Act } from '../ledger/acts.ts';
import { plainText } from '../lib/letters.ts';
import { digitsOf, maskPhone } from '../lib/phone.ts';
import { numberingsOf } from '../lib/renumbering.ts';
import { LAST_DIGITS } from '../operations/past.ts';
import { forgetName, nameInHistory } from '../operations/places.ts';
import { MARKS_KEPT_S } from '../operations/slice-form.ts';
import { country } from '../kinds/request-pieces.ts';
import { payeeOf } from '../upstream/capabilities.ts';
import { type ApiContext } from './context.ts';
import { purged } from './openapi/answers-operating.ts';
import { answer, json, route } from './route.ts';
import { invalid } from './problem.ts';

const purgeRequest = z
  .strictObject({
    phone: z.string().max(64).meta({ example: '+221771234567' }),
    country: country.optional(),
    after: z
      .string()
      .regex(/^(?:(?:[0-9a-f]{8}|unnamed)-\d{1,20}|events-\d{1,15}-\d{1,10}|jobs-\d{1,10}|history-[a-z0-9_]{0,40})$/)
      .optional()
      .meta({ description: 'Where the last answer left off (`next`).' }),
  })
  .meta({ id: 'PurgeRequest' });

/** Said with every answer. Books must balance: what was paid stays, with the number that it was paid to. */
export const KEPT =
  'Disbursements and other money records stay with their phone numbers, as accounting records; a search by phone number ' +
  `does not find them any more. Hashed traces of sent SMS expire at most ${MARKS_KEPT_S / 86_400} days after the SMS.`;

const purgePerson = route(
  {
    method: 'post',
    path: '/v1/purge',
    id: 'purgePerson',
    fresh: true,
    tag: 'Operating',
    summary: 'Erase personal data',
    description:
      'Erases the phone number and the SMS of one person everywhere except in money records. Each request does a ' +
      'bounded amount of work: repeat it with `next` as `after` until `next` is null.',
    role: 'operate',
    scope: { all: 'a person is forgotten in all' },
    body: json(purgeRequest),
    answers: { 200: answer('What this walk found.', purged) },
  },
  async ({ context, act, body: { phone: written, after, country: code = context.defaultCountry } }) => {
    const one = readStoredPhone(written, { country: code });
    if ('refused' in one) throw invalid([{ pointer: '/phone', message: one.refused.message }]);
    const { phone } = one;
    const telling = (facts: Act['facts']): Act => act(maskPhone(phone), facts);
    const optOuts = after === undefined ? await context.optOuts.forget(phone, telling({ begun: true })) : 0;
    const { next, found, ...walked } = await step(context, { phone, code, after, act: telling });
    // Last of all too: a text that was still on its way may have been accepted since the first request.
    if (after === undefined) await forgetNumber(context, phone);
    if (next === undefined) await forgetNumber(context, phone, telling({ over: true }));
    const facts = { phone: maskPhone(phone), ...walked, found: { ...NOTHING, ...found, optOuts } };
    return { ...facts, ...(next === undefined ? {} : { next }), kept: KEPT };
  },
);

/** Nothing is found by the number any more, what stays in the books neither. */
async function forgetNumber({ redis, names }: ApiContext, phone: string, act?: Act): Promise<void> {
  await forgetName(redis, await names.placeOf(payeeOf(phone, undefined)), act);
}

const NOTHING = { messages: 0, recipients: 0, files: 0, intakeJobs: 0, events: 0, optOuts: 0 };
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
  readonly act: (facts: Act['facts']) => Act;
}

/** First our keys, then the stream of events, then the jobs that callers have added and what BullMQ says of them; history last. */
async function step(
  { purge, intakeJobs, audit }: ApiContext,
  { phone, code, after = '', act }: Person,
): Promise<Step> {
  const reads = readerOf(phone, code);
  const [walk, place = ''] = /^(events|jobs|history)-(.*)$/.exec(after)?.slice(1) ?? [];
  if (walk === 'events') {
    const { found, next } = await purge.events(mentions(phone), { after: place, act: act({}) });
    return { looked: 0, open: 0, found: { events: found }, next: next === undefined ? 'jobs-0' : `events-${next}` };
  }
  if (walk === 'jobs') {
    const isAbout = mentions(phone);
    const among = (text: string): boolean => isAbout(text) || wordsIn(text).some(reads);
    const { looked, removed, open, next } = await intakeJobs.forget(among, {
      from: Number(place),
      // BullMQ takes it out by a script of its own: the line comes first, so that there is no act without one.
      before: () => audit.tell(act({ intakeJobs: 1 })),
    });
    const events = next === undefined ? await purge.announcements('intake', among, act({ of: 'intake' })) : 0;
    const found = { intakeJobs: removed, events };
    return { looked, open, found, next: next === undefined ? 'history-' : `jobs-${next}` };
  }
  if (walk === 'history') {
    const name = nameInHistory(['phone', payeeOf(phone, undefined)]);
    const told = (facts: Act['facts']): Promise<void> => audit.tell(act(facts));
    const { next, ...found } = (await purge.inHistory({ phone, reads, name, told }, place)) ?? {};
    return { looked: 0, open: 0, found, ...(next === undefined ? {} : { next: `history-${next}` }) };
  }
  const {
    next = 'events-0-0',
    looked,
    open,
    messages,
    recipients,
    rows,
    files,
  } = await purge.page({ phone, reads, act }, after);
  return { looked, open, found: { messages, recipients: recipients + rows, files }, next };
}

/** Every number of the person in its digits, whatever stands between them. */
function mentions(phone: string): (text: string) => boolean {
  const all = numberingsOf(digitsOf(phone));
  const spread = new RegExp(all.map((digits) => digits.split('').join('[\\s().-]{0,2}')).join('|'));
  return (text) => spread.test(plainText(text));
}

/** What stands in quotes in a JSON text, and is short enough for a number. */
function wordsIn(text: string): string[] {
  return [...text.matchAll(/"([^"\\]{6,32})"/g)].map(([, word = '']) => word);
}

/** Every country of ours gives a number so many digits at least; behind some of them stands more than a number. */
const OWN_DIGITS = 8;

/** Whether what was written is this number, or has it within. Most are told by their last digits already. */
function readerOf(phone: string, code: string | undefined): (written: string) => boolean {
  const tail = phone.slice(-LAST_DIGITS);
  const numbers = numberingsOf(digitsOf(phone));
  return (written) => {
    const digits = written.replace(/\D/g, '');
    if (!digits.includes(tail)) return false;
    const one = readStoredPhone(written, { country: code });
    if ('phone' in one) return numbers.includes(digitsOf(one.phone));
    // A row without its country code may be a number of any country: too much is forgotten rather than too little.
    return digits.endsWith(tail) || digits.includes(phone.slice(-OWN_DIGITS));
  };
}

export const purgeRoutes = [purgePerson];
