/** The named conditions an operation may wait for; each is released by itself when it clears. */
export type HoldCondition =
  | 'funds'
  | 'callback_unreachable'
  | 'funds_or_callback'
  | 'not_authorised'
  | 'maintenance'
  | 'not_understood';

/** How far a request got. `maybe` is the honest answer after a time-out, and the reason `unknown` exists. */
type Sent = 'never' | 'maybe' | 'answered';

/** What was seen of one exchange: evidence for the record, a line for the log, a label for the metrics. */
export interface ExchangeSummary {
  readonly operation: UpstreamOperation;
  readonly account: string;
  /** One of our own codes (failures.ts), or `ok`: safe as a metric label. */
  readonly code: string;
  /** The code as upstream wrote it, at most 40 characters; absent when the answer had none. */
  readonly upstreamCode?: string;
  readonly httpStatus?: number;
  /** How many texts of the answer carry a code that says neither yes nor no in a form that we know. */
  readonly strangeCodes?: number;
  /** What upstream said: at most 200 characters, phone numbers masked, secrets removed. */
  readonly message?: string;
  readonly sent: Sent;
  readonly durationMs: number;
}

export const upstreamOperations = [
  'invoice_create',
  'invoice_confirm',
  'direct_credit',
  'payment_request_create',
  'payment_request_status',
  'balance',
  'disbursement_create',
  'disbursement_submit',
  'disbursement_status',
  'softpay',
  'softpay_confirm',
  'sms_login',
  'sms_send',
  'sms_statistics',
] as const;

export type UpstreamOperation = (typeof upstreamOperations)[number];

/**
 * What an exchange says about the world; decided once, at the place that saw it happen.
 *
 * - `ok`: it took effect, or was answered.
 * - `refused`: permanent; nothing happened and asking again gets the same answer.
 * - `config`: our keys or settings were refused; nothing happened until somebody changes them.
 * - `transient`: nothing happened; may be repeated as it is.
 * - `held`: nothing happened; may be repeated when the named condition clears.
 * - `unknown`: it may or may not have taken effect. Neither success nor failure: ask, never repeat blindly.
 */
export type Verdict<T> = Ok<T> | NotOk;

interface Ok<T> {
  readonly is: 'ok';
  readonly value: T;
  readonly exchange: ExchangeSummary;
}

export type NotOk = Failed | Held;

interface Failed {
  readonly is: 'refused' | 'config' | 'transient' | 'unknown';
  readonly code: string;
  readonly exchange: ExchangeSummary;
  /** How long upstream asked to be left alone. */
  readonly retryAfterMs?: number;
}

interface Held {
  readonly is: 'held';
  readonly condition: HoldCondition;
  readonly code: string;
  readonly exchange: ExchangeSummary;
}
