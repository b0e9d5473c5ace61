/**
 * A person's word about a disbursement that needs review. Upstream is asked first, and its word is stronger: whoever
 * says otherwise is told so, and nothing is changed.
 */
import { type AttemptAt, DAILY_MS, beginAt } from './attempt.ts';
import type { Bench } from './bench.ts';
import { disbursementEvent } from './disbursement-event.ts';
import { submit } from './submit.ts';

type Attempt = AttemptAt<'disbursement'>;

export const resolutions = ['succeeded', 'failed', 'cancelled', 'resubmit'] as const;
export type Resolution = (typeof resolutions)[number];

export interface Resolve {
  readonly outcome: Resolution;
  /** Why, in the person's own words; kept with the record. */
  readonly note: string;
  readonly by: string;
}

export type Resolved =
  | { readonly is: 'resolved' }
  /** Upstream says otherwise, or nothing that allows it. */
  | { readonly is: 'contradicted'; readonly upstream: string }
  /** Somebody else is at it, or it does not need review. */
  | { readonly is: 'not now'; readonly because: string }
  | { readonly is: 'no answer'; readonly because: string };

/** What upstream may say for each outcome. Who was paid is never reported as not paid, nor the reverse. */
const allowedAfter: Readonly<Record<Resolution, readonly string[]>> = {
  succeeded: ['success'],
  failed: ['failed', 'created'],
  cancelled: ['created', 'failed'],
  resubmit: ['created'],
};

export async function resolveDisbursement(id: string, request: Resolve, bench: Bench): Promise<Resolved> {
  const attempt = await beginAt('disbursement', id, 'status-poll', bench);
  if ('did' in attempt) return { is: 'not now', because: attempt.because };
  const { record } = attempt;
  if (record.state !== 'needs_review') {
    await bench.operations.settle(record, attempt.lease, { to: record.state, dueInMs: 0 });
    return { is: 'not now', because: record.state };
  }
  const word = record.token === undefined ? undefined : await ask(attempt, record.token, bench);
  if (word !== undefined && 'is' in word) return word;
  return decide(attempt, word?.status, request, bench);
}

async function ask(attempt: Attempt, token: string, bench: Bench): Promise<{ status: string } | Resolved> {
  const verdict = await bench.upstream.payments.disbursementStatus(attempt.account, { token });
  if (verdict.is === 'ok') return { status: verdict.value.status };
  await letGo(attempt, bench);
  return { is: 'no answer', because: verdict.is === 'held' ? verdict.condition : verdict.code };
}

async function decide(
  attempt: Attempt,
  status: string | undefined,
  { outcome, note, by }: Resolve,
  bench: Bench,
): Promise<Resolved> {
  const { record, lease } = attempt;
  // Without a token there is nothing to ask about: the person has looked elsewhere, and says so in the note.
  // Nor does `created` say anything where the disburse_id belongs to a token that we have lost.
  const silent = status === undefined || (status === 'created' && record.idUsed);
  const allowed = silent ? outcome !== 'resubmit' : allowedAfter[outcome].includes(status);
  if (!allowed) {
    // Its last word is taken by the look that follows at once, not by one that was due tomorrow.
    await letGo(attempt, bench, status === 'success' || status === 'failed' ? 0 : DAILY_MS);
    return { is: 'contradicted', upstream: status ?? 'nothing: no token was ever received' };
  }
  if (status === 'created' && attempt.at < (record.quietUntil ?? 0)) {
    await letGo(attempt, bench);
    return { is: 'not now', because: 'in the quiet period after the last send, when "created" proves nothing' };
  }
  const resolution = { note: note.slice(0, 500), resolvedBy: by };
  if (outcome === 'resubmit') {
    await bench.operations.settle(record, lease, {
      to: 'needs_review',
      keepMs: bench.policy.leaseMs,
      dueInMs: bench.policy.leaseMs,
      set: resolution,
      evidence: { operation: 'resolve', code: 'resubmit', detail: by },
    });
    const { did, because } = await submit(attempt, bench);
    return did === 'lost' || did === 'waits' ? { is: 'not now', because } : { is: 'resolved' };
  }
  const settled = await bench.operations.settle(record, lease, {
    to: outcome,
    set: resolution,
    evidence: { operation: 'resolve', code: outcome, detail: by },
    event: disbursementEvent(record, outcome, { resolvedBy: by }),
  });
  return settled.is === 'applied' || settled.is === 'mine'
    ? { is: 'resolved' }
    : { is: 'not now', because: 'somebody else changed it' };
}

async function letGo({ record, lease }: Attempt, bench: Bench, dueInMs = DAILY_MS): Promise<void> {
  await bench.operations.settle(record, lease, { to: record.state, dueInMs });
}
