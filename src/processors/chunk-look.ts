/**
 * Looks at a chunk that may have been sent: asks upstream's statistics for each recipient in doubt.
 *
 * Found with the same text: sent. Not found says little, since statistics lag: after the second look in vain the
 * recipient stays `unknown` for good, is reported as such, and is never sent again by us. So it is when statistics
 * cannot be had at all until the limit: callers are owed a last word.
 */
import { toMs } from '../lib/durations.ts';
import type { RecipientState } from '../operations/chunk-items.ts';
import type { ChunkRecord } from '../operations/record.ts';
import { statusPoll } from '../queues/status-poll.ts';
import type { Statistics } from '../upstream/messaging/types.ts';
import { type Bench, type Settlement, waitAt } from './bench.ts';
import { type ChunkHeld, settleChunk, statesBefore } from './chunk-settle.ts';
import { type Recipient, recipientsOf } from './chunk-texts.ts';

const RETRY_MS = statusPoll.retryAfter.map(toMs);
const LOOKS = 2;
// The zone of the dates is not told (interface: Resources, SMS records), so a day more is asked on each side.
const DAY_MS = 86_400_000;

export async function lookAtChunk(id: string, bench: Bench): Promise<Settlement> {
  const acquired = await bench.operations.acquire('chunk', id, 'status-poll', bench.policy.leaseMs);
  if (acquired.is !== 'acquired') return { did: 'idle', because: acquired.is };
  const { record, at } = acquired;
  // Whoever was being sent to when an attempt died is in doubt from here on; it is never repeated.
  const before = statesBefore(record).map((state): RecipientState => (state === 'sending' ? 'unknown' : state));
  if (!before.includes('unknown')) return settleNoDoubt(acquired, before, bench);
  if (record.state === 'sending') return doubt(acquired, before, bench);
  const sentAt = record.sentAt ?? record.since;
  const settleFor = sentAt + bench.policy.settleDelayMs - at;
  if (settleFor > 0) return wait(acquired, bench, settleFor, 'settle_delay');

  const account = bench.account(record.account);
  if (!account) return wait(acquired, bench, bench.policy.holdRecheckMs, 'account_not_configured');
  const admission = await bench.upstream.admit(account.upstream, 'messaging', 'look');
  if (!admission.admitted) return wait(acquired, bench, admission.retryAfterMs, 'rate');
  const campaign = record.campaign ? await bench.queries.read('campaign', record.campaign) : undefined;
  const recipients = recipientsOf(record, campaign);
  const numbers = recipients.filter((_, index) => before[index] === 'unknown').map(({ to }) => to);
  const verdict = await bench.upstream.messaging.statistics(account.upstream, {
    numbers,
    startDate: serviceDate(sentAt - DAY_MS),
    endDate: serviceDate(at + DAY_MS),
  });
  if (verdict.is !== 'ok') {
    const because = verdict.is === 'held' ? verdict.condition : verdict.code;
    if (at - sentAt >= bench.policy.limitMs) return giveUp(acquired, before, because, bench);
    return wait(acquired, bench, waitAt(RETRY_MS, record.tries), because);
  }
  const states = before.map((state, index) =>
    state === 'unknown' ? found(recipients[index], verdict.value) : state,
  );
  return settleLook(acquired, states, bench);
}

/** Everybody had expired when the attempt died, so there is nobody to ask about. */
async function settleNoDoubt(held: ChunkHeld, states: readonly RecipientState[], bench: Bench): Promise<Settlement> {
  await settleChunk(held, { to: 'settled', states }, bench);
  return { did: 'ended', because: 'nobody_in_doubt' };
}

/** Statistics could not be had for as long as we ask: who is in doubt stays so. */
async function giveUp(
  held: ChunkHeld,
  states: readonly RecipientState[],
  code: string,
  bench: Bench,
): Promise<Settlement> {
  const evidence = { operation: 'statistics', code, detail: 'limit' };
  await settleChunk(held, { to: 'settled', states, evidence }, bench);
  return { did: 'ended', because: 'limit' };
}

/** An attempt died while it was sending. It is never repeated: from here on the chunk is in doubt. */
async function doubt(held: ChunkHeld, states: readonly RecipientState[], bench: Bench): Promise<Settlement> {
  await settleChunk(
    held,
    {
      to: 'unknown',
      states,
      dueInMs: bench.policy.settleDelayMs,
      evidence: { operation: 'send', code: 'interrupted' },
    },
    bench,
  );
  return { did: 'unknown', because: 'interrupted' };
}

async function wait(held: ChunkHeld, bench: Bench, dueInMs: number, because: string): Promise<Settlement> {
  const { record, lease } = held;
  await bench.operations.settle(record, lease, { to: record.state, dueInMs, set: { tries: record.tries + 1 } });
  return { did: 'retries', because };
}

async function settleLook(
  held: { readonly record: ChunkRecord; readonly lease: string },
  states: readonly RecipientState[],
  bench: Bench,
): Promise<Settlement> {
  const looks = held.record.looks + 1;
  const over = looks >= LOOKS || !states.includes('unknown');
  const seen = states.filter((state) => state === 'sent').length;
  const evidence = { operation: 'statistics', code: 'ok', detail: `${seen} of ${states.length} sent` };
  const dueInMs = over ? undefined : bench.policy.settleDelayMs;
  await settleChunk(
    held,
    { to: over ? 'settled' : 'unknown', states, evidence, set: { looks }, ...(dueInMs ? { dueInMs } : {}) },
    bench,
  );
  return over ? { did: 'ended', because: 'looked' } : { did: 'unknown', because: 'not_seen_yet' };
}

function found(recipient: Recipient | undefined, statistics: Statistics): RecipientState {
  if (!recipient) return 'unknown';
  const sent = statistics.sent.get(recipient.to.replace(/\D/g, '')) ?? [];
  return sent.some(({ content }) => content === recipient.text) ? 'sent' : 'unknown';
}

/** `YYYY-MM-DD HH:MM:SS` (interface: Resources, SMS records). */
function serviceDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}
