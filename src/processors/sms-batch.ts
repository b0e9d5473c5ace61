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
import { readChunkId } from '../operations/campaigns.ts';
import type { QueueName } from '../operations/due-queues.ts';
import type { Bench, Settlement } from './bench.ts';
import { keptByCampaign } from './campaign-gate.ts';
import { feedCampaign } from './campaign.ts';
import { settleAnswer, settleUnsent } from './chunk-answer.ts';
import { beginSending, leaveOutOptedOut, leaveQueued } from './chunk-attempt.ts';
import { intendToSend } from './chunk-intent.ts';
import { sendBy } from './intent.ts';

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
  const kept = await keptByCampaign(attempt, bench);
  if (kept) return kept;
  const prepared = await bench.upstream.messaging.prepare(attempt.account);
  if (prepared.is !== 'ok') return settleUnsent(attempt, prepared, bench);
  const admission = await bench.upstream.admit(attempt.account, 'messaging', 'act');
  if (!admission.admitted) return leaveQueued(attempt, bench, { dueInMs: admission.retryAfterMs, because: 'rate' });

  const intended = await intendToSend(await leaveOutOptedOut(attempt, bench), bench);
  if ('did' in intended) return intended;
  const going = intended.recipients.filter((_, index) => intended.states[index] === 'sending');
  const verdict = await bench.upstream.messaging.send(
    intended.account,
    { messages: going.map(({ to, text, from }) => ({ to, text, ...(from ? { from } : {}) })) },
    { sendBy: sendBy(intended, bench) },
  );
  return settleAnswer(intended, verdict, bench);
}
