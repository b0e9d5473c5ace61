/**
 * Sends one chunk of up to 50 recipients, at most once.
 *
 *   may we? ──▶ a bearer, ahead of time ──▶ write `sending` ──▶ durable, read again ──▶ send ──▶ write down each
 * recipient
 *
 * Upstream has no way to recognise a repeated request, so a chunk that was found `sending` is never sent again: it is
 * looked at (chunk-look.ts). The unit of truth is the recipient, the unit of doubt the chunk. A chunk that one of its
 * recipients spoils goes out in parts (chunk-plan.ts), and each part is an attempt of its own.
 */
import type { QueueName } from '../kinds/due-queues.ts';
import { RUN, readChunkId, runAfter } from '../operations/campaigns.ts';
import type { ProcessorContext, AttemptResult } from './context.ts';
import { keptByCampaign } from './campaign-gate.ts';
import { feedCampaign } from './campaign.ts';
import { settleAnswer, settleUnsent } from './chunk-answer.ts';
import {
  type SendAttempt,
  type Turn,
  asOfNow,
  beginSending,
  firstExpiry,
  leaveOutOptedOut,
  leaveQueued,
  sentTo,
} from './chunk-attempt.ts';
import { intendToSend } from './chunk-intent.ts';
import { sendBy } from './intent.ts';

/** A request that took longer is waited for by one slot each: where the service takes the time, jobs cost nothing. */
const SLOW_REQUEST_MS = 150;

/** A turn in a run of chunks; see `runAfter`. */
interface InRun {
  readonly queue: QueueName;
  readonly turn: Turn;
  /** The chunks after this one. */
  readonly rest: readonly string[];
  /** A quarter of the job's lock is for the run, on our own monotonic clock. */
  readonly untilMono: number;
}

interface Sent {
  readonly settlement: AttemptResult;
  /** Nobody had tried it before. */
  readonly first?: boolean;
  readonly slow?: boolean;
}

export function sendChunk(id: string, queue: QueueName, context: ProcessorContext): Promise<AttemptResult> {
  const untilMono = context.clock.monotonic() + context.policy.leaseMs / 2;
  return sendInRun(id, { queue, turn: 'woken', rest: runAfter(id), untilMono }, context);
}

async function sendInRun(id: string, run: InRun, context: ProcessorContext): Promise<AttemptResult> {
  const sent = await send(id, run, context);
  const chunk = readChunkId(id);
  if (chunk && asksForMore(chunk.place)) await feedCampaign(chunk.campaign, context);
  return goOnWith(run, sent, context);
}

/**
 * The chunk's own number says whose turn it is to ask, so that nobody has to remember anything. The last of a run, since
 * then there is room for another; the first one of all, since the others may wait for what became of it.
 */
function asksForMore(place: number): boolean {
  return place === 0 || place % RUN === RUN - 1;
}

/** Whoever is stopped, has taken its time, or waits for a slow service, wakes somebody for each of the others. */
async function goOnWith(
  run: InRun,
  { settlement, first, slow }: Sent,
  context: ProcessorContext,
): Promise<AttemptResult> {
  const { queue, turn, rest } = run;
  const [id, ...after] = rest;
  const goesOn = first === true || (turn === 'next' && settlement.reason === 'tried');
  if (id === undefined || !goesOn) return settlement;
  if (slow || context.stopping?.() || context.clock.monotonic() >= run.untilMono) {
    for (const other of await context.chunks.handedOut(queue, rest)) context.wake(queue, other, 1);
    return settlement;
  }
  const attempt = (own: ProcessorContext): Promise<AttemptResult> =>
    sendInRun(id, { ...run, turn: 'next', rest: after }, own);
  return { ...settlement, next: { id, attempt } };
}

async function send(id: string, run: InRun, context: ProcessorContext): Promise<Sent> {
  const attempt = await beginSending(id, run, context);
  if ('outcome' in attempt) return { settlement: attempt };
  const first = attempt.record.rev === 1;
  const answered = await ask(attempt, context);
  if ('outcome' in answered) return { settlement: answered, first };
  const { intended, verdict, slow } = answered;
  return { settlement: await settleAnswer(intended, verdict, context), first, slow };
}

interface Answered {
  readonly intended: SendAttempt;
  readonly verdict: Awaited<ReturnType<ProcessorContext['upstream']['messaging']['send']>>;
  readonly slow: boolean;
}

async function ask(attempt: SendAttempt, context: ProcessorContext): Promise<Answered | AttemptResult> {
  const { turns } = context;
  if (turns) {
    return turns.take({
      intend: (waited) => unlessStopping(attempt, waited, context) ?? intend(asOfNow(attempt, context), context),
      send: (intended, waited) => unlessStopping(intended, waited, context) ?? request(intended, context),
    });
  }
  const intended = await intend(attempt, context);
  return 'outcome' in intended ? intended : request(intended, context);
}

/** What has waited for its turn until the process is about to stop has not begun: nothing of it was sent. */
function unlessStopping(
  attempt: SendAttempt,
  waited: boolean,
  context: ProcessorContext,
): Promise<AttemptResult> | undefined {
  if (!waited || !context.stopping?.()) return undefined;
  return leaveQueued(attempt, context, { dueInMs: 0, because: 'stopping' });
}

async function request(intended: SendAttempt, context: ProcessorContext): Promise<Answered> {
  const startedMono = context.clock.monotonic();
  const asked = { messages: sentTo(intended) };
  const verdict = await context.upstream.messaging.send(intended.account, asked, {
    sendBy: sendInTime(intended, context),
  });
  return { intended, verdict, slow: context.clock.monotonic() - startedMono > SLOW_REQUEST_MS };
}

/** Nobody is sent to who has expired since the intent was written. */
function sendInTime(intended: SendAttempt, context: ProcessorContext): number {
  const expiresAt = firstExpiry(intended);
  const limit = sendBy(intended, context);
  if (expiresAt === undefined) return limit;
  const intendedMono = intended.leaseEndsMono - context.policy.leaseMs;
  return Math.min(limit, intendedMono + expiresAt - intended.at);
}

/** The attempt with its intent written down, or what keeps it from being sent. */
async function intend(attempt: SendAttempt, context: ProcessorContext): Promise<SendAttempt | AttemptResult> {
  const kept = await keptByCampaign(attempt, context);
  if (kept) return kept;
  const prepared = await context.upstream.messaging.prepare(attempt.account);
  if (prepared.is !== 'ok') return settleUnsent(attempt, prepared, context);
  const admission = await context.upstream.admit(attempt.account, 'messaging', 'act');
  if (!admission.admitted) return leaveQueued(attempt, context, { dueInMs: admission.retryAfterMs, because: 'rate' });
  const mayHaveOptOuts = !attempt.optOutsRead && context.chunks.mayHaveOptOuts(attempt.record.account);
  return intendToSend(mayHaveOptOuts ? await leaveOutOptedOut(attempt, context) : attempt, context);
}
