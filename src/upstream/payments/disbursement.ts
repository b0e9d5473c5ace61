import { readWithdrawMode } from '../capabilities.ts';
import { unasked } from '../exchange.ts';
import type { FailureCode } from '../failures.ts';
import { type JsonObject, readText } from '../json.ts';
import { readXof } from '../../lib/money.ts';
import { askPayments, type PaymentContext, type PaymentQuestion } from './ask.ts';
import { type Refine, readPayment } from './envelope.ts';
import { isPositiveXof, isWebUrl, present } from './fields.ts';
import type { DisbursementRequest, DisbursementStatus, Payments, SubmittedDisbursement } from './types.ts';

type Disbursements = Pick<Payments, 'createDisbursement' | 'submitDisbursement' | 'disbursementStatus'>;

/** Whole phrases: a text about a user (`utilisateur inexistant`) holds the fragments of one about a used id. */
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

/** interface: Disbursement. Create moves nothing; submit pays; status alone says how it ended. */
export function disbursements(context: PaymentContext): Disbursements {
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
        // A connection of its own, so that a failure to connect proves that nothing was paid.
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
  if ('problem' in mode) return ['1001', mode.problem];
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
 * interface: Errors, create disbursement. One code for two causes twice over, so the text has to tell. A used
 * disburse_id is never a refusal: after a total loss of our records it is how an operation that was paid looks.
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

/** Any other code says nothing about the disbursement: it is never read as "not executed". */
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
    ...present('updatedAtRaw', readText(body['updated_at'])),
  };
}
