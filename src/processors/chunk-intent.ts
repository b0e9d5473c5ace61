/** Writes down whom a chunk is about to be sent to, and makes sure that it stays written down (intent.ts says why). */
import { toMs } from '../lib/durations.ts';
import { type RecipientState, packOutcome, unpackAgain } from '../operations/chunk-items.ts';
import { smsBatch } from '../queues/sms-batch.ts';
import type { Settled } from '../operations/settle.ts';
import { type Bench, type Settlement, waitAt } from './bench.ts';
import { waitForPace } from './campaign-gate.ts';
import { type SendAttempt, expiredBy, leaveQueued } from './chunk-attempt.ts';
import { nextPart, readPlan } from './chunk-plan.ts';
import { goOn, settleChunk } from './chunk-settle.ts';
import { putDown } from './intent.ts';

const RETRY_MS = smsBatch.retryAfter.map(toMs);

/** How soon it is seen whether the same text to the same number is over. */
const SAME_TEXT_MS = 5_000;

/** The attempt with those who are sent to as `sending`, or what became of it where nobody is. */
export function intendToSend(attempt: SendAttempt, bench: Bench): Promise<SendAttempt | Settlement> {
  let intended = asIntended(attempt);
  return putDown<SendAttempt>(
    attempt,
    {
      write: async () => {
        // Each time round somebody less is sent to, so this ends.
        while (intended.states.includes('sending')) {
          const settled = await writeIntent(attempt, intended, bench);
          if (settled.is === 'expiring') intended = asIntended({ ...intended, at: settled.at }, attempt);
          else if (settled.is === 'busy') intended = withoutThese(settled.places, intended);
          else if (settled.is === 'parked' || settled.is === 'cancelled')
            return { did: 'waits', because: `campaign_${settled.is}` };
          else if (settled.is === 'paced') return waitForPace(attempt, settled.waitMs, bench);
          else return settled as Settled;
        }
        return sendNobody(attempt, intended, bench);
      },
      mine: { state: 'sending' },
      written: (applied, leaseEndsMono) => {
        const at = applied.at || intended.at;
        return { ...intended, leaseEndsMono, at, record: { ...intended.record, sentAt: at, rev: applied.rev } };
      },
      unsay: ({ because, code }) => {
        const dueInMs = waitAt(RETRY_MS, attempt.record.tries);
        const evidence = { operation: 'send', code };
        return leaveQueued(intended, bench, { dueInMs, because, did: 'retries', evidence });
      },
    },
    bench,
  );
}

/** The attempt as the record tells it once the intent is written: who is sent to, and who is left out. */
function asIntended(attempt: SendAttempt, { record, states: before } = attempt): SendAttempt {
  const waiting = expiredBy(attempt.at, before, attempt.recipients);
  const part = new Set(nextPart(waiting, readPlan(record.plan)));
  const again = unpackAgain(record.again, record.count);
  const states = waiting.map((state, index): RecipientState => {
    if (part.has(index)) return 'sending';
    // Whoever may have been sent to before is not reported as not sent to.
    return (state === 'expired' || state === 'skipped') && again[index] ? 'unknown' : state;
  });
  return { ...attempt, states, record: { ...record, state: 'sending', outcome: packOutcome(states) } };
}

/** The same text to the same number is on its way, or in doubt: theirs waits, and the others go. */
function withoutThese(places: readonly number[], intended: SendAttempt): SendAttempt {
  const going = intended.states.flatMap((state, index) => (state === 'sending' ? [index] : []));
  const waits = new Set(places.map((place) => going[place]));
  const states = intended.states.map((state, index): RecipientState => (waits.has(index) ? 'queued' : state));
  return { ...intended, states, record: { ...intended.record, outcome: packOutcome(states) } };
}

function writeIntent(attempt: SendAttempt, { states, recipients }: SendAttempt, bench: Bench) {
  const { leaseMs } = bench.policy;
  const going = recipients.filter((_, index) => states[index] === 'sending');
  const expiries = going.flatMap(({ message }) => message?.expiresAt || []);
  return settleChunk(
    attempt,
    {
      to: 'sending',
      states,
      only: 'to send',
      expiresAt: expiries.length > 0 ? Math.min(...expiries) : undefined,
      keepMs: leaseMs,
      dueInMs: leaseMs,
      set: { '@sentAt': 0, ...(attempt.record.firstSentAt ? {} : { '@firstSentAt': 0 }) },
      evidence: { operation: 'send', code: 'intended' },
    },
    bench,
  );
}

/** Everybody has expired, opted out, or waits for the same text to be over. */
function sendNobody(attempt: SendAttempt, { states }: SendAttempt, bench: Bench): Promise<Settlement> {
  if (states.includes('queued')) {
    const dueInMs = Math.min(SAME_TEXT_MS, bench.policy.settleDelayMs);
    return leaveQueued({ ...attempt, states }, bench, { dueInMs, because: 'same_text_open' });
  }
  return goOn(attempt, { states }, states.includes('skipped') ? 'opted_out' : 'expired', bench);
}

/** Whether those who still wait do so for a text of theirs that is open elsewhere, and not for their part's turn. */
export function waitForSameText({ record, states }: SendAttempt, bench: Bench): number {
  return record.plan === '' && states.includes('queued') ? Math.min(SAME_TEXT_MS, bench.policy.settleDelayMs) : 0;
}
