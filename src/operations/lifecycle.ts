/**
 * The life of each kind of operation, as data: which state may follow which, in which queue it is looked at, and which
 * states are final. Types, guards, the scripts' arguments and docs/lifecycle.md are derived from here.
 *
 * Arrows of the disbursement that look wrong and are not:
 *   submitting → created      the request provably never left, so it may be made again;
 *   unknown → submitting      upstream said `created` twice after the quiet period: same token, same disburse_id;
 *   needs_review → succeeded  upstream's late word settles what we had given up on;
 *   created → queued          the token grew old before it was ever used, so another is asked for;
 *   held → created            a held operation is tried again when its condition may have cleared, and that may work;
 *   failed → succeeded        upstream took its word back: told once more, with `late`, or it would be paid again;
 *   failed → needs_review     it took its word back and gave no other that counts;
 *   succeeded → reversed      upstream says afterwards that the money came back.
 * And of what collects money, or credits it in one step:
 *   cancelled → completed     (invoice) nothing forbids a payer to pay late: told once, with `late`;
 *   sending → queued          (direct credit) the request provably never left; no other way leads back;
 *   refused → queued          (chunk) one recipient spoilt it for all, so the others go out in smaller requests;
 *   unknown → queued          (chunk) others in it wait for their turn, or `onUnknown: resend` was asked for.
 * And of what stands in a copy of Redis that was put back, where nobody knows what became of it since (`restored`):
 *   queued → needs_review     nothing that the copy shows as not yet sent is sent on the strength of it;
 *   created → succeeded       the copy shows no submit, and upstream says how one has ended all the same;
 *   queued → unknown          (chunk, message) it may have been sent since, so the statistics are asked;
 *   ready → held              (campaign) it may have been started since, so it waits for a person;
 *   needs_review → queued     a person who knows that it was never paid lets it go on.
 */
import type { QueueName } from './due-queues.ts';

interface StateDeclaration {
  /** Where the next look at an operation in this state happens. Absent: nothing is due (final, or for a person). */
  readonly queue?: QueueName | { readonly normal: QueueName; readonly otp: QueueName };
  readonly next: readonly string[];
  /**
   * Where upstream's late word may still lead from a state that callers were told is final. Such a state is looked at
   * only when somebody has reason to: a callback came, a caller asks, or a success is due to be looked at again.
   */
  readonly late?: readonly string[];
  /** Where a person may lead it once it is over: those who failed go out again. */
  readonly retried?: readonly string[];
}

type Lifecycle = Readonly<Record<string, StateDeclaration>>;

const FINAL: StateDeclaration = { next: [] };

export const lifecycles = {
  disbursement: {
    awaiting_approval: { next: ['queued', 'cancelled', 'needs_review'] },
    queued: { queue: 'disbursement', next: ['created', 'held', 'rejected', 'cancelled', 'needs_review'] },
    held: { queue: 'disbursement', next: ['created', 'rejected', 'cancelled', 'needs_review'] },
    created: {
      queue: 'disbursement',
      next: ['queued', 'submitting', 'pending', 'succeeded', 'failed', 'rejected', 'cancelled', 'needs_review'],
    },
    submitting: {
      queue: 'status-poll',
      next: ['created', 'unknown', 'pending', 'succeeded', 'failed', 'needs_review'],
    },
    unknown: { queue: 'status-poll', next: ['submitting', 'pending', 'succeeded', 'failed', 'needs_review'] },
    pending: { queue: 'status-poll', next: ['succeeded', 'failed', 'needs_review'] },
    needs_review: { queue: 'status-poll', next: ['queued', 'submitting', 'succeeded', 'failed', 'cancelled'] },
    succeeded: { queue: 'status-poll', next: [], late: ['reversed'] },
    failed: { queue: 'status-poll', next: [], late: ['succeeded', 'needs_review'] },
    reversed: FINAL,
    rejected: FINAL,
    cancelled: FINAL,
  },
  /** Follows its chunk: every arrow is drawn by the script that settles the chunk. */
  message: {
    queued: { next: ['sending', 'unknown', 'expired', 'skipped', 'cancelled'] },
    sending: { next: ['queued', 'sent', 'failed', 'unknown'] },
    unknown: { next: ['queued', 'sent', 'failed'] },
    sent: FINAL,
    failed: FINAL,
    skipped: FINAL,
    expired: FINAL,
    cancelled: FINAL,
  },
  /** Up to 50 recipients sent in one request: the unit of doubt. Callers see recipients and messages, never chunks. */
  chunk: {
    queued: { queue: { normal: 'sms-batch', otp: 'sms-otp' }, next: ['sending', 'unknown', 'settled'] },
    sending: { queue: 'status-poll', next: ['queued', 'refused', 'unknown', 'settled'] },
    refused: { queue: 'status-poll', next: ['queued', 'unknown', 'settled'] },
    unknown: { queue: 'status-poll', next: ['queued', 'settled'] },
    settled: { next: [], retried: ['queued'] },
  },
  campaign: {
    draft: { next: ['ready', 'cancelled'] },
    ready: { next: ['scheduled', 'running', 'held', 'cancelled'] },
    scheduled: { queue: 'campaign', next: ['running', 'paused', 'held', 'cancelled'] },
    running: { queue: 'campaign', next: ['paused', 'held', 'finished', 'cancelled'] },
    paused: { next: ['scheduled', 'running', 'held', 'finished', 'cancelled'] },
    held: { queue: 'campaign', next: ['scheduled', 'running', 'paused', 'finished', 'cancelled'] },
    finished: { next: [], retried: ['running'] },
    cancelled: FINAL,
  },
  /** A file of disbursements, approved as a whole. An invalid one is judged again when the same bytes come again. */
  batch: {
    invalid: { next: ['awaiting_approval', 'cancelled'] },
    awaiting_approval: { queue: 'batch', next: ['running', 'cancelled', 'expired', 'needs_review'] },
    running: { queue: 'batch', next: ['finished', 'needs_review'] },
    needs_review: { next: ['running', 'cancelled'] },
    finished: FINAL,
    cancelled: FINAL,
    expired: FINAL,
  },
  invoice: {
    creating: { queue: 'invoice-confirm', next: ['pending', 'failed', 'needs_review'] },
    pending: { queue: 'invoice-confirm', next: ['completed', 'cancelled', 'failed', 'needs_review'] },
    needs_review: { queue: 'invoice-confirm', next: ['completed', 'cancelled', 'failed'] },
    completed: FINAL,
    cancelled: { queue: 'invoice-confirm', next: [], late: ['completed'] },
    failed: { queue: 'invoice-confirm', next: [], late: ['completed'] },
  },
  payment_request: {
    creating: { queue: 'status-poll', next: ['pending', 'failed', 'needs_review'] },
    pending: { queue: 'status-poll', next: ['completed', 'failed', 'needs_review'] },
    needs_review: { queue: 'status-poll', next: ['completed', 'failed'] },
    completed: FINAL,
    failed: FINAL,
  },
  /** Nothing can be asked about one that was sent, so an attempt that finds `sending` leaves it to a person. */
  direct_credit: {
    queued: { queue: 'direct-credit', next: ['sending', 'rejected', 'needs_review'] },
    held: { queue: 'direct-credit', next: ['sending', 'rejected', 'needs_review'] },
    sending: { queue: 'direct-credit', next: ['queued', 'held', 'succeeded', 'rejected', 'needs_review'] },
    needs_review: { next: ['succeeded', 'failed'] },
    succeeded: FINAL,
    rejected: FINAL,
    failed: FINAL,
  },
} as const satisfies Readonly<Record<string, Lifecycle>>;

export type Kind = keyof typeof lifecycles;
export type StateOf<K extends Kind> = keyof (typeof lifecycles)[K] & string;
export type DisbursementState = StateOf<'disbursement'>;
export type MessageState = StateOf<'message'>;
export type ChunkState = StateOf<'chunk'>;
export type CampaignState = StateOf<'campaign'>;
export type BatchState = StateOf<'batch'>;

export const kinds = Object.keys(lifecycles) as Kind[];

function declarationOf(kind: Kind, state: string): StateDeclaration {
  const found = (lifecycles[kind] as Lifecycle)[state];
  if (!found) throw new Error(`no state "${state}" in the lifecycle of a ${kind}`);
  return found;
}

export function statesOf<K extends Kind>(kind: K): readonly StateOf<K>[] {
  return Object.keys(lifecycles[kind]) as StateOf<K>[];
}

/**
 * Disbursements whose amount has still to leave, or is on its way. Not those that nobody has approved, and not those of
 * which it is in doubt whether they left.
 */
export const inFlight = [
  'queued',
  'held',
  'created',
  'submitting',
  'unknown',
  'pending',
] as const satisfies readonly DisbursementState[];

/** No money left, or it came back: states of whatever moves money, which count towards no limit of the day. */
const WITHOUT_EFFECT: readonly string[] = ['cancelled', 'rejected', 'failed', 'reversed'];

/** What a step does to the sums of the day in which the operation was counted: 1 counts it again, -1 gives it back. */
export function recountOf(from: string, to: string): -1 | 0 | 1 {
  const [did, does] = [!WITHOUT_EFFECT.includes(from), !WITHOUT_EFFECT.includes(to)];
  return did === does ? 0 : does ? 1 : -1;
}

/** Callers are told that it is over. */
export function isFinal(kind: Kind, state: string): boolean {
  return declarationOf(kind, state).next.length === 0;
}

/** Final, and no word of upstream leads on from it: nobody looks at it again. */
export function isOver(kind: Kind, state: string): boolean {
  return isFinal(kind, state) && queueOf(kind, state) === undefined;
}

/** `lane` matters where one-time passwords have a queue of their own. */
export function queueOf(kind: Kind, state: string, lane = 'normal'): QueueName | undefined {
  const { queue } = declarationOf(kind, state);
  return typeof queue === 'object' ? queue[lane === 'otp' ? 'otp' : 'normal'] : queue;
}

/** Throws when the table has no such arrow: that is a fault in our code, never in what came from outside. */
export function assertArrow(kind: Kind, from: string, to: string): void {
  const { next, late = [] } = declarationOf(kind, from);
  if (from !== to && !next.includes(to) && !late.includes(to)) {
    throw new Error(`the lifecycle of a ${kind} has no arrow from ${from} to ${to}`);
  }
}

/** The queue in which upstream is asked how an operation that is under way has ended. */
export function lookQueueOf(kind: 'disbursement' | 'invoice' | 'payment_request'): QueueName {
  const queue = queueOf(kind, 'pending');
  if (queue === undefined) throw new Error(`nobody looks at a pending ${kind}`);
  return queue;
}

/** The states of a kind that are looked at in this queue. */
export function statesInQueue(kind: Kind, queue: QueueName): readonly string[] {
  return statesOf(kind).filter((state) => [queueOf(kind, state), queueOf(kind, state, 'otp')].includes(queue));
}

/** A Mermaid picture of one lifecycle, for docs/lifecycle.md. */
export function drawLifecycle(kind: Kind): string {
  const states: readonly string[] = statesOf(kind);
  const arrows = states.flatMap((from) => {
    const { next, late = [], retried = [] } = declarationOf(kind, from);
    return [
      ...next.map((to) => `  ${from} --> ${to}`),
      ...late.map((to) => `  ${from} --> ${to}: late`),
      ...retried.map((to) => `  ${from} --> ${to}: retry`),
    ];
  });
  const ends = states.filter((state) => isFinal(kind, state)).map((state) => `  ${state} --> [*]`);
  return ['stateDiagram-v2', ...arrows, ...ends].join('\n');
}
