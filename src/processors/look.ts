/**
 * Looks at a disbursement whose submit may have left us. Asking changes nothing upstream, so it may happen at any time
 * and any number of times; judge.ts says what an answer means.
 */
import { WRONG_HASH, claimsSuccess, readEvidence } from '../operations/evidence.ts';
import type { DisbursementRecord } from '../operations/record.ts';
import { eventOf } from './announced.ts';
import { type AttemptAt, DAILY_MS, type Ending, HINT_INTERVAL_MS, beginAt, finish, stayAt } from './attempt.ts';
import { type Bench, type Settlement, waitAt } from './bench.ts';
import { type Judgement, judge } from './judge.ts';
import { submit } from './submit.ts';

type Attempt = AttemptAt<'disbursement'>;

export async function lookAtDisbursement(id: string, bench: Bench): Promise<Settlement> {
  const attempt = await beginAt('disbursement', id, 'status-poll', bench);
  if ('did' in attempt) return attempt;
  const { record, account } = attempt;
  const pollIn = waitAt(bench.policy.pollMs, record.tries);
  // Without a token upstream cannot be asked; only a person can settle it, and nothing is due until one does.
  if (record.token === undefined) {
    return finish(attempt, bench, { to: record.state, did: 'idle', because: 'no_token' });
  }
  const admission = await bench.upstream.admit(account, 'payments', 'look');
  if (!admission.admitted) return stayAt(attempt, bench, { dueInMs: admission.retryAfterMs, because: 'rate' });

  const verdict = await bench.upstream.payments.disbursementStatus(account, { token: record.token });
  const { seen } = verdict;
  const evidence = { operation: 'status', code: seen.upstreamCode ?? seen.code, httpStatus: seen.httpStatus };
  if (verdict.is !== 'ok') {
    const because = verdict.is === 'held' ? verdict.condition : verdict.code;
    // No answer is no information: never a reason to submit, and never a result.
    const to = record.state === 'submitting' ? 'unknown' : record.state;
    return stayAt(attempt, bench, { to, dueInMs: pollIn, because, did: 'retries', evidence });
  }
  const judgement = judge(record, verdict.value, attempt.at, bench.policy);
  const details = {
    ...(verdict.value.transactionId ? { transactionId: verdict.value.transactionId } : {}),
    ...(verdict.value.disburseTxId ? { disburseTxId: verdict.value.disburseTxId } : {}),
  };
  return settleLook(attempt, judgement, { ...evidence, detail: verdict.value.status }, details, bench);
}

function settleLook(
  attempt: Attempt,
  judgement: Judgement,
  evidence: { operation: string; code: string; detail: string },
  details: Record<string, string>,
  bench: Bench,
): Promise<Settlement> {
  if (judgement.is === 'resubmit') return submit(attempt, bench);
  const ending = endingOf({ ...attempt.record, ...details }, judgement);
  const set = { ...(judgement.is === 'look again' ? {} : details), ...ending.set };
  return finish(attempt, bench, { ...ending, set, evidence, hintAfterMs: HINT_INTERVAL_MS });
}

type Ruled = Exclude<Judgement, { is: 'resubmit' }>;

/** What only says when and how to go on: a record that is over is kept for long. */
const NO_LONGER_OF_USE = { quietUntil: '', createdSeenAt: '', hintedAt: '', keys: '', mode: '' } as const;

/** Nobody will ask what was posted about money that has moved, if all that was posted is that it has. */
function agrees(state: 'succeeded' | 'failed', { fields }: DisbursementRecord): boolean {
  const posted = readEvidence(fields).lines.filter(({ operation }) => operation === 'callback');
  return state === 'succeeded' && posted.every((line) => claimsSuccess(line) && line.detail !== WRONG_HASH);
}

/** The record's next state, as the judgement has it. */
function endingOf(record: DisbursementRecord, judgement: Ruled): Ending<'disbursement'> {
  const tries = record.tries + 1;
  switch (judgement.is) {
    case 'final': {
      const { state, late } = judgement;
      return {
        to: state,
        set: { ...NO_LONGER_OF_USE, reason: '' },
        event: eventOf(record, state, late ? { late: true } : {}),
        forgetsCallback: agrees(state, record),
        did: 'ended',
        because: state,
      };
    }
    case 'pending': {
      const set = { tries, createdSeenAt: '' };
      return { to: 'pending', dueInMs: judgement.dueInMs, set, did: 'advanced', because: 'pending' };
    }
    case 'look again': {
      const { dueInMs, because } = judgement;
      const to = record.state === 'submitting' ? 'unknown' : record.state;
      const set = { tries, ...(judgement.sawCreated ? { '@createdSeenAt': 0 } : {}) };
      return { to, dueInMs, set, did: 'unknown', because };
    }
    case 'review': {
      const reason = judgement.because;
      const event = eventOf(record, 'needs_review', { reason });
      return { to: 'needs_review', dueInMs: DAILY_MS, set: { reason }, event, did: 'needs_review', because: reason };
    }
    default:
      return judgement satisfies never;
  }
}
