/** Questions about an answer beyond its verdict, so that only this file knows the provider's codes. */
import type { ExchangeSummary, FailureCode, NotOk, Verdict } from './verdict.ts';

type Codes = readonly FailureCode[];
type Coded = Pick<ExchangeSummary, 'code'>;

const among = (codes: Codes, { code }: { readonly code: string }): boolean =>
  (codes as readonly string[]).includes(code);

/**
 * The provider fails or does not answer, which concerns the provider and not the operation. Refused connections are
 * excluded: retries cost nothing, and a restart is short.
 */
const OUTAGE: Codes = ['5000', 'server_error', 'no_answer'];
export const isOutage = (verdict: NotOk): boolean => among(OUTAGE, verdict);

/** A refusal that the interface does not list. It may come from a gateway in front of the provider. */
const UNRECOGNISED: Codes = ['unlisted_code', 'rejected'];
export const isUnrecognised = (verdict: Verdict<unknown>): boolean =>
  verdict.is === 'refused' && among(UNRECOGNISED, verdict);

/** Refused, perhaps after the work: the effect is unknown, and the next requests are refused too. */
export const isTurnedAway = ({ is, code }: NotOk): boolean => is === 'unknown' && code === 'http_403';

/** Another submit had this disburse_id: perhaps one that was paid before data was lost. */
export const isIdUsed = ({ code }: Coded): boolean => code === 'disburse_id_used';

/** The provider does not know the payment request. */
export const isUnknownRequest = ({ code }: NotOk): boolean => code === '4004';

/** The provider does not know the invoice. The interface does not name the code. */
const UNKNOWN_INVOICE: Codes = ['4004', '1001', '4002', 'rejected', 'unlisted_code'];
export const isUnknownInvoice = (verdict: NotOk): boolean => among(UNKNOWN_INVOICE, verdict);

/** A final status in the answer to a submit: triggers a status check, but is no result. */
export const isFinalStatus = (status: string | undefined): boolean => status === 'success' || status === 'failed';

/** interface: SMS errors, insufficient balance. Whether a part of the request was sent is unknown. */
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

/** Whether the code identifies a sent SMS: `00` is equal for every SMS. */
export const namesMessage = (code: string): boolean => code !== '' && code !== '00';
