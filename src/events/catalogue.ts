/** Every event we tell our callers. Schemas, TypeScript types, docs/events.md and `anEvent` come from this table. */
import { z } from 'zod';
import { type Family, families } from './families.ts';

interface EventDeclaration {
  /** One sentence: what is now true. */
  readonly says: string;
  /** `data` of an example, without what `anEvent` fills in. */
  readonly example: Readonly<Record<string, unknown>>;
}

const money = { amount: 25_000, withdrawMode: 'wallet-a-senegal', disburseId: '0f6c8d4b2a1e49578c3d7b90a2e4f611' };
const paid = { ...money, transactionId: 'TX-20261121-0042' };
const bill = { totalAmount: 42_300, token: 'test_jMcHr7X9kQ' };
const NONE = { queued: 0, held: 0, sending: 0, failed: 0, unknown: 0, skipped: 0, expired: 0, cancelled: 0 };

/** By `<operation>.<state>`. A type that is not listed here is never emitted. */
export const catalogue = {
  'disbursement.succeeded': { says: 'It was paid; the service confirmed it.', example: paid },
  'disbursement.failed': { says: 'It was sent and not paid; the service confirmed it.', example: paid },
  'disbursement.reversed': {
    says: 'The service says that the money came back after it was paid, which was told before.',
    example: { ...paid, late: true },
  },
  'disbursement.rejected': {
    says: 'It was refused before anything was sent.',
    example: { ...money, reason: 'invalid_alias' },
  },
  'disbursement.cancelled': { says: 'It was called back before anything was sent.', example: money },
  'disbursement.needs_review': {
    says: 'A person must look: it may or may not have been paid.',
    example: { ...money, reason: 'poll_exhausted' },
  },
  'disbursement.held': {
    says: 'It waits for a condition, and goes on by itself.',
    example: { ...money, reason: 'funds' },
  },
  'message.sent': { says: 'The service took it for sending.', example: {} },
  'message.failed': { says: 'It was not sent, and will not be.', example: { code: 'ERROR_110' } },
  'message.unknown': { says: 'It may or may not have been sent; nobody will know more.', example: {} },
  'message.expired': { says: 'Its time was over before it was sent.', example: {} },
  'message.skipped': { says: 'The person had opted out, so it was not sent.', example: { reason: 'opted_out' } },
  'campaign.finished': {
    says: 'Its last recipient is settled.',
    example: { name: 'November', totals: { total: 2_000, ...NONE, sent: 1_960, skipped: 40 } },
  },
  'campaign.paused': { says: 'Nothing more is sent until it is resumed.', example: { name: 'November' } },
  'campaign.cancelled': { says: 'Nothing more will be sent.', example: { name: 'November' } },
  'campaign.held': { says: 'It waits for a condition of its account.', example: { name: 'November' } },
  'batch.finished': {
    says: 'Each of its disbursements has its last word, or needs review.',
    example: { contentHash: 'q0c1…', by: 'maker', approvedBy: 'checker', totals: { count: 2, xof: 50_000 } },
  },
  'batch.needs_review': {
    says: 'A person must say whether the rows that were not accepted yet may be paid.',
    example: { contentHash: 'q0c1…', by: 'maker', totals: { count: 2, xof: 50_000 }, reason: 'restored' },
  },
  'invoice.completed': { says: 'It was paid; the service confirmed it.', example: bill },
  'invoice.cancelled': { says: 'The payer, or time, called it off.', example: bill },
  'invoice.failed': { says: 'The payment failed.', example: bill },
  'invoice.needs_review': {
    says: 'A person must look: what the service says does not fit.',
    example: { ...bill, reason: 'amount_mismatch' },
  },
  'payment_request.completed': { says: 'It was paid.', example: { amount: 15_000, referenceNumber: 'PR-1042' } },
  'payment_request.failed': { says: 'It was not paid.', example: { amount: 15_000, referenceNumber: 'PR-1042' } },
  'payment_request.needs_review': {
    says: 'A person must look: nothing final was heard of it.',
    example: { amount: 15_000, reason: 'poll_exhausted' },
  },
  'payment_request.untracked': {
    says: 'The service sent it to the customer itself and gave no number to ask by: nothing more will be heard of it.',
    example: { state: 'pending', amount: 15_000, tracked: false },
  },
  'direct_credit.succeeded': { says: 'It was credited.', example: { amount: 5_000, transactionId: 'DC-77' } },
  'direct_credit.rejected': { says: 'It was refused before anything was sent.', example: { amount: 5_000 } },
  'direct_credit.failed': { says: 'The service refused it.', example: { amount: 5_000 } },
  'direct_credit.needs_review': {
    says: 'A person must look: it may or may not have been credited.',
    example: { amount: 5_000, reason: 'no_answer' },
  },
  'account.held': {
    says: 'Its operations wait for a condition.',
    example: { id: 'main', area: 'payments', reason: 'funds' },
  },
  'account.released': {
    says: 'The condition has cleared.',
    example: { id: 'main', area: 'payments', reason: 'funds' },
  },
  'endpoint.disabled': {
    says: 'It took no event for days, so no more are sent to it.',
    example: { url: 'https://shop.example/relais', reason: 'http_500' },
  },
  'system.recovering': {
    says: 'Redis may have lost something: nothing is accepted and nothing leaves until somebody has looked.',
    example: { id: 'system', because: 'rolled_back' },
  },
  'system.recovered': {
    says: 'Somebody has looked, and it goes on. Cursors of events from before are refused: take stock.',
    example: { id: 'system', because: 'rolled_back', by: 'maker' },
  },
} as const satisfies Readonly<Record<`${Family}.${string}`, EventDeclaration>>;

export type EventType = keyof typeof catalogue;
// Of the keys of an object TypeScript knows no more than that they are texts, nor that there is one.
export const eventTypes = Object.keys(catalogue) as [EventType, ...EventType[]];

type FamilyOf<T extends string> = T extends `${infer Name extends Family}.${string}` ? Name : never;

export function familyOf<T extends EventType>(type: T): FamilyOf<T> {
  // What `slice` leaves of a type is beyond the compiler; the declaration of the catalogue lets only families stand there.
  return type.slice(0, type.indexOf('.')) as FamilyOf<T>;
}

/** What every event has around its `data`. */
const envelope = {
  id: z.string().meta({ description: 'Stable: the operation and its sequence. The same each time it is delivered.' }),
  timestamp: z.iso.datetime().meta({ description: 'When the state was entered.' }),
  sequence: z.int().positive().meta({
    description:
      'Grows by one per operation, and by a thousand where Redis was put back from a copy; no order is promised between operations.',
  }),
  account: z.string().meta({ description: 'The name of the account that it is about.' }),
};

/** Any event, as a reader that takes all of them sees it. */
export const eventSchema = z
  .looseObject({
    ...envelope,
    type: z.enum(eventTypes),
    data: z.looseObject({ id: z.string(), state: z.string().optional(), reference: z.string().optional() }),
  })
  .meta({ id: 'Event' });

export type CompletionEvent = z.output<typeof eventSchema>;

/** An event of one type, with what its `data` is known to hold. */
export type EventOf<T extends EventType> = Omit<CompletionEvent, 'type' | 'data'> & {
  readonly type: T;
  readonly data: z.output<(typeof families)[FamilyOf<T>]>;
};

/** The schema of one type, strict about its name and lenient about fields that are added later. */
export function schemaOf<T extends EventType>(type: T): z.ZodType<EventOf<T>> {
  const { id, ...rest } = envelope;
  // Which family a type has is known to EventOf, but not followed through a look-up by a type that is still open.
  const data = families[familyOf(type)] as z.ZodType;
  const schema = z.looseObject({ id, type: z.literal(type), ...rest, data });
  return schema as unknown as z.ZodType<EventOf<T>>;
}

/** JSON Schema (draft 2020-12) of one type, for readers in other languages. */
export function jsonSchemaOf(type: EventType): Record<string, unknown> {
  return { ...z.toJSONSchema(schemaOf(type)) };
}
