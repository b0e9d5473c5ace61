/** Erasure of personal data in bounded steps: `next` is the position of the next request. */
import { z } from 'zod';
import { readStoredPhone } from '../campaigns/opt-out-phones.ts';
import type { Act } from '../ledger/acts.ts';
import type { PurgePage } from '../ledger/purge.ts';
import { plainText } from '../lib/letters.ts';
import { digitsOf, maskPhone } from '../lib/phone.ts';
import { numberingsOf } from '../lib/renumbering.ts';
import { country } from '../kinds/request-pieces.ts';
import { payeeOf } from '../provider/capabilities.ts';
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
      .regex(/^[a-z]+-[\w-]{0,200}$/)
      .optional()
      .meta({ description: 'Where the last answer left off (`next`).' }),
  })
  .meta({ id: 'PurgeRequest' });

/** Part of every answer. Accounts must balance: payments stay, with the paid number. */
export const KEPT =
  'Disbursements and other money records stay with their phone numbers, as accounting records; a search by phone number ' +
  'does not find them any more. Entries of the journal in Redis expire 72 hours after the SMS.';

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
    scope: 'all',
    body: json(purgeRequest),
    answers: { 200: answer('What this walk found.', purged) },
  },
  async ({ context, act, body: { phone: written, after, country: code = context.defaultCountry } }) => {
    const one = readStoredPhone(written, { country: code });
    if ('refused' in one) throw invalid([{ pointer: '/phone', message: { code: one.refused.reason } }]);
    const { phone } = one;
    const telling = (facts: Act['facts']): Act => act(maskPhone(phone), facts);
    const optOuts = after === undefined ? await context.optOuts.forget(phone, telling({ begun: true })) : 0;
    const { next, found, ...walked } = await step(context, { phone, code, after, act: telling });
    if (next === undefined) await context.audit.tell(telling({ over: true }));
    const facts = { phone: maskPhone(phone), ...walked, found: { ...NOTHING, ...found, optOuts } };
    return { ...facts, ...(next === undefined ? {} : { next }), kept: KEPT };
  },
);

const NOTHING = { messages: 0, payments: 0, recipients: 0, files: 0, intakeJobs: 0, events: 0, optOuts: 0 };
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

const JOBS = 'jobs-';

/** First the ledger, then waiting jobs of callers, and BullMQ's stored data of them. */
async function step(context: ApiContext, person: Person): Promise<Step> {
  const { phone, code, after = '', act } = person;
  const reads = readerOf(phone, code);
  if (after.startsWith(JOBS)) return inJobs(context, person, Number(after.slice(JOBS.length)));
  const beneficiary = payeeOf(phone, undefined);
  const page = await context.purge.page({ phone, beneficiary, reads, country: code, act }, after);
  const { looked, open, next = `${JOBS}0`, messages, payments, recipients, rows, files, events, intake } = page;
  const found = { messages, payments, recipients: recipients + rows, files, events, intakeJobs: intake };
  return { looked, open, found, next };
}

async function inJobs({ intakeJobs, audit }: ApiContext, { phone, code, act }: Person, from: number): Promise<Step> {
  const [reads, isAbout] = [readerOf(phone, code), mentions(phone)];
  const among = (text: string): boolean => isAbout(text) || wordsIn(text).some(reads);
  const { looked, removed, open, next } = await intakeJobs.forget(among, {
    from,
    // BullMQ removes the job by its own script: the audit line is written first, so that no act is missing.
    before: () => audit.tell(act({ intakeJobs: 1 })),
  });
  return { looked, open, found: { intakeJobs: removed }, ...(next === undefined ? {} : { next: `${JOBS}${next}` }) };
}

/** Finds every number of the person by its digits, with any separators. */
function mentions(phone: string): (text: string) => boolean {
  const all = numberingsOf(digitsOf(phone));
  const spread = new RegExp(all.map((digits) => digits.split('').join('[\\s().-]{0,2}')).join('|'));
  return (text) => spread.test(plainText(text));
}

/** Quoted parts of a JSON text that are short enough for a number. */
function wordsIn(text: string): string[] {
  return [...text.matchAll(/"([^"\\]{6,32})"/g)].map(([, word = '']) => word);
}

/** This many digits distinguish a number from most others. */
const LAST_DIGITS = 6;
/** The shortest national number of our countries; longer texts may contain more than a number. */
const OWN_DIGITS = 8;

/** Whether a written text is or contains this number. The last digits exclude most texts quickly. */
function readerOf(phone: string, code: string | undefined): (written: string) => boolean {
  const tail = phone.slice(-LAST_DIGITS);
  const numbers = numberingsOf(digitsOf(phone));
  return (written) => {
    const digits = written.replace(/\D/g, '');
    if (!digits.includes(tail)) return false;
    const one = readStoredPhone(written, { country: code });
    if ('phone' in one) return numbers.includes(digitsOf(one.phone));
    // A row without a country code may belong to any country: rather erase too much than too little.
    return digits.endsWith(tail) || digits.includes(phone.slice(-OWN_DIGITS));
  };
}

export const purgeRoutes = [purgePerson];

/** Repeats an erasure that a restored ledger has lost. */
export async function eraseAgain(
  { purge, optOuts }: Pick<ApiContext, 'purge' | 'optOuts'>,
  facts: Readonly<Record<string, unknown>>,
  after: string,
): Promise<PurgePage> {
  const [phone = '', beneficiary = '', code] = ['phone', 'beneficiary', 'country'].map((name) => textIn(facts[name]));
  if (after === '') await optOuts.forget(phone);
  return purge.page({ phone, beneficiary, reads: readerOf(phone, code), country: code }, after);
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
