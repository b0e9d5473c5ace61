/**
 * Creates an invoice upstream and publishes it: token and payment address are written down before anybody sees them.
 *
 * Creating may be repeated, since nobody can pay what nobody was shown and upstream forgets it after a day. Only one
 * is ever handed out: the write that publishes succeeds once.
 */
import { toMs } from '../lib/durations.ts';
import type { InvoiceRequest } from '../queues/requests-collect.ts';
import { invoiceConfirm as declaration } from '../queues/invoice-confirm.ts';
import {
  type AttemptAt,
  type Tried,
  announceEnd,
  evidenceOf,
  finish,
  retryLater,
  stayAt,
  waitForRecovery,
} from './attempt.ts';
import { type Bench, waitAt, isRecovering } from './bench.ts';
import { sendBy } from './intent.ts';

const RETRY_MS = declaration.retryAfter.map(toMs);

/** Whoever asked for it has long given up waiting; what nobody sees is not made behind their back. */
export const CREATE_LIMIT_MS = 3_600_000;

type Attempt = AttemptAt<'invoice'>;

export async function createInvoice(attempt: Attempt, bench: Bench): Promise<Tried> {
  const { record, account, at } = attempt;
  if (isRecovering(bench)) return waitForRecovery(attempt, bench);
  if (at - record.createdAt > CREATE_LIMIT_MS)
    return refuse(attempt, bench, { reason: 'not_created_in_time', hasEffect: true });
  const admission = await bench.upstream.admit(account, 'payments', 'act');
  if (!admission.admitted) return stayAt(attempt, bench, { dueInMs: admission.retryAfterMs, because: 'rate' });
  if ((await bench.heartbeat?.raise()) === false)
    return stayAt(attempt, bench, { dueInMs: bench.policy.holdRecheckMs, because: 'recovering' });
  const request = JSON.parse(record.request ?? '{}') as Omit<InvoiceRequest, 'account' | 'reference'>;
  const callbackUrl = bench.callbackUrl(record.account, record.id, 'invoice');
  const verdict = await bench.upstream.payments.createInvoice(
    account,
    { ...request, callbackUrl },
    { sendBy: sendBy(attempt, bench) },
  );
  if (verdict.is === 'ok') return publish(attempt, verdict.value, bench);
  const evidence = evidenceOf('create', verdict);
  if (verdict.is === 'refused') {
    const failure = verdict.seen.message;
    return { ...(await refuse(attempt, bench, { reason: verdict.code, failure, evidence })), failure: verdict };
  }
  return { ...(await retryLater(attempt, verdict, { waitsMs: RETRY_MS, evidence }, bench)), failure: verdict };
}

/** Where somebody else has published theirs, ours is shown to nobody, and upstream cancels it by itself. */
function publish(attempt: Attempt, { token, url }: { token: string; url: string }, bench: Bench): Promise<Tried> {
  const { keys, account } = attempt;
  return finish(attempt, bench, {
    to: 'pending',
    dueInMs: waitAt(bench.policy.invoicePollMs, 0),
    set: { token, url, '@publishedAt': 0, request: '', keys, mode: account.mode },
    evidence: { operation: 'create', code: 'ok' },
    did: 'advanced',
    because: 'created',
  });
}

function refuse(attempt: Attempt, bench: Bench, ending: Parameters<typeof announceEnd>[3]): Promise<Tried> {
  return announceEnd(attempt, bench, 'failed', { ...ending, set: { request: '' } });
}
