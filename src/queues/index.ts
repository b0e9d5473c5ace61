/**
 * What relais can be asked, and what it asks itself to do.
 *
 * To add a queue, write its declaration beside the others and list it at the end. The compiler then points at the one
 * thing that is still missing: its processor.
 */
import { z } from 'zod';
import { asDeclared, kinds } from '../kinds/index.ts';

/** Everything there is to know about a queue. Worker, wake-up, metrics and docs/queues.md are derived from it. */
export interface QueueDeclaration<Name extends string = string, Payload extends z.ZodType = z.ZodType> {
  /** Appears in Redis keys, metric labels and log lines. Never change it: jobs already waiting carry it. */
  readonly name: Name;
  /** One sentence: what it carries. */
  readonly summary: string;
  readonly payload: Payload;
  /** Our wake-ups name no operation: the process that gets one takes what is due, many at a time. Absent: each has a job of its own. */
  readonly inBulk?: true;
  /** Share of WORKER_CONCURRENCY that one process gives to this queue. */
  readonly share: number;
  /** How many attempts there are for each request that may be in flight. Absent: one. */
  readonly attemptsPerRequest?: number;
  /** The waits before the next try of something that provably did not happen. The last one repeats. */
  readonly retryAfter: readonly string[];
  /** In words, for docs/queues.md: what is waited for, and how an operation leaves this queue for good. */
  readonly waits: string;
  readonly givesUpAs: string;
  /** How long BullMQ keeps a finished job of this queue, in seconds. 0: not at all, the record is the memory. */
  readonly keepSeconds: number;
}

/** A wake-up carries an id and nothing else. Losing one or running one twice is harmless. */
export const wakeUp = z.strictObject({ id: z.string().min(1).max(64) });

/** What the declaration of a queue says whose due operations are taken many at a time. */
export const takenInBulk = { payload: wakeUp.partial(), inBulk: true } as const;

function defineQueue<const Name extends string, Payload extends z.ZodType>(
  declaration: QueueDeclaration<Name, Payload>,
): QueueDeclaration<Name, Payload> {
  // BullMQ builds its Redis keys with ':' and refuses names that contain one, but only when a queue is first opened.
  if (!/^[a-z][a-z-]*$/.test(declaration.name)) {
    throw new Error(`queue name must be lower-case words: ${declaration.name}`);
  }
  return Object.freeze(declaration);
}

const asked = kinds.flatMap((kind) => {
  const { request } = asDeclared(kind);
  return request ? [request.extend({ kind: z.literal(kind) })] : [];
});

/** What any BullMQ client, in any language, may add. Each kind is the HTTP body of the same name, plus `kind`. */
// Callers may ask for something, so there is a first, which TypeScript does not know of a list.
const intakePayload = z.discriminatedUnion('kind', asked as [(typeof asked)[number], ...typeof asked]);

export const intake = defineQueue({
  name: 'intake',
  summary: 'Requests from any BullMQ client: accepted, recorded, and answered with `{id, outcome}`.',
  payload: intakePayload,
  share: 0.5,
  retryAfter: [],
  waits: 'never',
  givesUpAs: 'a failed job that names every problem; nothing is recorded and nothing sent',
  // The caller reads `{id, outcome}` from the finished job; a day is enough for a caller that was restarted.
  keepSeconds: 86_400,
});

export const disbursement = defineQueue({
  name: 'disbursement',
  summary: 'Disbursements before their first submit: token, then submit.',
  ...takenInBulk,
  share: 1,
  // Nothing happened upstream before the submit, so trying again is safe; the waits only spare a sick service.
  retryAfter: ['1s', '2s', '5s', '10s', '30s', '1m', '5m', '15m'],
  waits:
    'HOLD_RECHECK while the account is held (funds, callback unreachable, not authorised, maintenance), and at most so long where the service cannot be reached',
  givesUpAs: '`rejected` after DISBURSEMENT_LIMIT, only while no submit was ever intended',
  keepSeconds: 0,
});

export const smsBatch = defineQueue({
  name: 'sms-batch',
  summary: 'Slices: up to 1,000 recipients of a campaign, or up to 50 messages, sent in requests of up to 50.',
  payload: wakeUp,
  share: 1,
  attemptsPerRequest: 1.5,
  // Only a request that provably never left, or that upstream refused before sending, is tried again.
  retryAfter: ['1s', '2s', '5s', '10s', '30s', '1m', '5m'],
  waits: 'while the campaign is paused or the account is held',
  givesUpAs: '`failed` for those that upstream refuses; `unknown` when it may have been sent',
  keepSeconds: 0,
});

const smsOtp = defineQueue({
  name: 'sms-otp',
  summary: 'Slices of one-time passwords: the lane that no campaign can hold up.',
  payload: wakeUp,
  share: 0.5,
  retryAfter: ['1s', '2s', '5s', '10s', '30s', '1m'],
  waits: 'while the account is held',
  givesUpAs: '`expired` past its `expiresAt`, else as sms-batch',
  keepSeconds: 0,
});

export const invoiceConfirm = defineQueue({
  name: 'invoice-confirm',
  summary: 'Invoices: creates those that a caller asked for in vain, and asks whether they are paid.',
  ...takenInBulk,
  share: 0.5,
  // Creating is repeated: nobody has seen an invoice that was not handed out, and it ends by itself after a day.
  retryAfter: ['1s', '5s', '30s', '1m', '5m'],
  waits: 'INVOICE_POLL between looks',
  givesUpAs: '`failed` when it could not be created within an hour; `needs_review` 25 hours after its creation',
  keepSeconds: 0,
});

export const statusPoll = defineQueue({
  name: 'status-poll',
  summary:
    'Looks at what was sent: the status of a disbursement or a payment request, the statistics of texts in doubt.',
  ...takenInBulk,
  share: 0.5,
  // The waits of a disbursement that is under way are DISBURSEMENT_POLL; these are for texts that are in doubt.
  retryAfter: ['2s', '10s', '30s', '1m', '5m'],
  waits:
    'DISBURSEMENT_POLL, PAYMENT_REQUEST_POLL between looks; SMS_SETTLE_DELAY before the first look at a text, and then these',
  givesUpAs:
    '`needs_review` after DISBURSEMENT_LIMIT, looked at daily, or after 30 days; recipients: `unknown` after two looks',
  keepSeconds: 0,
});

export const directCredit = defineQueue({
  name: 'direct-credit',
  summary: 'Direct credits: one request that moves money, sent at most once.',
  ...takenInBulk,
  share: 0.2,
  // Only for a request of which no byte left us: there is no reference of ours to ask about afterwards.
  retryAfter: ['1s', '5s', '30s', '1m', '5m', '15m'],
  waits: 'HOLD_RECHECK while direct credits of the account are held (funds, not authorised)',
  givesUpAs: '`rejected` after DISBURSEMENT_LIMIT while nothing was sent; `needs_review` when it may have been',
  keepSeconds: 0,
});

const campaign = defineQueue({
  name: 'campaign',
  summary: 'Hands out the slices of running campaigns, a bounded number at a time.',
  payload: wakeUp,
  share: 0.1,
  retryAfter: ['1s', '5s', '30s'],
  waits: 'for slices that are out to be sent',
  givesUpAs: 'never: a campaign ends when its last recipient is settled, or when it is cancelled',
  keepSeconds: 0,
});

export const batch = defineQueue({
  name: 'batch',
  summary: 'Approved files of disbursements: their rows are accepted, a bounded number at a time, and followed.',
  payload: wakeUp,
  share: 0.1,
  retryAfter: ['1s', '2s', '5s', '10s', '30s'],
  waits: 'for its disbursements to end, or to need review',
  givesUpAs: '`expired` when nobody approved it for a day; one that was approved ends as `finished`',
  keepSeconds: 0,
});

export const eventDelivery = defineQueue({
  name: 'event-delivery',
  summary: 'Endpoints that have events to take: each is posted what is due, signed.',
  payload: wakeUp,
  share: 0.5,
  // 47 h 42 m in all, each with up to a fifth more, so that endpoints which failed together are not tried together.
  retryAfter: ['5s', '30s', '2m', '10m', '30m', '1h', '2h', '4h', '8h', '12h', '20h'],
  waits: 'for an endpoint that fails, at most five minutes between two tries of it',
  givesUpAs: 'an undelivered event after the last try; the endpoint is disabled after three days without a success',
  keepSeconds: 0,
});

export const queues = {
  intake,
  disbursement,
  'sms-batch': smsBatch,
  'sms-otp': smsOtp,
  'invoice-confirm': invoiceConfirm,
  'status-poll': statusPoll,
  'direct-credit': directCredit,
  campaign,
  batch,
  'event-delivery': eventDelivery,
} as const;

export type AnyQueueName = keyof typeof queues;
export const queueNames = Object.keys(queues) as AnyQueueName[];
