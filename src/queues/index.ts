/**
 * The queues for requests and for internal work.
 *
 * To add a queue, write its declaration here and list it at the end. The compiler then reports the missing processor.
 */
import { z } from 'zod';
import { asDeclared, kinds } from '../kinds/index.ts';

/** The declaration of a queue. Worker, wake-up, metrics and docs/queues.md are derived from it. */
export interface QueueDeclaration<Name extends string = string, Payload extends z.ZodType = z.ZodType> {
  /** Appears in Redis keys, metric labels and log lines. Never change it: waiting jobs contain it. */
  readonly name: Name;
  /** One sentence about its content. */
  readonly summary: string;
  readonly payload: Payload;
  /** Wake-ups name no operation: the process takes due operations in bulk. Absent: each operation has its own job. */
  readonly inBulk?: true;
  /** Share of WORKER_CONCURRENCY that one process gives to this queue. */
  readonly share: number;
  /** Number of attempts per possible request in flight. Absent: one. */
  readonly attemptsPerRequest?: number;
  /** The waits before a retry of something that provably did not happen. The last one repeats. */
  readonly retryAfter: readonly string[];
  /** For docs/queues.md: the condition of the wait, and how an operation leaves this queue. */
  readonly waits: string;
  readonly givesUpAs: string;
  /**
   * How long BullMQ keeps a finished job of this queue, in seconds. 0: not at all, since the record has the result.
   */
  readonly keepSeconds: number;
}

/** A wake-up has only an id. Losing one or running one twice is harmless. */
const wakeUp = z.strictObject({ id: z.string().min(1).max(64) });

/** Declaration of queues whose due operations are taken in bulk. */
const takenInBulk = { payload: wakeUp.partial(), inBulk: true } as const;

function defineQueue<const Name extends string, Payload extends z.ZodType>(
  declaration: QueueDeclaration<Name, Payload>,
): QueueDeclaration<Name, Payload> {
  // BullMQ builds its Redis keys with ':' and refuses names that contain one, but only when a queue is first opened.
  if (!/^[a-z][a-z-]*$/.test(declaration.name)) {
    throw new Error(`queue name must be lower-case words: ${declaration.name}`);
  }
  return Object.freeze(declaration);
}

/** Fields of a job besides the request. */
const askedAs = {
  environment: z
    .string()
    .optional()
    .meta({ description: 'ENVIRONMENT of the workers. Workers of another one refuse the job.' }),
  idempotencyKey: z
    .string()
    .optional()
    .meta({ description: 'The identity of the request, in place of its reference.' }),
};

const asked = kinds.flatMap((kind) => {
  const { request } = asDeclared(kind);
  return request ? [request.extend({ kind: z.literal(kind), ...askedAs })] : [];
});

/** The jobs of any BullMQ client, in any language. Each kind is the HTTP body of the same name, plus `kind`. */
// There is at least one kind, which TypeScript does not know of a list.
const intakePayload = z.discriminatedUnion('kind', asked as [(typeof asked)[number], ...typeof asked]);

export const intake = defineQueue({
  name: 'intake',
  summary: 'Requests from BullMQ clients: each is accepted, recorded and answered with `{id, outcome}`.',
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
  // Nothing happens at the provider before the submit, so retries are safe; the waits only protect a failing
  // provider.
  retryAfter: ['1s', '2s', '5s', '10s', '30s', '1m', '5m', '15m'],
  waits:
    'HOLD_RECHECK while the account is held (funds, callback unreachable, not authorised, maintenance), and ' +
    'at most HOLD_RECHECK while the provider is unreachable',
  givesUpAs: '`rejected` after DISBURSEMENT_LIMIT, only while no submit was ever intended',
  keepSeconds: 0,
});

export const smsBatch = defineQueue({
  name: 'sms-batch',
  summary: 'Single SMS, sent in requests of up to 50.',
  ...takenInBulk,
  share: 1,
  attemptsPerRequest: 1.5,
  // Only a request that provably never left, or that the provider refused before sending, is retried.
  retryAfter: ['1s', '2s', '5s', '10s', '30s', '1m', '5m'],
  waits: 'while the account is held',
  givesUpAs: '`failed` if the provider refuses it; `unknown` if it may have been sent',
  keepSeconds: 0,
});

const smsOtp = defineQueue({
  name: 'sms-otp',
  summary: 'One-time passwords, which no campaign delays.',
  ...takenInBulk,
  share: 0.5,
  retryAfter: ['1s', '2s', '5s', '10s', '30s', '1m'],
  waits: 'while the account is held',
  givesUpAs: '`expired` past its `expiresAt`, else as sms-batch',
  keepSeconds: 0,
});

export const invoiceConfirm = defineQueue({
  name: 'invoice-confirm',
  summary: 'Invoices: retries failed creations, and checks whether invoices are paid.',
  ...takenInBulk,
  share: 0.5,
  // Creation can be repeated: an unpublished invoice cannot be paid, and it expires after a day.
  retryAfter: ['1s', '5s', '30s', '1m', '5m'],
  waits: 'INVOICE_POLL between status checks',
  givesUpAs: '`failed` if it was not created within an hour; `needs_review` 25 hours after its creation',
  keepSeconds: 0,
});

export const statusPoll = defineQueue({
  name: 'status-poll',
  summary: 'Status checks: of disbursements and payment requests, and of SMS in doubt in the statistics.',
  ...takenInBulk,
  share: 0.5,
  // The waits of a pending disbursement are DISBURSEMENT_POLL; these are for SMS in doubt.
  retryAfter: ['2s', '10s', '30s', '1m', '5m'],
  waits:
    'DISBURSEMENT_POLL or PAYMENT_REQUEST_POLL between status checks; for an SMS, SMS_SETTLE_DELAY before ' +
    'the first check, then the retry waits',
  givesUpAs:
    '`needs_review` after DISBURSEMENT_LIMIT, then checked daily, or after 30 days; recipients: `unknown` ' +
    'after two checks',
  keepSeconds: 0,
});

export const directCredit = defineQueue({
  name: 'direct-credit',
  summary: 'Direct credits: one request that moves money, sent at most once.',
  ...takenInBulk,
  share: 0.2,
  // Only for a request of which no byte left: it has no reference for a later check.
  retryAfter: ['1s', '5s', '30s', '1m', '5m', '15m'],
  waits: 'HOLD_RECHECK while direct credits of the account are held (funds, not authorised)',
  givesUpAs: '`rejected` after DISBURSEMENT_LIMIT if nothing was sent; `needs_review` if it may have been sent',
  keepSeconds: 0,
});

const campaign = defineQueue({
  name: 'campaign',
  summary: 'Running campaigns: sends their requests of up to 50 recipients, a bounded number at a time.',
  ...takenInBulk,
  share: 1,
  retryAfter: ['1s', '5s', '30s'],
  waits: 'for the canary, for quiet hours, and while the account is held',
  givesUpAs: 'never: a campaign ends when its last recipient has a final status, or when it is cancelled',
  keepSeconds: 0,
});

export const batch = defineQueue({
  name: 'batch',
  summary: 'Approved payment batches: accepts their rows, a bounded number at a time, and follows them.',
  ...takenInBulk,
  share: 0.1,
  retryAfter: ['1s', '2s', '5s', '10s', '30s'],
  waits: 'for its disbursements to end or to need review',
  givesUpAs: '`expired` without an approval within a day; an approved batch ends as `finished`',
  keepSeconds: 0,
});

export const eventDelivery = defineQueue({
  name: 'event-delivery',
  summary: 'Webhook endpoints with pending events: delivers each due event, signed.',
  ...takenInBulk,
  share: 0.5,
  // 47 h 42 m in all, each with up to a fifth more, so that endpoints which failed together are not retried together.
  retryAfter: ['5s', '30s', '2m', '10m', '30m', '1h', '2h', '4h', '8h', '12h', '20h'],
  waits: 'for a failing endpoint, at most five minutes between two attempts',
  givesUpAs:
    'an undelivered event after the last attempt; the endpoint is disabled after three days without a success',
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
