/**
 * The submit: the one request that moves money.
 *
 *   write `submitting` ──▶ durable ──▶ read it again ──▶ still in time? ──▶ send, on a fresh connection ──▶ write down
 *
 * Each step stands here because a model of the protocol paid twice without it:
 *   the write       a second worker must find `submitting` and look, not submit;
 *   the fence       a write that only the memory of Redis knew is forgotten by a power loss, and the other worker
 * begins anew;
 *   the re-read     after such a loss the fence succeeds in the wrong world;
 *   the deadline    a process that was frozen after the re-read must not send minutes later.
 * What comes back decides nothing final: only a look at the status does.
 */
import { toMs } from '../lib/durations.ts';
import type { EvidenceDraft } from '../operations/evidence.ts';
import { STOPPED } from '../operations/accounts.ts';
import { disbursement as declaration } from '../queues/disbursement.ts';
import type { Verdict } from '../upstream/verdict.ts';
import { type Bench, type Settlement, waitAt } from './bench.ts';
import { type Attempt, renewed, stay } from './disbursement-attempt.ts';
import { takeBack } from './take-back.ts';

const RETRY_MS = declaration.retryAfter.map(toMs);

/** Our code for an answer that says so in words; see the failures of the upstream client. */
const ID_USED = 'disburse_id_used';

type SubmitVerdict = Verdict<{ status?: string; transactionId?: string; providerRef?: string }>;

/** From `created`, or from `unknown` and `needs_review` where the same token may be sent again. */
export async function submit(attempt: Attempt, bench: Bench): Promise<Settlement> {
  const { token } = attempt.record;
  if (token === undefined) throw new Error(`disbursement ${attempt.record.id} has no token to submit`);
  if (!bench.durability().durable) {
    return stay(attempt, bench, { dueInMs: bench.policy.holdRecheckMs, because: 'redis_not_durable' });
  }
  const holds = await bench.accounts.holdsOf(attempt.record.account);
  if (holds.some(({ area, reason }) => area === 'payments' && reason === STOPPED)) {
    return stay(attempt, bench, { dueInMs: bench.policy.holdRecheckMs, because: 'account_stopped' });
  }
  // Asked before anything is written: between the re-read and the request nothing may wait.
  const admission = await bench.upstream.admit(attempt.account, 'payments', 'act');
  if (!admission.admitted) return stay(attempt, bench, { dueInMs: admission.retryAfterMs, because: 'rate' });

  const intended = await writeIntent(attempt, token, bench);
  if ('did' in intended) return intended;
  const { policy } = bench;
  const verdict = await bench.upstream.payments.submitDisbursement(
    attempt.account,
    { token, disburseId: attempt.record.disburseId },
    { sendBy: intended.leaseEndsMono - policy.leaseMs / 2 },
  );
  return settleSubmit(intended, verdict, bench);
}

/** Writes down that we are about to send. Whatever goes wrong in here, nothing was sent, and that is said. */
async function writeIntent(attempt: Attempt, token: string, bench: Bench): Promise<Attempt | Settlement> {
  const { leaseMs } = bench.policy;
  const leaseEndsMono = bench.clock.monotonic() + leaseMs;
  try {
    return await putDown(attempt, { token, leaseEndsMono }, bench);
  } catch (error) {
    const { record } = attempt;
    const written: Attempt = { ...attempt, record: { ...record, state: 'submitting', sends: record.sends + 1 } };
    const evidence = { operation: 'submit', code: 'not_sent' };
    await takeBack(bench, leaseEndsMono - leaseMs / 2, () => settleUnsent(written, bench, 'intent_lost', evidence));
    throw error;
  }
}

/** The write, the fence and the re-read. */
async function putDown(
  attempt: Attempt,
  { token, leaseEndsMono }: { readonly token: string; readonly leaseEndsMono: number },
  bench: Bench,
): Promise<Attempt | Settlement> {
  const { record, lease } = attempt;
  const { leaseMs, quietMs } = bench.policy;
  const sends = record.sends + 1;
  const settled = await bench.operations.settle(record, lease, {
    to: 'submitting',
    dueInMs: leaseMs,
    keepMs: leaseMs,
    // If we die now, the quiet period counts from the latest moment at which this lease could still have sent.
    set: { sends, '@sentAt': 0, '@quietUntil': leaseMs + quietMs, createdSeenAt: '' },
    evidence: { operation: 'submit', code: 'intended', detail: `send ${sends}` },
  });
  if (settled.is !== 'applied' && settled.is !== 'mine') return { did: 'lost', because: settled.is };
  const changes = { state: 'submitting', sends, tries: record.tries } as const;
  const written = renewed(attempt, changes, settled, leaseEndsMono);
  if (!(await bench.fence())) {
    return settleUnsent(written, bench, 'fence', { operation: 'submit', code: 'not_durable' });
  }
  const kept = await bench.operations.stillMine(record.id, { state: 'submitting', lease, op: settled.op, token });
  if (!kept) return { did: 'lost', because: 're-read' };
  return written;
}

/** Nothing left this process, so this send does not count and may be made again. */
async function settleUnsent(
  attempt: Attempt,
  bench: Bench,
  because: string,
  evidence: EvidenceDraft,
): Promise<Settlement> {
  const { record, lease } = attempt;
  const sends = record.sends - 1;
  await bench.operations.settle(record, lease, {
    to: sends === 0 ? 'created' : 'unknown',
    dueInMs: waitAt(RETRY_MS, record.tries),
    // Counted on although the state changes, so that the waits grow while upstream stays away.
    set: { sends, tries: record.tries + 1 },
    evidence,
  });
  return { did: 'retries', because };
}

async function settleSubmit(attempt: Attempt, verdict: SubmitVerdict, bench: Bench): Promise<Settlement> {
  const { record, lease } = attempt;
  const { seen } = verdict;
  const { quietMs, pollMs } = bench.policy;
  const evidence = { operation: 'submit', code: seen.upstreamCode ?? seen.code, httpStatus: seen.httpStatus };
  if (verdict.is === 'ok') {
    const { status, transactionId, providerRef } = verdict.value;
    // `00` means accepted. A final word in it is a reason to look at once, not a result.
    const final = status === 'success' || status === 'failed';
    await bench.operations.settle(record, lease, {
      to: 'pending',
      dueInMs: final ? 0 : waitAt(pollMs, 0),
      set: {
        '@quietUntil': quietMs,
        ...(transactionId ? { transactionId } : {}),
        ...(providerRef ? { providerRef } : {}),
      },
      evidence: { ...evidence, detail: status },
    });
    return { did: 'advanced', because: 'submitted' };
  }
  if (seen.sent === 'never') {
    return settleUnsent(attempt, bench, verdict.is === 'held' ? verdict.condition : verdict.code, evidence);
  }
  await bench.operations.settle(record, lease, {
    to: 'unknown',
    dueInMs: waitAt(pollMs, 0),
    // After a loss of data the id may be used by a payment that this record knows nothing of.
    set: { '@quietUntil': quietMs, ...(seen.code === ID_USED ? { idUsed: 1 } : {}) },
    evidence,
  });
  return { did: 'unknown', because: verdict.is === 'held' ? verdict.condition : verdict.code };
}
