import { textOf } from '../../messages/texts.ts';
import { readXof } from '../../lib/money.ts';
import { readWithdrawMode } from '../capabilities.ts';
import { unasked, type JsonObject, readText, claimsSuccess } from '../exchange.ts';
import type { FailureCode } from '../verdict.ts';
import {
  type PaymentContext,
  askPayments,
  type PaymentQuestion,
  type Refine,
  readPayment,
  isPositiveXof,
  isWebUrl,
  present,
  type Payments,
  type DisbursementRequest,
  type DisbursementStatus,
  type SubmittedDisbursement,
  type CreatedPaymentRequest,
  type PaymentRequest,
  type Balances,
} from './ask.ts';
import { checkout, readStatusWord } from './checkout.ts';
import { softpay } from './softpay.ts';

/** interface: Payment area. */
export function createPayments(context: PaymentContext): Payments {
  return {
    ...checkout(context),
    directCredit: directCredit(context),
    ...paymentRequests(context),
    ...balances(context),
    ...disbursements(context),
    ...softpay(context),
  };
}

type Disbursements = Pick<Payments, 'createDisbursement' | 'submitDisbursement' | 'disbursementStatus'>;

/** Whole phrases: a text about a user (`utilisateur inexistant`) contains fragments of one about a used id. */
const ABOUT_DISBURSE_ID = [
  whole('already (been )?(used|exists?|existing|taken|submitted|processed)'),
  whole('d[ée]j[àa] (été |ete )?(utilis[ée]e?|existante?|prise?|soumise?|trait[ée]e?)'),
  whole('existe d[ée]j[àa]'),
  whole('duplicated? (disburse[_ -]?)?(id|reference|transaction)'),
  whole('disburse[_ -]?id .{0,30}(used|unique|duplicated?|utilis[ée]e?|exists?)'),
];
const ABOUT_FUNDS = [whole('(in)?suffi(cient|sants?|santes?)'), whole('funds?|fonds?|soldes?|balances?|cr[eé]dits?')];
const ABOUT_CALLBACK = [whole('callback([_ -]?url)?|urls?'), whole('(un)?reach(able|ed)?|(in)?accessibles?')];

function whole(phrase: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\d])(${phrase})(?![\\p{L}\\d])`, 'iu');
}

function isAbout(phrases: readonly RegExp[], text: string): boolean {
  const written = text.normalize('NFC');
  return phrases.some((phrase) => phrase.test(written));
}

/** interface: Disbursement. Create moves nothing; submit pays; only status reports the result. */
function disbursements(context: PaymentContext): Disbursements {
  return {
    createDisbursement: async (account, request, call = {}) => {
      const problem = createProblem(request, context.extraWithdrawModes);
      if (problem) return unasked(account, 'disbursement_create', ...problem);
      const question: PaymentQuestion<{ token: string }> = {
        operation: 'disbursement_create',
        kind: 'harmless',
        method: 'POST',
        path: '/v2/disburse/get-invoice',
        only: 'live',
        body: createBody(request),
        read: (answer) => readPayment(answer, takeToken, refineCreate),
      };
      return askPayments(context, account, question, call);
    },

    submitDisbursement: async (account, { token, disburseId }, call = {}) => {
      const question: PaymentQuestion<SubmittedDisbursement> = {
        operation: 'disbursement_submit',
        kind: 'submit',
        method: 'POST',
        path: '/v2/disburse/submit-invoice',
        only: 'live',
        // A separate connection, so that a failure to connect proves that nothing was paid.
        fresh: true,
        body: { disburse_invoice: token, ...present('disburse_id', disburseId) },
        read: (answer) => readPayment(answer, takeSubmitted, refineSubmit),
      };
      return askPayments(context, account, question, call);
    },

    disbursementStatus: async (account, { token }, call = {}) => {
      const question: PaymentQuestion<DisbursementStatus> = {
        operation: 'disbursement_status',
        kind: 'read',
        method: 'POST',
        path: '/v2/disburse/check-status',
        only: 'live',
        body: { disburse_invoice: token },
        read: (answer) => readPayment(answer, takeStatus, refineStatus),
      };
      return askPayments(context, account, question, call);
    },
  };
}

function createProblem(
  request: DisbursementRequest,
  extraModes: readonly string[],
): [FailureCode, string] | undefined {
  if (!isPositiveXof(request.amount)) return ['field_invalid', 'amount: a whole number of francs above 0'];
  if (!isWebUrl(request.callbackUrl)) return ['field_invalid', 'callback_url: an http or https address'];
  if (request.accountAlias.trim() === '') return ['field_missing', 'account_alias'];
  const mode = readWithdrawMode(request.withdrawMode, extraModes);
  if ('problem' in mode) return ['1001', textOf(mode.problem)];
  if (request.debitAccountNumber !== undefined && request.withdrawMode.trim() !== 'service') {
    return ['field_invalid', 'debit_account_number: only with the withdraw mode service'];
  }
  return undefined;
}

function createBody(request: DisbursementRequest): Record<string, unknown> {
  return {
    account_alias: request.accountAlias.trim(),
    amount: request.amount,
    callback_url: request.callbackUrl,
    withdraw_mode: request.withdrawMode.trim(),
    ...present('debit_account_number', request.debitAccountNumber),
  };
}

function takeToken(body: JsonObject): { token: string } | undefined {
  const token = body['disburse_token'];
  return typeof token === 'string' && token.trim() !== '' ? { token: token.trim() } : undefined;
}

/**
 * interface: Errors, create disbursement. Two codes have two causes each, so the text has to decide. A used
 * disburse_id is never a refusal: after a total loss of our records it means that the operation may have been paid.
 */
const refineCreate: Refine = ({ code, text = '' }) => {
  if (code === '5000' && isAbout(ABOUT_DISBURSE_ID, text)) return { code: 'disburse_id_used' };
  if (code !== '4002') return {};
  const funds = isAbout(ABOUT_FUNDS, text);
  const callback = isAbout(ABOUT_CALLBACK, text);
  if (funds === callback) return {};
  return { consequence: funds ? 'held:funds' : 'held:callback_unreachable' };
};

const refineSubmit: Refine = ({ code, text = '' }) =>
  code === '5000' && isAbout(ABOUT_DISBURSE_ID, text) ? { code: 'disburse_id_used' } : {};

/** Any other code is no information about the disbursement: it is never read as "not executed". */
const refineStatus: Refine = (_envelope, code) =>
  code === '1001' || code === 'rejected' || code === '4002' ? { consequence: 'transient' } : {};

function takeSubmitted(body: JsonObject): SubmittedDisbursement {
  return {
    ...present('status', readText(body['status'])?.toLowerCase()),
    ...present('transactionId', readText(body['transaction_id'])),
    ...present('providerRef', readText(body['provider_ref'])),
  };
}

function takeStatus(body: JsonObject): DisbursementStatus | undefined {
  const status = typeof body['status'] === 'string' ? body['status'].trim().toLowerCase() : '';
  if (status === '') return undefined;
  return {
    status,
    ...present('amount', readXof(body['amount'])),
    ...present('amountRaw', readText(body['amount'])),
    ...present('token', readText(body['token'])),
    ...present('disburseId', readText(body['disburse_id'])),
    ...present('withdrawMode', readText(body['withdraw_mode'])),
    ...present('transactionId', readText(body['transaction_id'])),
    ...present('disburseTxId', readText(body['disburse_tx_id'])),
  };
}

type Credited = { readonly transactionId?: string; readonly description?: string };

/**
 * interface: Direct credit. Moves money in one step, without our reference and without a status check, so a refusal
 * must be beyond doubt.
 */
function directCredit(context: PaymentContext): Payments['directCredit'] {
  return async (account, { accountAlias, amount }, call = {}) => {
    if (accountAlias.trim() === '') return unasked(account, 'direct_credit', 'field_missing', 'account_alias');
    if (!isPositiveXof(amount)) return unasked(account, 'direct_credit', 'field_invalid', 'amount');
    const question: PaymentQuestion<Credited> = {
      operation: 'direct_credit',
      kind: 'effect',
      method: 'POST',
      path: '/v1/direct-pay/credit-account',
      fresh: true,
      body: { account_alias: accountAlias.trim(), amount },
      read: (answer) => {
        const reading = readPayment(answer, takeCredited);
        // Providers of this kind omit the path until the option is enabled. An answer that is both "not found" and
        // "paid" is not trusted.
        const notThere = answer.status === 404 && 'code' in reading && !claimsSuccess(answer.body);
        return notThere ? { ...reading, code: 'no_such_path' } : reading;
      },
    };
    return askPayments(context, account, question, call);
  };
}

/** Without a transaction number it may answer something else, such as the creation of an invoice. */
function takeCredited(body: JsonObject): Credited | undefined {
  const transactionId = readText(body['transaction_id']);
  return transactionId === undefined
    ? undefined
    : { transactionId, ...present('description', readText(body['description'])) };
}

type PaymentRequests = Pick<Payments, 'createPaymentRequest' | 'paymentRequestStatus'>;

/** interface: Limits, in XOF. */
const LEAST = 200;
const MOST = 3_000_000;

/** interface: Payment request. Live only; a test account is refused here, as the provider would with 4001. */
function paymentRequests(context: PaymentContext): PaymentRequests {
  return {
    createPaymentRequest: async (account, request, call = {}) => {
      const problem = requestProblem(request);
      if (problem) return unasked(account, 'payment_request_create', 'field_invalid', problem);
      const question: PaymentQuestion<CreatedPaymentRequest> = {
        operation: 'payment_request_create',
        kind: 'effect',
        method: 'POST',
        path: '/v1/dmp-api',
        only: 'live_always',
        body: requestBody(request),
        read: (answer) => readPayment(answer, (body) => takeCreated(body, request.notify === true)),
      };
      return askPayments(context, account, question, call);
    },

    paymentRequestStatus: async (account, { referenceNumber }, call = {}) => {
      const question: PaymentQuestion<{ status: string }> = {
        operation: 'payment_request_status',
        kind: 'read',
        method: 'POST',
        path: '/v1/dmp-api/check-status',
        only: 'live_always',
        body: { reference_number: referenceNumber },
        read: (answer) => readPayment(answer, takeRequestStatus, refineRequestStatus),
      };
      return askPayments(context, account, question, call);
    },
  };
}

function requestProblem({ amount, email, phone }: PaymentRequest): string | undefined {
  if (!Number.isSafeInteger(amount) || amount < LEAST || amount > MOST) return `amount: ${LEAST} to ${MOST} XOF`;
  if (!email?.trim() && !phone?.trim()) return 'recipient_email or recipient_phone: one is required';
  return email?.trim() && !/^[^\s@]+@[^\s@]+$/.test(email.trim())
    ? 'recipient_email: not an e-mail address'
    : undefined;
}

/** interface: 0 means that the customer bears the fees, 1 that the merchant does. */
function requestBody(request: PaymentRequest): Record<string, unknown> {
  return {
    ...present('recipient_email', request.email?.trim() || undefined),
    ...present('recipient_phone', request.phone?.replace(/[^\d]/g, '').replace(/^00/, '') || undefined),
    amount: request.amount,
    support_fees: request.feesPaidBy === 'merchant' ? 1 : 0,
    send_notification: request.notify === true ? 1 : 0,
  };
}

/**
 * Three formats of success are documented. Without a notification, a request needs a reference to be found and paid;
 * with one, every format has a message, and an answer without it may answer something else.
 */
function takeCreated(body: JsonObject, notified: boolean): CreatedPaymentRequest | undefined {
  const referenceNumber = readText(body['reference_number']);
  const written = readText(body['url']);
  const url = written !== undefined && isWebUrl(written) ? written : undefined;
  if (!notified && (referenceNumber === undefined || url === undefined)) return undefined;
  if (referenceNumber === undefined && readText(body['message']) === undefined) return undefined;
  return { ...present('referenceNumber', referenceNumber), ...present('url', url) };
}

function takeRequestStatus(body: JsonObject): { status: string } | undefined {
  const status = readStatusWord(body['status']);
  return status === undefined ? undefined : { status };
}

const refineRequestStatus: Refine = (_envelope, code) =>
  code === 'rejected' || code === '1001' ? { consequence: 'transient' } : {};

type BalanceCalls = Pick<Payments, 'balances' | 'balance'>;

const BALANCE_PATH = '/v2/disburse/check-balance';

/** interface: Balance record. An approximation, so never proof of anything. */
function balances(context: PaymentContext): BalanceCalls {
  return {
    balances: async (account, call = {}) => askPayments(context, account, balanceQuestion(BALANCE_PATH), call),
    balance: async (account, { accountNumber }, call = {}) => {
      const number = accountNumber.trim();
      if (!/^[A-Za-z0-9]+$/.test(number)) return unasked(account, 'balance', 'field_invalid', 'account_number');
      return askPayments(context, account, balanceQuestion(`${BALANCE_PATH}/${encodeURIComponent(number)}`), call);
    },
  };
}

function balanceQuestion(path: string): PaymentQuestion<Balances> {
  return {
    operation: 'balance',
    kind: 'read',
    method: 'GET',
    path,
    only: 'live',
    read: (answer) => readPayment(answer, takeBalances, refineBalance),
  };
}

/** interface: Errors, balance. Neither message names the cause, but waiting changes neither. */
const refineBalance: Refine = ({ code }, failure) =>
  code === undefined && failure !== 'server_error' && failure !== 'throttled_silently' && failure !== 'no_answer'
    ? { code: 'balance_user_not_found' }
    : {};

function takeBalances(body: JsonObject): Balances {
  const rows = Object.entries(body).flatMap(([key, value]) => {
    const country = /^Balance ([A-Z]{2})$/.exec(key.trim())?.[1];
    return country === undefined ? [] : [[country, readXof(value) ?? null] as const];
  });
  return { approximate: true, balances: Object.fromEntries(rows) };
}
