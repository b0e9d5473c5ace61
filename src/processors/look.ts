/**
 * Looks at a disbursement whose submit may have left us. Asking changes nothing upstream, so it may happen at any time
 * and any number of times; judge.ts says what an answer means.
 */
import { WRONG_HASH, claimsSuccess, readEvidence } from '../operations/evidence.ts';
import type { DisbursementRecord } from '../operations/record.ts';
import type { Change } from '../operations/settle.ts';
import { type AttemptAt, DAILY_MS, HINT_INTERVAL_MS, beginAt, stayAt } from './attempt.ts';
import { type Bench, type Settlement, waitAt } from './bench.ts';
import { disbursementEvent } from './disbursement-event.ts';
import { type Judgement, judge } from './judge.ts';
import { submit } from './submit.ts';

type Attempt = AttemptAt<'disbursement'>;

export async function lookAtDisbursement(id: string, bench: Bench): Promise<Settlement> {
  const attempt = await beginAt('disbursement', id, 'status-poll', bench);
  if ('did' in attempt) return attempt;
  const { record, account } = attempt;
  const pollIn = waitAt(bench.policy.pollMs, record.tries);
  if (record.token === undefined) return nothingToAsk(attempt, bench);
  const admission = await bench.upstream.admit(account, 'payments', 'look');
  if (!admission.admitted) return stayAt(attempt, bench, { dueInMs: admission.retryAfterMs, because: 'rate' });

  const verdict = await bench.upstream.payments.disbursementStatus(account, { token: record.token });
  const { seen } = verdict;
  const evidence = { operation: 'status', code: seen.upstreamCode ?? seen.code, httpStatus: seen.httpStatus };
  if (verdict.is !== 'ok') {
    const because = verdict.is === 'held' ? verdict.condition : verdict.code;
    return settleNoAnswer(attempt, bench, { because, dueInMs: pollIn, evidence });
  }
  const judgement = judge(record, verdict.value, attempt.at, bench.policy);
  const details = {
    ...(verdict.value.transactionId ? { transactionId: verdict.value.transactionId } : {}),
    ...(verdict.value.disburseTxId ? { disburseTxId: verdict.value.disburseTxId } : {}),
  };
  return settleLook(attempt, judgement, { ...evidence, detail: verdict.value.status }, details, bench);
}

/** Without a token upstream cannot be asked; only a person can settle it, and nothing is due until one does. */
async function nothingToAsk({ record, lease }: Attempt, bench: Bench): Promise<Settlement> {
  await bench.operations.settle(record, lease, { to: record.state });
  return { did: 'idle', because: 'no_token' };
}

/** No answer is no information: never a reason to submit, and never a result. */
async function settleNoAnswer(
  attempt: Attempt,
  bench: Bench,
  { because, dueInMs, evidence }: { because: string; dueInMs: number; evidence: { operation: string; code: string } },
): Promise<Settlement> {
  const { record, lease } = attempt;
  const to = record.state === 'submitting' ? 'unknown' : record.state;
  await bench.operations.settle(record, lease, { to, dueInMs, set: { tries: record.tries + 1 }, evidence });
  return { did: 'retries', because };
}

async function settleLook(
  attempt: Attempt,
  judgement: Judgement,
  evidence: { operation: string; code: string; detail: string },
  details: Record<string, string>,
  bench: Bench,
): Promise<Settlement> {
  if (judgement.is === 'resubmit') return submit(attempt, bench);
  const { change, settlement } = changeOf({ ...attempt.record, ...details }, judgement);
  const set = { ...(judgement.is === 'look again' ? {} : details), ...change.set };
  await bench.operations.settle(attempt.record, attempt.lease, {
    ...change,
    set,
    evidence,
    hintAfterMs: HINT_INTERVAL_MS,
  });
  return settlement;
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
function changeOf(
  record: DisbursementRecord,
  judgement: Ruled,
): { readonly change: Change<'disbursement'>; readonly settlement: Settlement } {
  const tries = record.tries + 1;
  switch (judgement.is) {
    case 'final': {
      const { state, late } = judgement;
      const event = disbursementEvent(record, state, late ? { late: true } : {});
      const change = {
        to: state,
        set: { ...NO_LONGER_OF_USE, reason: '' },
        event,
        forgetsCallback: agrees(state, record),
      };
      return { change, settlement: { did: 'ended', because: state } };
    }
    case 'pending': {
      const change = { to: 'pending', dueInMs: judgement.dueInMs, set: { tries, createdSeenAt: '' } } as const;
      return { change, settlement: { did: 'advanced', because: 'pending' } };
    }
    case 'look again': {
      const { dueInMs, because } = judgement;
      const to = record.state === 'submitting' ? 'unknown' : record.state;
      const set = { tries, ...(judgement.sawCreated ? { '@createdSeenAt': 0 } : {}) };
      return { change: { to, dueInMs, set }, settlement: { did: 'unknown', because } };
    }
    case 'review': {
      const reason = judgement.because;
      const event = disbursementEvent(record, 'needs_review', { reason });
      const change = { to: 'needs_review', dueInMs: DAILY_MS, set: { reason }, event } as const;
      return { change, settlement: { did: 'needs_review', because: reason } };
    }
    default:
      return judgement satisfies never;
  }
}
