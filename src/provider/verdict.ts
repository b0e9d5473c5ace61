import type { Message } from '../messages/message.ts';

/** The named conditions that an operation can wait for; each is released automatically when it clears. */
export type HoldCondition =
  | 'funds'
  | 'callback_unreachable'
  | 'funds_or_callback'
  | 'not_authorised'
  | 'login_contested'
  | 'maintenance'
  | 'not_understood';

/** How far a request got. `maybe` after a time-out: the reason why `unknown` exists. */
type Sent = 'never' | 'maybe' | 'answered';

/** The observations of one exchange: evidence for the record, a line for the log, a label for the metrics. */
export interface ExchangeSummary {
  readonly operation: UpstreamOperation;
  readonly account: string;
  /** One of our own codes (`failures`), or `ok`: safe as a metric label. */
  readonly code: string;
  /** The provider's code, at most 40 characters; absent if the answer had none. */
  readonly upstreamCode?: string;
  readonly httpStatus?: number;
  /** Number of SMS in the answer whose code is neither yes nor no in a known form. */
  readonly strangeCodes?: number;
  /** The provider's message: at most 200 characters, phone numbers masked, secrets removed. */
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
 * The interpretation of an exchange, decided in one place.
 *
 * - `ok`: it took effect, or was answered.
 * - `refused`: permanent; nothing happened, and a retry gets the same answer.
 * - `config`: our keys or settings were refused; nothing happened until an operator changes them.
 * - `transient`: nothing happened; can be repeated unchanged.
 * - `held`: nothing happened; can be repeated when the named condition clears.
 * - `unknown`: it may or may not have taken effect. Neither success nor failure: check the status, never repeat
 *   blindly.
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
  /** The pause that the provider requested. */
  readonly retryAfterMs?: number;
}

interface Held {
  readonly is: 'held';
  readonly condition: HoldCondition;
  readonly code: string;
  readonly exchange: ExchangeSummary;
}

/**
 * The cost of an unclear answer. `read` only reads. `harmless` creates something that is not paid yet. `effect` moves
 * money, sends an SMS or prompts a payer. `submit` is the effect with a status check, so its own answer proves
 * nothing except `00`.
 */
export type OperationClass = 'read' | 'harmless' | 'effect' | 'submit';

export type Consequence = 'refused' | 'config' | 'transient' | 'unknown' | `held:${HoldCondition}`;

export interface Failure {
  readonly verdict: Consequence | Readonly<Record<OperationClass, Consequence>>;
  /** The side that can fix it. */
  readonly blame: 'caller' | 'us' | 'upstream' | 'payer';
}

/** A failure with its text. */
export interface FailureSaid extends Failure {
  readonly says: Message;
}

const unclear = { read: 'transient', harmless: 'transient', effect: 'unknown', submit: 'unknown' } as const;
const ours = { read: 'config', harmless: 'config', effect: 'config', submit: 'unknown' } as const;
const final = { read: 'refused', harmless: 'refused', effect: 'refused', submit: 'unknown' } as const;

/** All failures between relais and the provider. Docs, alerts and API answers are generated from it. */
export const failures = {
  // On the way to the provider: no byte of the request left.
  unreachable: { verdict: 'transient', blame: 'upstream' },
  tls_refused: { verdict: 'config', blame: 'us' },
  // Caller data is always inside a JSON body: only one of our keys or addresses can be invalid.
  request_invalid: { verdict: 'config', blame: 'us' },
  send_deadline: { verdict: 'transient', blame: 'us' },
  clocks_disagree: {
    verdict: 'transient',
    blame: 'us',
  },
  given_up: { verdict: unclear, blame: 'us' },
  closing: { verdict: 'transient', blame: 'us' },

  // On the way back.
  no_answer: { verdict: unclear, blame: 'upstream' },
  cut: { verdict: unclear, blame: 'upstream' },
  unreadable: { verdict: unclear, blame: 'upstream' },
  server_error: { verdict: unclear, blame: 'upstream' },
  redirected: {
    verdict: { read: 'config', harmless: 'config', effect: 'unknown', submit: 'unknown' },
    blame: 'us',
  },
  throttled: { verdict: 'transient', blame: 'us' },
  throttled_silently: {
    verdict: unclear,
    blame: 'us',
  },
  http_401: { verdict: ours, blame: 'us' },
  // Without a provider code it may come from a proxy in front of the provider, which may reject an answer as well as
  // a request: then the provider has done its work.
  http_403: {
    verdict: { read: 'config', harmless: 'config', effect: 'unknown', submit: 'unknown' },
    blame: 'us',
  },
  no_such_path: {
    verdict: 'config',
    blame: 'us',
  },
  rejected: { verdict: final, blame: 'caller' },
  unlisted_code: {
    verdict: { read: 'transient', harmless: 'refused', effect: 'unknown', submit: 'unknown' },
    blame: 'upstream',
  },

  // interface: Errors, payment area.
  '1001': { verdict: final, blame: 'caller' },
  '401': { verdict: ours, blame: 'us' },
  '4002': {
    verdict: { read: 'transient', harmless: 'held:funds_or_callback', effect: 'held:funds', submit: 'unknown' },
    blame: 'us',
  },
  '5000': { verdict: unclear, blame: 'upstream' },
  disburse_id_used: {
    verdict: 'unknown',
    blame: 'us',
  },

  // interface: Errors, payment request.
  '4000': { verdict: ours, blame: 'us' },
  '4001': { verdict: ours, blame: 'us' },
  '1000': { verdict: ours, blame: 'us' },
  '4004': {
    verdict: { read: 'transient', harmless: 'refused', effect: 'refused', submit: 'unknown' },
    blame: 'upstream',
  },

  // interface: Errors, balance and softpay.
  balance_user_not_found: {
    verdict: 'config',
    blame: 'us',
  },
  softpay_refused: { verdict: 'refused', blame: 'payer' },
  payer_too_slow: {
    verdict: 'unknown',
    blame: 'payer',
  },

  // interface: Errors, SMS.
  ERROR_101: {
    verdict: unclear,
    blame: 'upstream',
  },
  ERROR_102: { verdict: unclear, blame: 'us' },
  ERROR_103: { verdict: unclear, blame: 'upstream' },
  ERROR_104: { verdict: 'refused', blame: 'us' },
  ERROR_105: { verdict: 'refused', blame: 'us' },
  ERROR_106: { verdict: 'config', blame: 'us' },
  ERROR_107: { verdict: 'config', blame: 'us' },
  ERROR_108: { verdict: 'refused', blame: 'caller' },
  ERROR_109: { verdict: 'refused', blame: 'caller' },
  ERROR_110: { verdict: 'refused', blame: 'caller' },
  ERROR_111: { verdict: 'refused', blame: 'us' },
  ERROR_112: { verdict: 'refused', blame: 'caller' },
  ERROR_113: { verdict: 'refused', blame: 'caller' },
  ERROR_114: { verdict: 'refused', blame: 'us' },
  ERROR_115: { verdict: 'refused', blame: 'us' },
  ERROR_116: { verdict: unclear, blame: 'upstream' },
  ERROR_117: { verdict: 'config', blame: 'us' },
  ERROR_118: { verdict: 'config', blame: 'us' },
  ERROR_119: { verdict: 'transient', blame: 'upstream' },
  ERROR_120: { verdict: 'config', blame: 'us' },
  ERROR_121: { verdict: 'transient', blame: 'upstream' },
  ERROR_122: { verdict: 'transient', blame: 'upstream' },
  ERROR_123: { verdict: 'transient', blame: 'upstream' },
  ERROR_124: { verdict: 'transient', blame: 'upstream' },
  token_refused: { verdict: 'transient', blame: 'upstream' },
  token_refused_repeatedly: {
    verdict: 'held:login_contested',
    blame: 'us',
  },

  login_awaited: { verdict: 'transient', blame: 'upstream' },

  // Detected by relais before the request.
  live_only: {
    verdict: 'refused',
    blame: 'us',
  },
  softpay_card_off: { verdict: 'refused', blame: 'us' },
  field_missing: { verdict: 'refused', blame: 'caller' },
  field_invalid: {
    verdict: 'refused',
    blame: 'caller',
  },
  missing_master_key: { verdict: 'config', blame: 'us' },
  missing_private_key: { verdict: 'config', blame: 'us' },
  missing_token: { verdict: 'config', blame: 'us' },
  missing_sms_user_key: { verdict: 'config', blame: 'us' },
  missing_sms_secret_key: { verdict: 'config', blame: 'us' },
  missing_sms_app_key: { verdict: 'config', blame: 'us' },
  missing_sms_sender: { verdict: 'config', blame: 'us' },
} as const satisfies Record<string, Failure>;

export type FailureCode = keyof typeof failures;

const isFailure = (code: string): code is FailureCode => Object.hasOwn(failures, code);

export function failureOf(code: string): FailureSaid | undefined {
  return isFailure(code) ? { ...failures[code], says: { code: `failure_${code}` } } : undefined;
}

/** A documented code: no other provider text is ever used as a label. */
export function listedCode(text: string): FailureCode | undefined {
  return /^(\d{3,4}|ERROR_\d{3})$/.test(text) && Object.hasOwn(failures, text) ? (text as FailureCode) : undefined;
}

/** The consequence of a failure for an operation of this class. */
export function consequenceOf(code: FailureCode, kind: OperationClass): Consequence {
  const { verdict }: Failure = failures[code];
  return typeof verdict === 'string' ? verdict : verdict[kind];
}

/** The failure for an HTTP status without a readable body. */
export function codeOfStatus(status: number): FailureCode {
  if (status === 401) return 'http_401';
  if (status === 403) return 'http_403';
  if (status === 408) return 'no_answer';
  if (status === 429) return 'throttled_silently';
  if (status >= 500) return 'server_error';
  return status >= 300 && status < 400 ? 'redirected' : 'unreadable';
}
