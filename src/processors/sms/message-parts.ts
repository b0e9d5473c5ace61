/** Parts of the work on single messages: the claimed row, what it takes, and the change that each result is. */
import type { Clock } from '../../lib/clock.ts';
import { LedgerClosed, isOfOneRow } from '../../ledger/errors.ts';
import type { Budgets } from '../../ledger/budgets.ts';
import type { Holds } from '../../ledger/holds.ts';
import type { Messages } from '../../ledger/messages.ts';
import type { Change, Claimed, Operations } from '../../ledger/operations.ts';
import type { OptOuts } from '../../ledger/opt-outs.ts';
import { payeeOf } from '../../upstream/capabilities.ts';
import type { Upstream } from '../../upstream/client.ts';
import type { AccountKeys, Policy } from '../context.ts';

export type Lane = 'otp' | 'normal';

export const queueOfLane = { otp: 'sms-otp', normal: 'sms-batch' } as const satisfies Record<Lane, string>;
export const CHECKS = 'status-poll';

export interface MessageContext {
  readonly operations: Pick<Operations, 'claim' | 'change'>;
  readonly messages: Pick<Messages, 'openAlike' | 'freeCodes' | 'erasePasswords' | 'addCost'>;
  readonly holds: Pick<Holds, 'hold' | 'release' | 'holdsOf' | 'mayProbe'>;
  readonly optOuts: Pick<OptOuts, 'among'>;
  readonly upstream: Pick<Upstream, 'messaging' | 'admit'>;
  /** Absent: no cost is counted. */
  readonly budgets?: Pick<Budgets, 'costOf' | 'hasRoom' | 'standing' | 'periodOf' | 'reckons'>;
  readonly clock: Clock;
  readonly policy: Pick<Policy, 'leaseMs' | 'holdRecheckMs' | 'settleDelayMs' | 'split' | 'onUnknown' | 'limitMs'>;
  account(name: string): AccountKeys | undefined;
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

/** A row of `claim`, as far as messages need it. */
export interface ClaimedMessage extends Claimed {
  readonly request: {
    /** Null once the person was erased. */
    readonly to: string | null;
    readonly text: string;
    readonly from?: string;
    readonly lane?: Lane;
    readonly expiresAt?: string | number;
  };
  readonly reference: string | null;
  readonly facts: Facts;
  readonly sends: number;
  readonly tries: number;
  readonly created_at: Date;
  /** Time of PostgreSQL when it was claimed. */
  readonly at: Date;
}

/** A message that has a number to send to. */
export type Addressed = ClaimedMessage & { readonly request: { readonly to: string } };

export const isAddressed = (one: ClaimedMessage): one is Addressed => typeof one.request.to === 'string';

/** As it is compared with other messages. */
export const saidBy = ({ id, request: { to, text } }: Addressed) => ({
  id,
  to,
  text,
  beneficiary: payeeOf(to, undefined),
});

export function isExpired({ request: { expiresAt }, at }: ClaimedMessage): boolean {
  if (expiresAt === undefined) return false;
  return (typeof expiresAt === 'number' ? expiresAt : Date.parse(expiresAt)) <= at.getTime();
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
  return { ...own(one), state: 'unknown', queue: CHECKS, dueMs, ...more };
}

interface Ending {
  readonly code?: string | undefined;
  readonly reason?: string;
  readonly line?: string;
}

/** The last status, with its event. `unknown`: nothing more is asked. */
export function ends(
  one: ClaimedMessage,
  state: 'sent' | 'failed' | 'unknown' | 'expired' | 'skipped',
  { code, reason, line }: Ending = {},
): Change {
  const { id, reference } = one;
  const data = {
    id,
    state,
    ...(reference === null ? {} : { reference }),
    ...(code ? { code } : {}),
    ...(reason ? { reason } : {}),
  };
  return {
    ...own(one),
    state,
    sent: state === 'sent',
    finished: true,
    event: { type: `message.${state}`, data },
    ...(code ? { facts: { code } } : {}),
    ...(reason === undefined ? {} : { reason }),
    ...(line === undefined ? {} : { line }),
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
  { operations, messages, clock, policy }: MessageContext,
  passwords = false,
): Promise<void> {
  const startedMono = clock.monotonic();
  const one = async (change: Change): Promise<boolean> => {
    for (;;) {
      try {
        return await operations.change(change);
      } catch (error) {
        const isLate = clock.monotonic() - startedMono > policy.leaseMs;
        if (isLate || error instanceof LedgerClosed || isOfOneRow(error)) throw error;
        await clock.sleep(AGAIN_MS);
      }
    }
  };
  await Promise.all(changes.map(one));
  if (passwords)
    await messages.erasePasswords(changes.filter(({ dueMs }) => dueMs === undefined).map(({ id }) => id));
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
