/**
 * Direct payment of an invoice. Everything happens while the caller waits: what a payer typed (codes, passwords, card
 * numbers) is in memory for one request and is never written down, queued or logged.
 */
import { isApplied } from '../operations/transition.ts';
import { advanceInvoice } from '../processors/collect/invoice.ts';
import { Recovering } from '../operations/heartbeat.ts';
import type { InvoiceRecord } from '../operations/record.ts';
import type { UpstreamAccount } from '../upstream/client.ts';
import type { CallOptions } from '../upstream/account.ts';
import type { SoftpayStarted } from '../upstream/payments/softpay-table.ts';
import type { Verdict } from '../upstream/verdict.ts';
import { LEAST_PATIENCE_MS } from '../upstream/payments/softpay.ts';
import type { ApiContext } from './context.ts';
import { softpayStarted } from './openapi/answers-collect.ts';
import { answer, json, route } from './route.ts';
import { ApiProblem } from './problem.ts';
import { confirmationBody, readSoftpay, requireConfirmation, softpayBody } from './softpay-body.ts';
import { upstreamProblem } from './upstream-problem.ts';

/** interface: Limits. The service may wait for its payer before it answers. */
const PAYER_TAKES_TIME =
  `The service may let the payer confirm before it answers, so it is given ${LEAST_PATIENCE_MS / 1_000} s or ` +
  'UPSTREAM_TIMEOUT, whichever is longer: be as patient. An answer that is unclear, or does not come, is no refusal. ' +
  'The invoice is looked at before you are told: 200 with `completed` where it was paid, else 504 or 502 with ' +
  '`retryable: false`, since the payer may still pay; the looks of INVOICE_POLL begin anew. Read the invoice, or wait ' +
  'for its event, before you ask the payer again.';

const about = {
  method: 'post',
  tag: 'Invoices',
  role: 'enqueue',
  scope: 'record',
  record: 'invoice',
  releases: true,
  problems: ['wrong-state', 'upstream-refused', 'upstream-silent'],
} as const;

const startSoftpay = route(
  {
    ...about,
    path: '/v1/invoices/{id}/softpay',
    id: 'startSoftpay',
    summary: 'Have a pending invoice paid directly from a wallet.',
    description:
      'Each method asks for its own words; 422 names them. What the payer typed is in memory for this one request and ' +
      `is written down nowhere. ${PAYER_TAKES_TIME}`,
    body: json(softpayBody),
    answers: { 200: answer('The payer was asked.', softpayStarted) },
  },
  async (asked) => {
    const { context, body } = asked;
    const { method, words } = readSoftpay(body);
    const { token, account } = await payableOf(asked);
    const verdict = await context.processing.upstream.payments.softpay(
      account,
      method,
      { ...words, token },
      inTime(asked),
    );
    return tell(asked, { verdict, method });
  },
);

const confirmSoftpay = route(
  {
    ...about,
    path: '/v1/invoices/{id}/softpay/confirm',
    id: 'confirmSoftpay',
    summary: 'The second step of `wallet-h-senegal`.',
    description: PAYER_TAKES_TIME,
    body: json(confirmationBody),
    answers: { 200: answer('The service took the code.', softpayStarted) },
  },
  async (asked) => {
    const { context, body } = asked;
    requireConfirmation(body);
    const { account } = await payableOf(asked);
    const verdict = await context.processing.upstream.payments.confirmSoftpay(account, body, inTime(asked));
    return tell(asked, { verdict, method: 'confirm' });
  },
);

interface AskedToPay {
  readonly context: ApiContext;
  readonly record: InvoiceRecord;
  readonly again: () => Promise<InvoiceRecord>;
  readonly sinceMono: number;
}

/** A payer is asked while the caller waits, and not when a process that stood still comes to it. */
function inTime({ context, sinceMono }: AskedToPay): CallOptions {
  return { sendBy: sinceMono + context.processing.policy.leaseMs / 2 };
}

interface Payable {
  readonly token: string;
  readonly account: UpstreamAccount;
}

async function payableOf({ context, record }: AskedToPay): Promise<Payable> {
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
    return { token: record.token, account };
  }
  throw new ApiProblem('too-many-requests', 'The service is asked as often as UPSTREAM_RATE allows; try again.');
}

/** Started is not paid: the invoice's own status says when it is. */
async function tell(
  { context, record, again }: AskedToPay,
  { verdict, method }: { verdict: Verdict<SoftpayStarted>; method: string },
) {
  if (verdict.exchange.sent !== 'never') await note(context, record, { method, code: verdict.exchange.code });
  if (verdict.is === 'ok') return { state: 'awaiting_payer' as const, ...verdict.value };
  if (verdict.is !== 'unknown') {
    throw upstreamProblem(verdict, { id: record.id, state: record.state, retryable: verdict.is === 'transient' });
  }
  // The payer may have been asked, or have paid: the invoice is looked at before anything is said.
  await advanceInvoice(record.id, context.processing);
  const { state } = await again();
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

export const softpayRoutes = [startSoftpay, confirmSoftpay];
