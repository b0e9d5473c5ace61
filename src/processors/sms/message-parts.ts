/** Parts of the work on single messages: the claimed row, what it takes, and the change that each result is. */
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
  readonly operations: Pick<Operations, 'claim' | 'change'>;
  readonly messages: Pick<Messages, 'openAlike' | 'freeCodes' | 'addCost'>;
  readonly holds: Pick<Holds, 'hold' | 'release' | 'holdsOf' | 'mayProbe'>;
  readonly optOuts: Pick<OptOuts, 'among'>;
  readonly upstream: Pick<Upstream, 'messaging' | 'admit'>;
  /** Absent: no cost is counted. */
  readonly budgets?: Pick<Budgets, 'costOf' | 'hasRoom' | 'standing' | 'periodOf' | 'reckons'>;
  readonly clock: Clock;
  readonly policy: Pick<
    Policy,
    'leaseMs' | 'holdRecheckMs' | 'settleDelayMs' | 'split' | 'onUnknown' | 'limitMs' | 'prices'
  >;
  account(name: string): AccountKeys | undefined;
  /** Receives the outcome of each attempt, for metrics. */
  readonly report?: ((queue: string, id: string, result: AttemptResult) => void) | undefined;
  /**
   * Since when no witness has confirmed the ledger, ms since the epoch: a message that was accepted before may have
   * been sent already, if an earlier copy was restored. Undefined: a witness has.
   */
  unwitnessedSince?(): number | undefined;
  /** This process stops: requests that have not begun do not leave. */
  stopping?(): boolean;
}

interface Facts {
  /** Checks in the statistics since it was last sent. */
  readonly looks?: number;
  /** It waits again, although an earlier request may have sent it. */
  readonly mayHaveLeft?: boolean;
  /** It goes in a request of its own: another recipient, or this one, spoilt a request. */
  readonly alone?: boolean;
  /** Code of the request that was refused for one of its recipients; empty: none. */
  readonly refused?: string;
}

/** A row of `claim`, as messages have it. */
export type ClaimedMessage = Omit<Claimed, 'request' | 'facts' | 'since'> & {
  readonly request: {
    /** E.164; a name that says nothing, once the person was erased. */
    readonly to: string;
    readonly text: string;
    readonly from?: string;
    readonly lane?: Lane;
    readonly expiresAt?: string | number;
  };
  readonly facts: Facts;
  /** XOF per segment, by country. */
  readonly prices: Policy['prices'];
  /** Before the claim was asked for, by the clocks of this process. */
  readonly since: Moment;
};

/** What is written in the row was judged by the schema of messages when it was accepted. */
export const asMessages = (
  claimed: readonly Claimed[],
  { prices }: Pick<Policy, 'prices'>,
  since: Moment,
): readonly ClaimedMessage[] =>
  claimed.map((one) => ({ ...(one as unknown as Omit<ClaimedMessage, 'prices' | 'since'>), prices, since }));

/** A message that has a number to send to, and a text. */
export const isAddressed = ({ request: { to, text } }: ClaimedMessage): boolean => to.startsWith('+') && text !== '';

/** As it is compared with other messages. */
export const saidBy = ({ id, request: { to, text } }: ClaimedMessage) => ({
  id,
  to,
  text,
  beneficiary: payeeOf(to, undefined),
});

/** A restored ledger records the message again from it. The journal is no place for a one-time password. */
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

/** Of PostgreSQL, at the claim. */
export const isExpired = (message: ClaimedMessage): boolean => lastsMs(message) <= 0;

/** The ms from the claim until the message expires. */
function lastsMs({ request: { expiresAt }, at }: ClaimedMessage): number {
  if (expiresAt === undefined) return Number.POSITIVE_INFINITY;
  return (typeof expiresAt === 'number' ? expiresAt : Date.parse(expiresAt)) - at.getTime();
}

/** None of them leaves after its lease allows it, or after it has expired. */
export function sendByOf(messages: readonly ClaimedMessage[], since: Moment, leaseMs: number): Deadline {
  const left = messages.map((one) => lastsMs(one) - msBetween(one.since, since));
  return { since, ms: Math.min(leaseMs / 2, ...left) };
}

type Own = Pick<Change, 'id' | 'lease' | 'was'>;
const own = ({ id, lease, state }: ClaimedMessage): Own => ({ id, lease, was: state });

/** It waits in its queue, for another time. */
export function waits(
  one: ClaimedMessage,
  dueMs: number,
  { reason, tries }: { reason: string; tries?: number },
): Change {
  const queue = queueOfLane[one.request.lane ?? 'normal'];
  return { ...own(one), state: 'queued', queue, dueMs, reason, ...(tries === undefined ? {} : { tries }) };
}

/** It may have left: the statistics are asked later. */
export function doubts(one: ClaimedMessage, dueMs: number, more: Partial<Change>): Change {
  const { refused = one.facts.refused } = (more.facts ?? {}) as Facts;
  const totals = totalsOf(one, refused ? countedAs(one) : 'u');
  return { ...own(one), state: 'unknown', queue: CHECKS, dueMs, totals, ...more };
}

const countries = new Countries();
const LETTERS = { sent: 's', failed: 'f', unknown: 'u', expired: 'e', skipped: 'x' } as const;

/** As which it is in the totals. One of a refused request is checked, and counts only at its end. */
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

/** A one-time password is of no use once its message is settled. */
const ERASED = { erased: ['text'], facts: { text: '' } } as const;

/** The last status, with its event. `unknown`: nothing more is asked. */
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

/** Nothing left for it; but if an earlier request may have sent it, it is reported as unknown. */
export function leftOut(one: ClaimedMessage, state: 'expired' | 'skipped' | 'failed', how: Ending = {}): Change {
  return one.facts.mayHaveLeft ? ends(one, 'unknown', how) : ends(one, state, how);
}

const AGAIN_MS = 500;

/** Writes results, and tries again while PostgreSQL is away, as long as the lease can last. */
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

/** The queue of a message whose change names none: it is settled. */
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
