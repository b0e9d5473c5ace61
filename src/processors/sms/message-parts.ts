/** Types of single messages: the claimed row, the context, and the change for each result. */
import { type Clock, type Deadline, type Moment, msBetween } from '../../lib/clock.ts';
import { LedgerClosed, isOfOneRow } from '../../ledger/errors.ts';
import type { Budgets } from '../../ledger/budgets.ts';
import type { Holds } from '../../ledger/holds.ts';
import { type Messages, queueOfLane } from '../../ledger/messages.ts';
import type { Change, Claimed } from '../../ledger/operation-items.ts';
import type { Operations } from '../../ledger/operations.ts';
import type { OptOuts } from '../../ledger/opt-outs.ts';
import type { JournalOperation } from '../../ledger/replay.ts';
import type { Letter } from '../../ledger/sms-rows.ts';
import { payeeOf } from '../../provider/capabilities.ts';
import type { Upstream } from '../../provider/client.ts';
import type { AccountKeys, AttemptResult, Policy } from '../context.ts';
import { Countries } from './outgoing.ts';
import { Totals } from './totals.ts';

export type Lane = 'otp' | 'normal';

const CHECKS = 'status-poll';

export interface MessageContext {
  readonly operations: Pick<Operations, 'claim' | 'change' | 'read'>;
  readonly messages: Pick<Messages, 'openAlike' | 'freeCodes' | 'addCost'>;
  readonly holds: Pick<Holds, 'hold' | 'release' | 'holdsOf' | 'mayProbe'>;
  readonly optOuts: Pick<OptOuts, 'among'>;
  readonly upstream: Pick<Upstream, 'messaging' | 'admit'>;
  /** Absent: costs are not counted. */
  readonly budgets?: Pick<Budgets, 'costOf' | 'hasRoom' | 'standing' | 'periodOf' | 'reckons'>;
  readonly clock: Clock;
  readonly policy: Pick<
    Policy,
    | 'leaseMs'
    | 'holdRecheckMs'
    | 'settleDelayMs'
    | 'split'
    | 'onUnknown'
    | 'limitMs'
    | 'prices'
    | 'quietHours'
    | 'timezone'
  >;
  account(name: string): AccountKeys | undefined;
  /** Receives the outcome of each attempt, for metrics. */
  readonly report?: ((queue: string, id: string, result: AttemptResult) => void) | undefined;
  /**
   * Since when no witness has confirmed the ledger, ms since the epoch. A message accepted before may have been sent
   * already if an earlier backup was restored. Undefined: confirmed.
   */
  unwitnessedSince?(): number | undefined;
  /** This process stops: requests that have not begun do not leave. */
  stopping?(): boolean;
}

interface Facts {
  /** Statistics checks since the message was last sent. */
  readonly looks?: number;
  /** The message is queued again although an earlier request may have sent it. */
  readonly mayHaveLeft?: boolean;
  /** The message goes in a request of its own: one of the recipients made a request fail. */
  readonly alone?: boolean;
  /** Code of the refused request of several recipients; empty: none. */
  readonly refused?: string;
}

/** A claimed row as a message. */
export type ClaimedMessage = Omit<Claimed, 'request' | 'facts' | 'since'> & {
  readonly request: {
    /** E.164. After an erasure: an opaque name. */
    readonly to: string;
    readonly text: string;
    readonly from?: string;
    readonly lane?: Lane;
    readonly expiresAt?: string | number;
    /** The payment that it reports to its payee. */
    readonly disbursement?: string;
    /** The state of the payment that it reports. */
    readonly tells?: string;
  };
  readonly facts: Facts;
  /** XOF per segment, by country. */
  readonly prices: Policy['prices'];
  /** Before the claim, by the clocks of this process. */
  readonly since: Moment;
};

/** The row was validated by the schema of messages when it was accepted. */
export const asMessages = (
  claimed: readonly Claimed[],
  { prices }: Pick<Policy, 'prices'>,
  since: Moment,
): readonly ClaimedMessage[] =>
  claimed.map((one) => ({ ...(one as unknown as Omit<ClaimedMessage, 'prices' | 'since'>), prices, since }));

/** The message still has a number and a text. */
export const isAddressed = ({ request: { to, text } }: ClaimedMessage): boolean => to.startsWith('+') && text !== '';

/** It tells a payee what became of a payment: no advertising, so opt-outs do not stop it, and no call at night. */
export const isOfPayment = ({ request }: ClaimedMessage): boolean => request.disbursement !== undefined;

/** The form that is compared with other messages. */
export const saidBy = ({ id, request: { to, text } }: ClaimedMessage) => ({
  id,
  to,
  text,
  beneficiary: payeeOf(to, undefined),
});

/** A restored ledger records the message again from it. One-time passwords must not enter the journal. */
export function journalItem({ request, ...one }: ClaimedMessage): JournalOperation {
  const { id, account, reference, fingerprint, facts, created_by: createdBy, created_at: createdAt } = one;
  const metadata = one.metadata ?? undefined;
  return {
    id,
    kind: 'message',
    account,
    reference: reference ?? undefined,
    fingerprint: fingerprint.toString('hex'),
    beneficiary: payeeOf(request.to, undefined),
    request: request.lane === 'otp' ? { ...request, text: '' } : request,
    facts: { ...facts },
    metadata,
    createdBy,
    createdAt: createdAt.toISOString(),
  };
}

/** Time of PostgreSQL at the claim. */
export const isExpired = (message: ClaimedMessage): boolean => lastsMs(message) <= 0;

/** The ms from the claim until the message expires. */
function lastsMs({ request: { expiresAt }, at }: ClaimedMessage): number {
  if (expiresAt === undefined) return Number.POSITIVE_INFINITY;
  return (typeof expiresAt === 'number' ? expiresAt : Date.parse(expiresAt)) - at.getTime();
}

/** No message leaves after its lease or its expiry. */
export function sendByOf(messages: readonly ClaimedMessage[], since: Moment, leaseMs: number): Deadline {
  const left = messages.map((one) => lastsMs(one) - msBetween(one.since, since));
  return { since, ms: Math.min(leaseMs / 2, ...left) };
}

type Own = Pick<Change, 'id' | 'lease' | 'was'>;
const own = ({ id, lease, state }: ClaimedMessage): Own => ({ id, lease, was: state });

/** The message stays queued until later. */
export function waits(
  one: ClaimedMessage,
  dueMs: number,
  { reason, tries }: { reason: string; tries?: number },
): Change {
  const queue = queueOfLane[one.request.lane ?? 'normal'];
  return { ...own(one), state: 'queued', queue, dueMs, reason, ...(tries === undefined ? {} : { tries }) };
}

/** The message may have left: the statistics are checked later. */
export function doubts(one: ClaimedMessage, dueMs: number, more: Partial<Change>): Change {
  const { refused = one.facts.refused } = (more.facts ?? {}) as Facts;
  const totals = totalsOf(one, refused ? countedAs(one) : 'u');
  return { ...own(one), state: 'unknown', queue: CHECKS, dueMs, totals, ...more };
}

const countries = new Countries();
const LETTERS = { sent: 's', failed: 'f', unknown: 'u', expired: 'e', skipped: 'x' } as const;

/** The status that the totals count. A message of a refused request is checked, and counts only when it is final. */
function countedAs({ state, facts: { refused, mayHaveLeft } }: ClaimedMessage): Letter {
  return mayHaveLeft || (state === 'unknown' && !refused) ? 'u' : '-';
}

function totalsOf(one: ClaimedMessage, becomes: Letter): Change['totals'] {
  const { to, text } = one.request;
  const totals = new Totals(one.account, one.prices);
  totals.add({ country: countries.of(to), text }, countedAs(one), becomes);
  return Object.keys(totals.posts).length === 0 ? undefined : totals.posts;
}

interface Ending {
  readonly code?: string | undefined;
  readonly reason?: string;
  readonly line?: string;
}

/** A one-time password is not needed after its message is settled. */
const ERASED = { erased: ['text'], facts: { text: '' } } as const;

/** The final status, with its event. `unknown`: no further checks. */
export function ends(
  one: ClaimedMessage,
  state: 'sent' | 'failed' | 'unknown' | 'expired' | 'skipped',
  { code, reason, line }: Ending = {},
): Change {
  const { id, reference, metadata } = one;
  const data = {
    id,
    state,
    ...(reference === null ? {} : { reference }),
    ...(metadata === null ? {} : { metadata }),
    ...(one.request.disbursement === undefined ? {} : { disbursement: one.request.disbursement }),
    ...(code ? { code } : {}),
    ...(reason ? { reason } : {}),
  };
  const erased = one.request.lane === 'otp' ? ERASED : undefined;
  return {
    ...own(one),
    ...erased,
    state,
    finished: true,
    event: { type: `message.${state}`, data },
    facts: { ...erased?.facts, ...(code ? { code } : {}) },
    totals: totalsOf(one, LETTERS[state]),
    ...(state === 'sent' ? { sentMs: 0 } : {}),
    ...(reason === undefined ? {} : { reason }),
    ...(line === undefined ? {} : { lines: [line] }),
  };
}

/** The message was not sent; if an earlier request may have sent it, its status is unknown. */
export function leftOut(one: ClaimedMessage, state: 'expired' | 'skipped' | 'failed', how: Ending = {}): Change {
  return one.facts.mayHaveLeft ? ends(one, 'unknown', how) : ends(one, state, how);
}

const AGAIN_MS = 500;

/** Writes results, and retries while PostgreSQL is away until the lease ends. */
export async function write(
  changes: readonly Change[],
  { operations, clock, policy, report }: Pick<MessageContext, 'operations' | 'clock' | 'policy' | 'report'>,
): Promise<void> {
  const startedMono = clock.monotonic();
  const one = async (change: Change): Promise<void> => {
    for (;;) {
      try {
        await operations.change(change);
        report?.(change.queue ?? SENT_IN, change.id, resultOf(change));
        return;
      } catch (error) {
        const isLate = clock.monotonic() - startedMono > policy.leaseMs;
        if (isLate || error instanceof LedgerClosed || isOfOneRow(error)) throw error;
        await clock.sleep(AGAIN_MS);
      }
    }
  };
  await Promise.all(changes.map(one));
}

/** The queue of a change without a queue: the message is settled. */
const SENT_IN = 'sms-batch';

function resultOf({ state, finished, reason = state }: Change): AttemptResult {
  if (finished) return { outcome: 'ended', reason: state };
  return { outcome: state === 'unknown' ? 'unknown' : 'waits', reason };
}

export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
