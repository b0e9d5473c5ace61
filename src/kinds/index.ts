/** Everything that callers ask for, and everything that events are about. */
import type { z } from 'zod';
import { account } from './account.ts';
import { batch } from './batch.ts';
import { campaign } from './campaign.ts';
import { slice } from './slice.ts';
import { directCredit } from './direct-credit.ts';
import { disbursement } from './disbursement.ts';
import { eventEndpoint } from './event-endpoint.ts';
import { invoice } from './invoice.ts';
import { message } from './message.ts';
import { paymentRequest } from './payment-request.ts';
import type { Declared } from './kind.ts';
import { system } from './system.ts';

/** The kinds of operations, in the order in which people are shown them. A new one begins with its line here. */
export const operations = {
  disbursement,
  message,
  slice,
  campaign,
  batch,
  invoice,
  payment_request: paymentRequest,
  direct_credit: directCredit,
} as const;

/** What events are about, by the first word of their types. */
export const subjects = { ...operations, account, endpoint: eventEndpoint, system } as const;

export type Kind = keyof typeof operations;
export type StateOf<K extends Kind> = keyof (typeof operations)[K]['states'] & string;

/** What a caller may ask for, as it was checked; and as the caller writes it. */
export type RequestOf<K extends AskedKind> = z.output<(typeof operations)[K]['request']>;
export type InputOf<K extends AskedKind> = z.input<(typeof operations)[K]['request']>;
/** The kinds that callers ask for one by one. */
type AskedKind = { [K in Kind]: (typeof operations)[K] extends { request: z.ZodObject } ? K : never }[Kind];

/** Read from the list: TypeScript knows no more of the keys of an object than that they are texts. */
export const kinds = Object.keys(operations) as Kind[];

const declarations: Readonly<Record<Kind, Declared>> = operations;

/** As far as the compiler follows a look-up by a kind that is still open. */
export function asDeclared(kind: Kind): Declared {
  return declarations[kind];
}

/** Of what kind an operation is that has this id, whether or not there is one. Undefined: it is no id of ours. */
export function kindOf(id: string): Kind | undefined {
  // A slice of a campaign is named after it: its id, a dot, and its place.
  if (id.includes('.')) return 'slice';
  const prefix = id.slice(0, id.indexOf('_'));
  return kinds.find((kind) => declarations[kind].prefix === prefix);
}
