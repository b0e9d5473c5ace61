/**
 * Direct payment of an invoice while the caller waits. The payer's input (codes, passwords, card numbers) is in
 * memory for one request and is never stored, queued or logged.
 */
import { z } from 'zod';
import type { Moment } from '../lib/clock.ts';
import type { Country } from '../lib/countries.ts';
import { Recovering } from '../ledger/errors.ts';
import type { InvoiceRecord } from '../operations/record.ts';
import { isApplied } from '../operations/transition.ts';
import { sendBy } from '../processors/intent.ts';
import { advanceInvoice } from '../processors/collect/invoice.ts';
import type { Problem } from '../producer/problems.ts';
import type { CallOptions } from '../provider/transport.ts';
import { readAccountAlias } from '../provider/capabilities.ts';
import type { UpstreamAccount } from '../provider/client.ts';
import {
  softpayPaths,
  type SoftpayConfirmation,
  type SoftpayMethod,
  type SoftpayRequest,
  type SoftpayWord,
  type SoftpayStarted,
} from '../provider/payments/softpay-table.ts';
import { LEAST_PATIENCE_MS } from '../provider/payments/softpay.ts';
import type { Verdict } from '../provider/verdict.ts';
import type { ApiContext } from './context.ts';
import { softpayStarted } from './openapi/answers-collect.ts';
import { invalid, ApiProblem } from './problem.ts';
import { type AnyAsked, answer, json, route } from './route.ts';
import { upstreamProblem } from './upstream-problem.ts';
import { type Message, message } from '../messages/message.ts';
import { says } from '../messages/schemas.ts';

/** Parses a softpay request: each method has its own fields, and other fields are refused. */

const word = (max: number) => z.string().trim().min(1).max(max);

const methods = Object.keys(softpayPaths).filter((path) => path !== 'wallet-h-senegal/confirm') as SoftpayMethod[];

/** None of these messages repeats the value. */
const softpayBody = z
  .strictObject({
    method: word(64).meta({ description: `One of ${methods.join(', ')}.`, example: 'wallet-d-senegal' }),
    customer: z.strictObject({
      name: word(200).optional().meta({ example: 'Awa Diop' }),
      email: word(254).optional().meta({ example: 'awa@mail.example' }),
      phone: word(32).optional().meta({ example: '771234567' }),
      address: word(300).optional(),
    }),
    otp: word(32)
      .optional()
      .meta({ description: 'The code that the payer generated. Used for this request, never stored.' }),
    provider: word(64).optional(),
    password: z.string().min(1).max(200).optional(),
    card: z
      .strictObject({
        number: z.string().regex(/^\d(?: ?\d){11,18}$/, says('digits_12_to_19')),
        cvv: z.string().regex(/^\d{3,4}$/, says('digits_3_or_4')),
        expiryYear: z.string().regex(/^\d{2}$/, says('digits_2')),
        expiryMonth: z.string().regex(/^(0[1-9]|1[0-2])$/, says('month')),
      })
      .optional(),
    omit: z.array(word(64)).max(10).optional().meta({ description: 'Provider fields to omit.' }),
  })
  .meta({ id: 'SoftpayRequest' });

const confirmationBody = z
  .strictObject({ authorizationCode: word(64), phone: word(32), transactionId: word(128) })
  .meta({ id: 'SoftpayConfirmation' });

type Body = z.output<typeof softpayBody>;
type PayerWord = Exclude<SoftpayWord, 'token' | 'authorizationCode' | 'transactionId'>;

const places = {
  name: ['/customer/name', ({ customer }) => customer.name],
  email: ['/customer/email', ({ customer }) => customer.email],
  phone: ['/customer/phone', ({ customer }) => customer.phone],
  address: ['/customer/address', ({ customer }) => customer.address],
  otp: ['/otp', ({ otp }) => otp],
  provider: ['/provider', ({ provider }) => provider],
  password: ['/password', ({ password }) => password],
  cardNumber: ['/card/number', ({ card }) => card?.number],
  cardCvv: ['/card/cvv', ({ card }) => card?.cvv],
  cardYear: ['/card/expiryYear', ({ card }) => card?.expiryYear],
  cardMonth: ['/card/expiryMonth', ({ card }) => card?.expiryMonth],
} as const satisfies Record<PayerWord, readonly [pointer: string, of: (body: Body) => string | undefined]>;

/** Throws a problem that lists every error, without values. */
function readSoftpay(body: Body): { method: SoftpayMethod; words: Omit<SoftpayRequest, 'token'> } {
  const method = methods.find((name) => name === body.method);
  if (!method) throw invalid([{ pointer: '/method', message: explainMethod(body.method) }]);
  const problems = [...wordProblems(method, body), ...phoneProblems(method, body)];
  if (problems.length > 0) throw invalid(problems);
  const { customer, otp, provider, password, card, omit } = body;
  const cardNumber = card && { ...card, number: card.number.replaceAll(' ', '') };
  return { method, words: { ...customer, otp, provider, password, card: cardNumber, omit } };
}

function requireConfirmation({ phone }: SoftpayConfirmation): void {
  const problem = phoneProblem('SN', phone, '/phone');
  if (problem) throw invalid([problem]);
}

function wordProblems(method: SoftpayMethod, body: Body): Problem[] {
  const wanted = Object.entries<SoftpayWord>(softpayPaths[method].fields).filter(
    ([field]) => !body.omit?.includes(field),
  );
  const asked = new Set(wanted.map(([, name]) => name));
  return Object.entries(places).flatMap(([name, [pointer, of]]) => {
    const given = of(body) !== undefined;
    if (asked.has(name as PayerWord) && !given)
      return [{ pointer, message: message('required_by_method', { method }) }];
    // An extra name or e-mail is harmless; an unneeded secret should not be sent.
    const surplus = given && !asked.has(name as PayerWord) && !pointer.startsWith('/customer/');
    return surplus ? [{ pointer, message: message('not_used_by_method', { method }) }] : [];
  });
}

function phoneProblems(method: SoftpayMethod, { customer }: Body): Problem[] {
  const { country }: { readonly country?: Country; readonly fields: object } = softpayPaths[method];
  const problem = customer.phone && phoneProblem(country, customer.phone, '/customer/phone');
  return problem ? [problem] : [];
}

function phoneProblem(country: Country | undefined, phone: string, pointer: string): Problem | undefined {
  const read = readAccountAlias(phone, country);
  if (!('problem' in read)) return undefined;
  return {
    pointer,
    message: read.problem,
  };
}

/** Payouts use other wallet names, so a similar name is the most likely mistake. */
function explainMethod(given: string): Message {
  const [, wallet = '', country = ''] = /wallet-?([a-h])-([a-z]+)/i.exec(given) ?? [];
  const alike = methods.find((name) => name.includes(`wallet-${wallet.toLowerCase()}-${country.toLowerCase()}`));
  if (wallet && alike) return message('method_meant', { meant: alike });
  return message('one_of', { values: methods.join(', ') });
}

/** interface: Limits. The provider may wait for its payer before it answers. */
const PAYER_TAKES_TIME =
  `The provider can wait for the payer before it answers: relais waits ${LEAST_PATIENCE_MS / 1_000} s or ` +
  'UPSTREAM_TIMEOUT, whichever is longer. Use the same time-out. An unclear or missing answer is no refusal. ' +
  'relais then checks the invoice: the answer is 200 with `completed` if it was paid, otherwise 504 or 502 with ' +
  '`retryable: false`, because the payer can still pay. The status checks of INVOICE_POLL start again. Read the ' +
  'invoice, or wait for its event, before you ask the payer again.';

const about = {
  method: 'post',
  tag: 'Invoices',
  role: 'enqueue-payments',
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
    summary: 'Start a direct payment of an invoice',
    description:
      'Each method needs its own fields; 422 names them. Codes of the payer stay in memory for this request and ' +
      `are never stored. ${PAYER_TAKES_TIME}`,
    body: json(softpayBody),
    answers: { 200: answer('The payer is asked to confirm.', softpayStarted) },
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
    summary: 'Confirm a direct payment of an invoice',
    description: PAYER_TAKES_TIME,
    body: json(confirmationBody),
    answers: { 200: answer('The provider accepted the code.', softpayStarted) },
  },
  async (asked) => {
    const { context, body } = asked;
    requireConfirmation(body);
    const { account } = await payableOf(asked);
    const verdict = await context.processing.upstream.payments.confirmSoftpay(account, body, inTime(asked));
    return tell(asked, { verdict, method: 'confirm' });
  },
);

interface AskedToPay extends Pick<AnyAsked, 'context' | 'request' | 'response'> {
  readonly record: InvoiceRecord;
  readonly again: () => Promise<InvoiceRecord>;
  readonly since: Moment;
}

/** A payer is prompted while the caller waits, and not when a paused process resumes. */
function inTime({ context, since }: AskedToPay): CallOptions {
  return { sendBy: sendBy(since, context.processing) };
}

interface Payable {
  readonly token: string;
  readonly account: UpstreamAccount;
}

async function payableOf({ context, record }: AskedToPay): Promise<Payable> {
  const account = context.processing.account(record.account)?.upstream;
  if (record.state !== 'pending' || record.token === undefined) {
    throw new ApiProblem('wrong-state', message('invoice_not_pending', { state: record.state }), {
      state: record.state,
    });
  }
  if (!account) throw new ApiProblem('wrong-state', message('account_not_configured', { name: record.account }));
  const admission = await context.processing.upstream.admit(account, 'payments', 'act');
  if (admission.admitted) {
    // No intent is written before the request leaves, so it is counted here.
    if ((await context.processing.life?.raise()) === false) throw new Recovering();
    return { token: record.token, account };
  }
  throw new ApiProblem('too-many-requests', message('provider_rate_used'));
}

/** Started is not paid: the invoice's own status shows when it is. */
async function tell(asked: AskedToPay, { verdict, method }: { verdict: Verdict<SoftpayStarted>; method: string }) {
  const { context, record, again } = asked;
  const { id } = record;
  const { code, sent } = verdict.exchange;
  const fees = verdict.is === 'ok' ? verdict.value.fees : undefined;
  if (sent !== 'never') await evenSo(asked, () => note(context, record, { method, code, fees }));
  if (verdict.is === 'ok') return { state: 'awaiting_payer' as const, ...verdict.value };
  if (verdict.is !== 'unknown') {
    throw upstreamProblem(verdict, { id, state: record.state, retryable: verdict.is === 'transient' });
  }
  // The payer may have been prompted, or have paid: the invoice is checked before the answer.
  await evenSo(asked, () => advanceInvoice(id, context.processing));
  const { state } = (await evenSo(asked, again)) ?? record;
  if (state === 'completed') return { state };
  throw upstreamProblem(verdict, { id, state, retryable: false });
}

/**
 * The payer may have been prompted by now. Later failures, such as an unreachable PostgreSQL, are only logged: an
 * error answer would suggest that no payer was prompted, and the payer would be prompted, and pay, again.
 */
async function evenSo<T>({ context, request, response }: AskedToPay, run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    const { method, path } = request;
    context.onError(error, { method, path, requestId: String(response.locals['requestId']) });
    return undefined;
  }
}

/** Stores that a payer was prompted, and checks more often from now on. Concurrent changes stay. */
async function note(
  { operations, processing }: ApiContext,
  record: InvoiceRecord,
  { method, code, fees }: { method: string; code: string; fees: number | undefined },
): Promise<void> {
  const evidence = { operation: 'softpay', code, detail: method };
  const dueInMs = processing.policy.invoicePollMs[0] ?? 0;
  const settled = await operations.transition(record, undefined, {
    to: 'pending',
    dueInMs,
    set: { tries: 0, ...(fees === undefined ? {} : { fees }) },
    evidence,
  });
  if (!isApplied(settled)) await operations.appendEvidence(record.id, evidence);
}

export const softpayRoutes = [startSoftpay, confirmSoftpay];
