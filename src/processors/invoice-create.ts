/**
 * Creates an invoice upstream and publishes it: token and payment address are written down before anybody sees them.
 *
 * Creating may be repeated, since nobody can pay what nobody was shown and upstream forgets it after a day. Only one
 * is ever handed out: the write that publishes succeeds once.
 */
import type { RequestOf } from '../kinds/index.ts';
import { toMs } from '../lib/durations.ts';
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
import { type ProcessorContext, waitAt, isRecovering } from './context.ts';
import { sendBy } from './intent.ts';

const RETRY_MS = declaration.retryAfter.map(toMs);

/** Whoever asked for it has long given up waiting; what nobody sees is not made behind their back. */
export const CREATE_LIMIT_MS = 3_600_000;

type Attempt = AttemptAt<'invoice'>;

export async function createInvoice(attempt: Attempt, context: ProcessorContext): Promise<Tried> {
  const { record, account, at } = attempt;
  if (isRecovering(context)) return waitForRecovery(attempt, context);
  if (at - record.createdAt > CREATE_LIMIT_MS)
    return refuse(attempt, context, { reason: 'not_created_in_time', hasEffect: true });
  const admission = await context.upstream.admit(account, 'payments', 'act');
  if (!admission.admitted) return stayAt(attempt, context, { dueInMs: admission.retryAfterMs, because: 'rate' });
  if ((await context.heartbeat?.raise()) === false)
    return stayAt(attempt, context, { dueInMs: context.policy.holdRecheckMs, because: 'recovering' });
  const request = JSON.parse(record.request ?? '{}') as Omit<RequestOf<'invoice'>, 'account' | 'reference'>;
  const callbackUrl = context.callbackUrl(record.account, record.id, 'invoice');
  const verdict = await context.upstream.payments.createInvoice(
    account,
    { ...request, callbackUrl },
    { sendBy: sendBy(attempt, context) },
  );
  if (verdict.is === 'ok') return publish(attempt, verdict.value, context);
  const evidence = evidenceOf('create', verdict);
  if (verdict.is === 'refused') {
    const failure = verdict.exchange.message;
    return { ...(await refuse(attempt, context, { reason: verdict.code, failure, evidence })), failure: verdict };
  }
  return { ...(await retryLater(attempt, verdict, { waitsMs: RETRY_MS, evidence }, context)), failure: verdict };
}

/** Where somebody else has published theirs, ours is shown to nobody, and upstream cancels it by itself. */
function publish(
  attempt: Attempt,
  { token, url }: { token: string; url: string },
  context: ProcessorContext,
): Promise<Tried> {
  const { keys, account } = attempt;
  return finish(attempt, context, {
    to: 'pending',
    dueInMs: waitAt(context.policy.invoicePollMs, 0),
    set: { token, url, '@publishedAt': 0, request: '', keys, mode: account.mode },
    evidence: { operation: 'create', code: 'ok' },
    outcome: 'advanced',
    reason: 'created',
  });
}

function refuse(
  attempt: Attempt,
  context: ProcessorContext,
  ending: Parameters<typeof announceEnd>[3],
): Promise<Tried> {
  return announceEnd(attempt, context, 'failed', { ...ending, set: { request: '' } });
}
