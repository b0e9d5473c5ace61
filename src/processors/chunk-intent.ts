/** Writes down whom a chunk is about to be sent to, and makes sure that it stays written down (intent.ts says why). */
import { toMs } from '../lib/clock.ts';
import { orDoubt, packOutcome } from '../operations/chunk-items.ts';
import { smsBatch } from '../queues/sms-batch.ts';
import type { TransitionResult } from '../operations/transition.ts';
import { type ProcessorContext, type AttemptResult, retryAt } from './context.ts';
import { waitForPace } from './campaign-gate.ts';
import { type SendAttempt, expiredBy, firstExpiry, leaveOutOptedOut, leaveQueued } from './chunk-attempt.ts';
import { nextPart, readPlan } from './chunk-plan.ts';
import { goOn, settleChunk } from './chunk-settle.ts';
import { writeIntent } from './intent.ts';

const RETRY_MS = smsBatch.retryAfter.map(toMs);

const NOBODY: ReadonlySet<number> = new Set();

/** How soon it is seen whether the same text to the same number is over. */
const SAME_TEXT_MS = 5_000;

/** The attempt with those who are sent to as `sending`, or what became of it where nobody is. */
export function intendToSend(attempt: SendAttempt, context: ProcessorContext): Promise<SendAttempt | AttemptResult> {
  let asked = attempt;
  let intended = asIntended(asked);
  // The same text to the same number is on its way, or in doubt: theirs waits, and the others go.
  const busy = new Set<number>();
  return writeIntent<SendAttempt>(
    attempt,
    {
      write: async () => {
        // Each time round somebody more is left out, so this ends.
        while (intended.states.includes('sending')) {
          const settled = await writeChunkIntent(attempt, intended, context);
          if (settled.is === 'expiring') intended = asIntended({ ...intended, at: settled.at }, asked, busy);
          else if (settled.is === 'opt-outs') {
            asked = await leaveOutOptedOut(asked, context);
            intended = asIntended({ ...asked, at: intended.at }, asked, busy);
          } else if (settled.is === 'busy') {
            for (const place of busyPlaces(settled.places, intended)) busy.add(place);
            intended = asIntended({ ...asked, at: intended.at }, asked, busy);
          } else if (settled.is === 'parked' || settled.is === 'cancelled')
            return { outcome: 'waits', reason: `campaign_${settled.is}` };
          else if (settled.is === 'recovering') return waitForRecovery(attempt, context);
          else if (settled.is === 'paced') return waitForPace(attempt, settled.waitMs, context);
          else return settled as TransitionResult;
        }
        return sendNobody(attempt, intended, context);
      },
      mine: { state: 'sending' },
      written: (applied, leaseEndsMono) => {
        const at = applied.at || intended.at;
        return { ...intended, leaseEndsMono, at, record: { ...intended.record, sentAt: at, rev: applied.rev } };
      },
      withdrawIntent: ({ because, code }) => {
        const { dueInMs, tries } = retryAt(RETRY_MS, { tries: attempt.record.tries, because }, context.policy);
        const evidence = { operation: 'send', code };
        return leaveQueued(intended, context, { dueInMs, because, did: 'retries', tries, evidence });
      },
    },
    context,
  );
}

function waitForRecovery(attempt: SendAttempt, context: ProcessorContext): Promise<AttemptResult> {
  return leaveQueued(attempt, context, { dueInMs: context.policy.holdRecheckMs, because: 'recovering' });
}

/** The attempt as the record tells it once the intent is written: who is sent to, and who is left out. */
function asIntended(
  attempt: SendAttempt,
  { record, states: before } = attempt,
  busy: ReadonlySet<number> = NOBODY,
): SendAttempt {
  // All that wait go at once, as nearly every chunk of a campaign does.
  if (record.campaign && record.plan === '' && busy.size === 0 && before.every((state) => state === 'queued')) {
    return { ...attempt, states: before.map(() => 'sending'), record: { ...record, state: 'sending', outcome: '' } };
  }
  const waiting = expiredBy(attempt.at, before, attempt.recipients);
  const part = new Set(nextPart(waiting, readPlan(record.plan), busy));
  const states = orDoubt(waiting, record).map((state, index) => (part.has(index) ? 'sending' : state));
  return { ...attempt, states, record: { ...record, state: 'sending', outcome: packOutcome(states) } };
}

/** Positions in the chunk of those whom the script names by their place among who is sent to. */
function busyPlaces(places: readonly number[], { states }: SendAttempt): number[] {
  const going = states.flatMap((state, index) => (state === 'sending' ? [index] : []));
  return places.flatMap((place) => going[place] ?? []);
}

function writeChunkIntent(attempt: SendAttempt, intended: SendAttempt, context: ProcessorContext) {
  const { leaseMs } = context.policy;
  const { states } = intended;
  return settleChunk(
    attempt,
    {
      to: 'sending',
      states,
      only: 'to send',
      optOutsOf: intended.optOutsRead ? [] : sendersOf(intended),
      expiresAt: firstExpiry(intended),
      keepMs: leaseMs,
      dueInMs: leaseMs,
      set: { '@sentAt': 0, ...(attempt.record.firstSentAt ? {} : { '@firstSentAt': 0 }) },
      evidence: { operation: 'send', code: 'intended' },
    },
    context,
  );
}

/** Every sender, and those whom the recipients would see. */
function sendersOf({ recipients, account, campaign }: SendAttempt): string[] {
  // The recipients of a campaign all see the same one.
  const some = campaign ? recipients.slice(0, 1) : recipients;
  return [...new Set(['', ...some.flatMap(({ from }) => from ?? account.smsSender ?? [])])];
}

/** Everybody has expired, opted out, or waits for the same text to be over. */
function sendNobody(
  attempt: SendAttempt,
  { states }: SendAttempt,
  context: ProcessorContext,
): Promise<AttemptResult> {
  if (states.includes('queued')) {
    const dueInMs = Math.min(SAME_TEXT_MS, context.policy.settleDelayMs);
    return leaveQueued({ ...attempt, states }, context, { dueInMs, because: 'same_text_open' });
  }
  return goOn(attempt, { states }, states.includes('skipped') ? 'opted_out' : 'expired', context);
}

/** Whether those who still wait do so for a text of theirs that is open elsewhere, and not for their part's turn. */
export function waitForSameText({ record, states }: SendAttempt, context: ProcessorContext): number {
  return record.plan === '' && states.includes('queued') ? Math.min(SAME_TEXT_MS, context.policy.settleDelayMs) : 0;
}
