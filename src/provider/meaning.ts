/** Questions about an answer that its verdict leaves open, so that the codes of the provider are known here alone. */
import type { ExchangeSummary, FailureCode, NotOk, Verdict } from './verdict.ts';

type Codes = readonly FailureCode[];
type Coded = Pick<ExchangeSummary, 'code'>;

const among = (codes: Codes, { code }: { readonly code: string }): boolean =>
  (codes as readonly string[]).includes(code);

/**
 * The provider fails or gives no answer, which says nothing about the operation and much about the provider. A refused
 * connection is not among them: asking again costs neither side anything, and a restart is over in a moment.
 */
const OUTAGE: Codes = ['5000', 'server_error', 'no_answer'];
export const isOutage = (verdict: NotOk): boolean => among(OUTAGE, verdict);

/** A refusal that the interface does not have. It may come from a gateway before the provider. */
const UNRECOGNISED: Codes = ['unlisted_code', 'rejected'];
export const isUnrecognised = (verdict: Verdict<unknown>): boolean =>
  verdict.is === 'refused' && among(UNRECOGNISED, verdict);

/** Turned away, perhaps after the work: whether it took effect is not known, and the next requests are turned away too. */
export const isTurnedAway = ({ is, code }: NotOk): boolean => is === 'unknown' && code === 'http_403';

/** Another send had this disburse_id: perhaps one that was paid before data was lost. */
export const isIdUsed = ({ code }: Coded): boolean => code === 'disburse_id_used';

/** The provider does not know the payment request. */
export const isUnknownRequest = ({ code }: NotOk): boolean => code === '4004';

/** The provider does not know the invoice. The interface does not name the code for that. */
const UNKNOWN_INVOICE: Codes = ['4004', '1001', '4002', 'rejected', 'unlisted_code'];
export const isUnknownInvoice = (verdict: NotOk): boolean => among(UNKNOWN_INVOICE, verdict);

/** A final status in the answer to a submit: a reason to check the status at once, not a result. */
export const isFinalStatus = (status: string | undefined): boolean => status === 'success' || status === 'failed';

/** interface: SMS errors, insufficient balance. Whether a part of the request was sent before is not known. */
export const SMS_BALANCE_EMPTY = 'ERROR_102' satisfies FailureCode;

/** The part of an SMS that a code refuses. These codes refuse a request before any work. */
const REFUSED_PART: Partial<Record<FailureCode, 'sender' | 'receiver' | 'text'>> = {
  ERROR_108: 'sender',
  ERROR_110: 'receiver',
  ERROR_112: 'text',
  ERROR_113: 'text',
};
export const refusedPartOf = (code: string): 'sender' | 'receiver' | 'text' | undefined =>
  Object.hasOwn(REFUSED_PART, code) ? REFUSED_PART[code as FailureCode] : undefined;

/** Whether the code of a sent SMS tells it from others: `00` is the same for every SMS. */
export const namesMessage = (code: string): boolean => code !== '' && code !== '00';
