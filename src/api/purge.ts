/** Forgetting a person, a bounded walk a request: `next` is where the next one goes on. */
import { Router } from 'express';
import { z } from 'zod';
import { readPhones } from '../campaigns/opt-out-phones.ts';
import { maskPhone } from '../lib/mask.ts';
import { MARKS_KEPT_S } from '../operations/text-marks.ts';
import { problemsOf } from '../producer/problems.ts';
import { country } from '../queues/requests.ts';
import { type ApiContext, requireRole } from './context.ts';
import type { ApiKey } from './keys.ts';
import { ApiProblem, invalid } from './problem.ts';

export const purgeRequest = z
  .strictObject({
    phone: z.string().max(64).meta({ example: '+221771234567' }),
    country: country.optional(),
    after: z
      .string()
      .regex(/^\d{1,20}$/)
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
    const reads = readerOf(phone, code);
    const optOutKept = after === undefined && (await context.optOuts.forget(phone));
    const page = await context.purge.page(phone, { reads, ...(after === undefined ? {} : { after }) });
    const { next = null, ...counted } = page;
    const facts = { phone: maskPhone(phone), ...counted, ...(after === undefined ? { optOutKept } : {}) };
    context.audit({ by: key.name, did: 'purge', ...facts, over: next === null });
    response.json({ ...facts, next, kept: KEPT });
  });
  return router;
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
