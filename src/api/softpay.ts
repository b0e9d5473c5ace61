/**
 * Direct payment of an invoice. Everything happens while the caller waits: what a payer typed (codes, passwords, card
 * numbers) is in memory for one request and is never written down, queued or logged.
 */
import type { Router } from 'express';
import type { InvoiceRecord } from '../operations/record.ts';
import { isApplied } from '../operations/transition.ts';
import { advanceInvoice } from '../processors/collect/invoice.ts';
import { Recovering } from '../operations/recovery.ts';
import type { UpstreamAccount } from '../upstream/client.ts';
import type { CallOptions } from '../upstream/options.ts';
import type { SoftpayStarted } from '../upstream/payments/softpay-types.ts';
import type { Verdict } from '../upstream/verdict.ts';
import { type ApiContext, findRecord, requireNoRecovery, requireRole } from './context.ts';
import type { ApiKey } from './keys.ts';
import { ApiProblem } from './problem.ts';
import { readSoftpay, readSoftpayConfirmation } from './softpay-body.ts';
import { upstreamProblem } from './upstream-problem.ts';

export function addSoftpay(router: Router, context: ApiContext): void {
  const { payments } = context.processing.upstream;

  router.post('/:id/softpay', async (request, response) => {
    const call = inTime(context);
    const key = requireRole(response, 'enqueue');
    const record = await findRecord(context, key, 'invoice', request.params.id);
    await requireNoRecovery(context, response);
    const { method, words } = readSoftpay(request.body);
    const payable = await payableOf(context, record);
    const { token, account } = payable;
    const verdict = await payments.softpay(account, method, { ...words, token }, call);
    response.json(await tell(context, key, payable, { verdict, method }));
  });

  router.post('/:id/softpay/confirm', async (request, response) => {
    const call = inTime(context);
    const key = requireRole(response, 'enqueue');
    const record = await findRecord(context, key, 'invoice', request.params.id);
    await requireNoRecovery(context, response);
    const confirmation = readSoftpayConfirmation(request.body);
    const payable = await payableOf(context, record);
    const verdict = await payments.confirmSoftpay(payable.account, confirmation, call);
    response.json(await tell(context, key, payable, { verdict, method: 'confirm' }));
  });
}

/** A payer is asked while the caller waits, and not when a process that stood still comes to it. */
function inTime({ processing: { clock, policy } }: ApiContext): CallOptions {
  return { sendBy: clock.monotonic() + policy.leaseMs / 2 };
}

interface Payable {
  readonly record: InvoiceRecord;
  readonly token: string;
  readonly account: UpstreamAccount;
}

async function payableOf(context: ApiContext, record: InvoiceRecord): Promise<Payable> {
  const account = context.processing.account(record.account)?.upstream;
  if (record.state !== 'pending' || record.token === undefined) {
    throw new ApiProblem('wrong-state', `It is ${record.state}: only a pending invoice can be paid.`, {
      state: record.state,
    });
  }
  if (!account) throw new ApiProblem('wrong-state', `The account "${record.account}" is not configured here.`);
  const admission = await context.processing.upstream.admit(account, 'payments', 'act');
  if (admission.admitted) {
    // Nothing is written down before it leaves, so it is counted here.
    if ((await context.processing.heartbeat?.raise()) === false) throw new Recovering();
    return { record, token: record.token, account };
  }
  throw new ApiProblem('too-many-requests', 'The service is asked as often as UPSTREAM_RATE allows; try again.');
}

/** Started is not paid: the invoice's own status says when it is. */
async function tell(
  context: ApiContext,
  key: ApiKey,
  { record }: Payable,
  { verdict, method }: { verdict: Verdict<SoftpayStarted>; method: string },
): Promise<object> {
  if (verdict.exchange.sent !== 'never') await note(context, record, { method, code: verdict.exchange.code });
  if (verdict.is === 'ok') return { state: 'awaiting_payer', ...verdict.value };
  if (verdict.is !== 'unknown') {
    throw upstreamProblem(verdict, { id: record.id, state: record.state, retryable: verdict.is === 'transient' });
  }
  // The payer may have been asked, or have paid: the invoice is looked at before anything is said.
  await advanceInvoice(record.id, context.processing);
  const { state } = await findRecord(context, key, 'invoice', record.id);
  if (state === 'completed') return { state };
  throw upstreamProblem(verdict, { id: record.id, state, retryable: false });
}

/** Keeps that a payer was asked, and looks often again from now on. Whatever changed meanwhile stands. */
async function note(
  { operations, processing }: ApiContext,
  record: InvoiceRecord,
  { method, code }: { method: string; code: string },
): Promise<void> {
  const evidence = { operation: 'softpay', code, detail: method };
  const dueInMs = processing.policy.invoicePollMs[0] ?? 0;
  const settled = await operations.transition(record, undefined, {
    to: 'pending',
    dueInMs,
    set: { tries: 0 },
    evidence,
  });
  if (!isApplied(settled)) await operations.appendEvidence(record.id, evidence);
}
