/**
 * Sends one chunk of up to 50 recipients, at most once.
 *
 *   may we? ──▶ a bearer, ahead of time ──▶ write `sending` ──▶ durable, read again ──▶ send ──▶ write down each
 * recipient
 *
 * Upstream has no way to recognise a repeated request, so a chunk that was found `sending` is never sent again: it is
 * looked at (chunk-look.ts). The unit of truth is the recipient, the unit of doubt the chunk.
 */
import { toMs } from '../lib/durations.ts';
import { readChunkId } from '../operations/campaigns.ts';
import type { RecipientState } from '../operations/chunk-items.ts';
import type { QueueName } from '../operations/due-queues.ts';
import { smsBatch } from '../queues/sms-batch.ts';
import type { SentItem } from '../upstream/messaging/types.ts';
import type { NotOk, Seen, Verdict } from '../upstream/verdict.ts';
import { type Bench, type Settlement, waitAt } from './bench.ts';
import { feedCampaign } from './campaign.ts';
import { type SendAttempt, beginSending, leaveQueued, releaseProbed } from './chunk-attempt.ts';
import { settleChunk } from './chunk-settle.ts';
import { takeBack } from './take-back.ts';

const RETRY_MS = smsBatch.retryAfter.map(toMs);

/** interface: SMS errors, insufficient balance. Whether a part of the chunk was sent before it ran out is not told. */
const BALANCE_EMPTY = 'ERROR_102';

/** How many chunks of a campaign are sent between two requests for more. */
const TOP_UP_EVERY = 16;

export async function sendChunk(id: string, queue: QueueName, bench: Bench): Promise<Settlement> {
  const settlement = await send(id, queue, bench);
  const chunk = readChunkId(id);
  // The chunk's own number says whose turn it is to ask, so that nobody has to remember anything.
  if (chunk && chunk.place % TOP_UP_EVERY === 0) await feedCampaign(chunk.campaign, bench);
  return settlement;
}

async function send(id: string, queue: QueueName, bench: Bench): Promise<Settlement> {
  const attempt = await beginSending(id, queue, bench);
  if ('did' in attempt) return attempt;
  const prepared = await bench.upstream.messaging.prepare(attempt.account);
  if (prepared.is !== 'ok') return settleUnsent(attempt, prepared, bench);
  const admission = await bench.upstream.admit(attempt.account, 'messaging', 'act');
  if (!admission.admitted) return leaveQueued(attempt, bench, { dueInMs: admission.retryAfterMs, because: 'rate' });

  const intended = await writeIntent(attempt, bench);
  if ('did' in intended) return intended;
  const going = intended.recipients.filter((_, index) => intended.states[index] === 'sending');
  if (going.length === 0) return settleNobody(intended, bench);
  const verdict = await bench.upstream.messaging.send(
    intended.account,
    { messages: going.map(({ to, text, from }) => ({ to, text, ...(from ? { from } : {}) })) },
    { sendBy: intended.leaseEndsMono - bench.policy.leaseMs / 2 },
  );
  return settleSent(intended, verdict, bench);
}

/** Writes down that we are about to send. Whatever goes wrong in here, nothing was sent, and that is said. */
async function writeIntent(attempt: SendAttempt, bench: Bench): Promise<SendAttempt | Settlement> {
  const { leaseMs } = bench.policy;
  const leaseEndsMono = bench.clock.monotonic() + leaseMs;
  try {
    return await putDown(attempt, leaseEndsMono, bench);
  } catch (error) {
    const written: SendAttempt = { ...attempt, record: { ...attempt.record, state: 'sending' } };
    const evidence = { operation: 'send', code: 'not_sent' };
    const dueInMs = waitAt(RETRY_MS, attempt.record.tries);
    await takeBack(bench, leaseEndsMono - leaseMs / 2, () =>
      leaveQueued(written, bench, { dueInMs, because: 'intent_lost', did: 'retries', evidence }),
    );
    throw error;
  }
}

/** The write to exactly these recipients, the fence and the re-read. */
async function putDown(attempt: SendAttempt, leaseEndsMono: number, bench: Bench): Promise<SendAttempt | Settlement> {
  const { leaseMs } = bench.policy;
  const states = attempt.recipients.map(
    ({ message }): RecipientState =>
      message && message.expiresAt > 0 && message.expiresAt <= attempt.at ? 'expired' : 'sending',
  );
  const settled = await settleChunk(
    attempt,
    {
      to: 'sending',
      states,
      gated: true,
      keepMs: leaseMs,
      dueInMs: leaseMs,
      set: { '@sentAt': 0 },
      evidence: { operation: 'send', code: 'intended' },
    },
    bench,
  );
  if (settled.is === 'parked' || settled.is === 'cancelled')
    return { did: 'waits', because: `campaign_${settled.is}` };
  if (settled.is !== 'applied' && settled.is !== 'mine') return { did: 'lost', because: settled.is };
  const { record, lease } = attempt;
  const written: SendAttempt = {
    ...attempt,
    states,
    leaseEndsMono,
    record: { ...record, state: 'sending', sentAt: settled.at },
  };
  if (!(await bench.fence())) {
    // Left `sending`, it would be taken for an attempt that died while it was sending, and never be sent.
    const evidence = { operation: 'send', code: 'not_durable' };
    const dueInMs = waitAt(RETRY_MS, record.tries);
    return leaveQueued(written, bench, { dueInMs, because: 'fence', did: 'retries', evidence });
  }
  const kept = await bench.operations.stillMine(record.id, { state: 'sending', lease, op: settled.op });
  if (!kept) return { did: 'lost', because: 're-read' };
  return written;
}

async function settleSent(
  attempt: SendAttempt,
  verdict: Verdict<{ readonly items: readonly SentItem[] }>,
  bench: Bench,
): Promise<Settlement> {
  if (verdict.is !== 'ok') return settleNotSent(attempt, verdict, bench);
  const places = attempt.states.flatMap((state, index) => (state === 'sending' ? [index] : []));
  const states = attempt.states.map((state): RecipientState => (state === 'sending' ? 'unknown' : state));
  const codes: Record<number, string> = {};
  for (const item of verdict.value.items) {
    const place = places[item.index];
    if (place === undefined) continue;
    states[place] = item.outcome;
    if (item.code) codes[place] = item.code;
  }
  await releaseProbed(attempt, bench);
  const evidence = evidenceOf(verdict.seen);
  if (!states.includes('unknown')) {
    await settleChunk(attempt, { to: 'settled', states, codes, evidence }, bench);
    return { did: 'ended', because: 'sent' };
  }
  const dueInMs = bench.policy.settleDelayMs;
  await settleChunk(attempt, { to: 'unknown', states, codes, evidence, dueInMs }, bench);
  return { did: 'unknown', because: 'items_missing' };
}

async function settleNotSent(attempt: SendAttempt, verdict: NotOk, bench: Bench): Promise<Settlement> {
  const { seen } = verdict;
  // A slow-down or a refused token is an answer given before any work: nothing was sent, as when nothing left us.
  if (seen.sent === 'never' || verdict.is === 'transient' || verdict.is === 'config') {
    return settleUnsent(attempt, verdict, bench);
  }
  const evidence = evidenceOf(seen);
  if (verdict.is === 'refused') {
    const states = attempt.states.map((state): RecipientState => (state === 'sending' ? 'failed' : state));
    const codes = Object.fromEntries(states.map((_, index) => [index, seen.upstreamCode ?? verdict.code]));
    await settleChunk(attempt, { to: 'settled', states, codes, evidence }, bench);
    return { did: 'ended', because: verdict.code };
  }
  if (seen.upstreamCode === BALANCE_EMPTY) await stopForFunds(attempt, bench);
  const states = attempt.states.map((state): RecipientState => (state === 'sending' ? 'unknown' : state));
  await settleChunk(attempt, { to: 'unknown', states, evidence, dueInMs: bench.policy.settleDelayMs }, bench);
  return { did: 'unknown', because: verdict.is === 'held' ? verdict.condition : verdict.code };
}

/** Provably nothing was sent: back to the queue, or held with the account where our keys were refused. */
async function settleUnsent(attempt: SendAttempt, verdict: NotOk, bench: Bench): Promise<Settlement> {
  const { record } = attempt;
  const held = verdict.is === 'config' ? 'not_authorised' : verdict.is === 'held' ? verdict.condition : undefined;
  if (held) await bench.accounts.hold(record.account, 'messaging', held);
  const retryAfterMs = 'retryAfterMs' in verdict ? (verdict.retryAfterMs ?? 0) : 0;
  const waitMs = held ? bench.policy.holdRecheckMs : Math.max(retryAfterMs, waitAt(RETRY_MS, record.tries));
  const because = held ?? ('code' in verdict ? verdict.code : 'unsent');
  return leaveQueued(attempt, bench, {
    dueInMs: waitMs,
    because,
    evidence: evidenceOf(verdict.seen),
    did: held ? 'waits' : 'retries',
  });
}

/** The rest of the campaign is not burnt one chunk after the other: it waits until somebody has paid and says so. */
async function stopForFunds({ record }: SendAttempt, bench: Bench): Promise<void> {
  await bench.accounts.hold(record.account, 'messaging', 'funds');
  if (record.campaign) await bench.campaigns.switch(record.campaign, 'hold');
}

/** Everybody in the chunk had expired by the time it was sent. */
async function settleNobody(attempt: SendAttempt, bench: Bench): Promise<Settlement> {
  await settleChunk(attempt, { to: 'settled', states: attempt.states }, bench);
  return { did: 'ended', because: 'expired' };
}

function evidenceOf(seen: Seen) {
  return { operation: 'send', code: seen.upstreamCode ?? seen.code, httpStatus: seen.httpStatus };
}
