/** One attempt at sending a chunk: the record, the lease on it, the recipients, and the keys to use. */
import type { ChunkRecord } from '../operations/record.ts';
import type { RecipientState } from '../kinds/recipient.ts';
import type { QueueName } from '../kinds/due-queues.ts';
import type { CampaignOfChunk } from '../operations/chunk-campaign.ts';
import { isPurged, orDoubt } from '../operations/chunk-items.ts';
import type { EvidenceDraft } from '../operations/transition.ts';
import type { UpstreamAccount } from '../upstream/client.ts';
import { finish } from './intent.ts';
import type { AttemptResult, Outcome, ProcessorContext } from './context.ts';
import { mayText } from './gate.ts';
import { endCancelled } from './chunk-cancelled.ts';
import { type ChunkHeld, type ChunkMove, finishChunk, goOn, statesBefore } from './chunk-settle.ts';
import { type Recipient, recipientsOf } from './chunk-texts.ts';

export interface SendAttempt {
  readonly record: ChunkRecord;
  /** Absent for single messages. */
  readonly campaign?: CampaignOfChunk | undefined;
  readonly lease: string;
  /** The clock of Redis when the lease was given. */
  readonly at: number;
  /** When the lease ends, on our own monotonic clock. */
  readonly leaseEndsMono: number;
  readonly account: UpstreamAccount;
  readonly recipients: readonly Recipient[];
  /** The state of each recipient, by position. */
  readonly states: readonly RecipientState[];
  /** The holds of the account that this attempt was let through to try. Only it may release them. */
  readonly probing: readonly string[];
  /** The lists of opt-outs have been looked into, or are not asked for. */
  readonly optOutsRead: boolean;
}

/** Those who are sent to, in the order of the request. */
export function sentTo({ recipients, states }: Pick<SendAttempt, 'recipients' | 'states'>): readonly Recipient[] {
  return states.every((state) => state === 'sending')
    ? recipients
    : recipients.filter((_, index) => states[index] === 'sending');
}

/** The attempt by the clock of Redis as it must be by now: it may have waited for its turn. */
export function asOfNow(attempt: SendAttempt, { clock, policy }: ProcessorContext): SendAttempt {
  const begunMono = attempt.leaseEndsMono - policy.leaseMs;
  return { ...attempt, at: attempt.at + Math.round(clock.monotonic() - begunMono) };
}

/** When the first of those who are sent to expires, ms since the epoch. Nobody of a campaign does. */
export function firstExpiry(attempt: SendAttempt): number | undefined {
  const expiries = attempt.campaign ? [] : sentTo(attempt).flatMap(({ message }) => message?.expiresAt || []);
  return expiries.length > 0 ? Math.min(...expiries) : undefined;
}

/** Whose turn it is: a job was woken for it, or the attempt before it goes on with it. */
export type Turn = 'woken' | 'next';

/** Takes the lease and sees whether anything stands in the way, or says why there is nothing to do. */
export async function beginSending(
  id: string,
  { queue, turn }: { readonly queue: QueueName; readonly turn: Turn },
  context: ProcessorContext,
): Promise<SendAttempt | AttemptResult> {
  const mono = context.clock.monotonic();
  const { leaseMs } = context.policy;
  const acquired = await context.chunks.begin(id, { queue, leaseMs, untriedOnly: turn === 'next' });
  if (acquired.is !== 'acquired') return { outcome: 'idle', reason: acquired.is };
  const { record, lease, at, campaign } = acquired;
  const recipients = recipientsOf(record, campaign);
  if (campaign?.state === 'cancelled') return endCancelled({ ...acquired, recipients }, context);
  const account = context.account(record.account);
  const condition = account
    ? await mayText(record.account, acquired.accountHeld, context)
    : { wait: 'account_not_configured' };
  if (account === undefined || 'wait' in condition) {
    return keepWaiting(acquired, 'wait' in condition ? condition.wait : 'account_not_configured', context);
  }
  return {
    record,
    campaign,
    lease,
    at,
    leaseEndsMono: mono + leaseMs,
    account: account.upstream,
    recipients,
    states: leaveOutPurged(statesBefore(record), recipients),
    probing: condition.probing,
    // A one-time password is what its owner asked for a moment ago, so opt-outs do not stop it.
    optOutsRead: record.lane === 'otp',
  };
}

/** A person who was forgotten has no number to send to. */
function leaveOutPurged(states: RecipientState[], recipients: readonly Recipient[]): RecipientState[] {
  if (!recipients.some(({ to }) => isPurged(to))) return states;
  return states.map((state, index) =>
    state === 'queued' && isPurged(recipients[index]?.to ?? '') ? 'skipped' : state,
  );
}

/** Those of single messages whose time is over meanwhile are told so now, and not when the wait has ended. */
async function keepWaiting(
  { record, lease, at }: Omit<ChunkHeld, 'recipients'>,
  because: string,
  context: ProcessorContext,
): Promise<AttemptResult> {
  const dueInMs = context.policy.holdRecheckMs;
  const before = statesBefore(record);
  const recipients = record.campaign ? [] : recipientsOf(record, undefined);
  const states = orDoubt(expiredBy(at, before, recipients), record);
  if (states.every((state, index) => state === before[index])) {
    return finish({ record, lease }, context, { to: 'queued', dueInMs, outcome: 'waits', reason: because });
  }
  const went = await goOn({ record, lease, at, recipients }, { states, dueInMs }, 'expired', context);
  return went.outcome === 'lost' ? went : { outcome: 'waits', reason: because };
}

/** The states with those who wait, and whose time is over at `at`, as expired. */
export function expiredBy(
  at: number,
  states: readonly RecipientState[],
  recipients: readonly Recipient[],
): RecipientState[] {
  return states.map((state, index) => {
    const expiresAt = recipients[index]?.message?.expiresAt ?? 0;
    return state === 'queued' && expiresAt > 0 && expiresAt <= at ? 'expired' : state;
  });
}

/** Upstream took a chunk that was let through to try, so what held the account, or these of it, has cleared. */
export async function releaseProbed(
  { record, probing }: SendAttempt,
  context: ProcessorContext,
  cleared: readonly string[] = probing,
): Promise<void> {
  for (const reason of probing)
    if (cleared.includes(reason)) await context.accounts.release(record.account, 'messaging', reason);
}

/** Leaves out who has opted out by now, however long ago the file was uploaded. */
export async function leaveOutOptedOut(attempt: SendAttempt, context: ProcessorContext): Promise<SendAttempt> {
  const { record, recipients, account } = attempt;
  const people = recipients.map(({ to, from }) => ({ to, sender: from ?? account.smsSender }));
  const optedOut = await context.optOuts.among(record.account, people);
  const states = attempt.states.map(
    (state, index): RecipientState => (state === 'queued' && optedOut[index] ? 'skipped' : state),
  );
  return { ...attempt, states, optOutsRead: true };
}

/** Nothing was sent: the recipients wait in the queue as before. */
export async function leaveQueued(
  attempt: SendAttempt,
  context: ProcessorContext,
  how: {
    readonly dueInMs: number;
    readonly because: string;
    readonly did?: Outcome;
    readonly evidence?: EvidenceDraft;
    /** Absent: whoever waits for a turn, a pace or another text has not tried. */
    readonly tries?: number;
  },
): Promise<AttemptResult> {
  const { record } = attempt;
  // Those who had expired or opted out stay so; nobody else has moved.
  const waiting = attempt.states.map((state): RecipientState => (state === 'sending' ? 'queued' : state));
  const states = orDoubt(waiting, record);
  const move: ChunkMove = {
    to: 'queued',
    states,
    dueInMs: how.dueInMs,
    ...(how.tries === undefined ? {} : { set: { tries: how.tries } }),
    ...(how.evidence ? { evidence: how.evidence } : {}),
  };
  return finishChunk(attempt, move, { outcome: how.did ?? 'waits', reason: how.because }, context);
}
