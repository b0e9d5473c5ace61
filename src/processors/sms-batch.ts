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
import { RUN, readChunkId, runAfter } from '../operations/campaigns.ts';
import type { QueueName } from '../operations/due-queues.ts';
import type { Bench, Settlement } from './bench.ts';
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
  readonly settlement: Settlement;
  /** Nobody had tried it before. */
  readonly first?: boolean;
  readonly slow?: boolean;
}

export function sendChunk(id: string, queue: QueueName, bench: Bench): Promise<Settlement> {
  const untilMono = bench.clock.monotonic() + bench.policy.leaseMs / 2;
  return sendInRun(id, { queue, turn: 'woken', rest: runAfter(id), untilMono }, bench);
}

async function sendInRun(id: string, run: InRun, bench: Bench): Promise<Settlement> {
  const sent = await send(id, run, bench);
  const chunk = readChunkId(id);
  if (chunk && asksForMore(chunk.place)) await feedCampaign(chunk.campaign, bench);
  return goOnWith(run, sent, bench);
}

/**
 * The chunk's own number says whose turn it is to ask, so that nobody has to remember anything. The last of a run, since
 * then there is room for another; the first one of all, since the others may wait for what became of it.
 */
function asksForMore(place: number): boolean {
  return place === 0 || place % RUN === RUN - 1;
}

/** Whoever is stopped, has taken its time, or waits for a slow service, wakes somebody for each of the others. */
async function goOnWith(run: InRun, { settlement, first, slow }: Sent, bench: Bench): Promise<Settlement> {
  const { queue, turn, rest } = run;
  const [id, ...after] = rest;
  const goesOn = first === true || (turn === 'next' && settlement.because === 'tried');
  if (id === undefined || !goesOn) return settlement;
  if (slow || bench.stopping?.() || bench.clock.monotonic() >= run.untilMono) {
    for (const other of await bench.chunks.handedOut(queue, rest)) bench.wake(queue, other, 1);
    return settlement;
  }
  const attempt = (own: Bench): Promise<Settlement> => sendInRun(id, { ...run, turn: 'next', rest: after }, own);
  return { ...settlement, next: { id, attempt } };
}

async function send(id: string, run: InRun, bench: Bench): Promise<Sent> {
  const attempt = await beginSending(id, run, bench);
  if ('did' in attempt) return { settlement: attempt };
  const first = attempt.record.rev === 1;
  const answered = await ask(attempt, bench);
  if ('did' in answered) return { settlement: answered, first };
  const { intended, verdict, slow } = answered;
  return { settlement: await settleAnswer(intended, verdict, bench), first, slow };
}

interface Answered {
  readonly intended: SendAttempt;
  readonly verdict: Awaited<ReturnType<Bench['upstream']['messaging']['send']>>;
  readonly slow: boolean;
}

async function ask(attempt: SendAttempt, bench: Bench): Promise<Answered | Settlement> {
  const { turns } = bench;
  if (turns) {
    return turns.take({
      intend: (waited) => unlessStopping(attempt, waited, bench) ?? intend(asOfNow(attempt, bench), bench),
      send: (intended, waited) => unlessStopping(intended, waited, bench) ?? request(intended, bench),
    });
  }
  const intended = await intend(attempt, bench);
  return 'did' in intended ? intended : request(intended, bench);
}

/** What has waited for its turn until the process is about to stop has not begun: nothing of it was sent. */
function unlessStopping(attempt: SendAttempt, waited: boolean, bench: Bench): Promise<Settlement> | undefined {
  if (!waited || !bench.stopping?.()) return undefined;
  return leaveQueued(attempt, bench, { dueInMs: 0, because: 'stopping' });
}

async function request(intended: SendAttempt, bench: Bench): Promise<Answered> {
  const startedMono = bench.clock.monotonic();
  const asked = { messages: sentTo(intended) };
  const verdict = await bench.upstream.messaging.send(intended.account, asked, {
    sendBy: sendInTime(intended, bench),
  });
  return { intended, verdict, slow: bench.clock.monotonic() - startedMono > SLOW_REQUEST_MS };
}

/** Nobody is sent to who has expired since the intent was written. */
function sendInTime(intended: SendAttempt, bench: Bench): number {
  const expiresAt = firstExpiry(intended);
  const limit = sendBy(intended, bench);
  if (expiresAt === undefined) return limit;
  const intendedMono = intended.leaseEndsMono - bench.policy.leaseMs;
  return Math.min(limit, intendedMono + expiresAt - intended.at);
}

/** The attempt with its intent written down, or what keeps it from being sent. */
async function intend(attempt: SendAttempt, bench: Bench): Promise<SendAttempt | Settlement> {
  const kept = await keptByCampaign(attempt, bench);
  if (kept) return kept;
  const prepared = await bench.upstream.messaging.prepare(attempt.account);
  if (prepared.is !== 'ok') return settleUnsent(attempt, prepared, bench);
  const admission = await bench.upstream.admit(attempt.account, 'messaging', 'act');
  if (!admission.admitted) return leaveQueued(attempt, bench, { dueInMs: admission.retryAfterMs, because: 'rate' });
  const mayHaveOptOuts = !attempt.optOutsRead && bench.chunks.mayHaveOptOuts(attempt.record.account);
  return intendToSend(mayHaveOptOuts ? await leaveOutOptedOut(attempt, bench) : attempt, bench);
}
