import type { Message } from '../messages/message.ts';

/** The named conditions an operation may wait for; each is released by itself when it clears. */
export type HoldCondition =
  | 'funds'
  | 'callback_unreachable'
  | 'funds_or_callback'
  | 'not_authorised'
  | 'login_contested'
  | 'maintenance'
  | 'not_understood';

/** How far a request got. `maybe` is the honest answer after a time-out, and the reason `unknown` exists. */
type Sent = 'never' | 'maybe' | 'answered';

/** What was seen of one exchange: evidence for the record, a line for the log, a label for the metrics. */
export interface ExchangeSummary {
  readonly operation: UpstreamOperation;
  readonly account: string;
  /** One of our own codes (`failures`), or `ok`: safe as a metric label. */
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

/**
 * What it costs when no clear answer comes. `read` only asks. `harmless` makes something that nobody has paid yet.
 * `effect` moves money, sends a text or prompts a payer. `submit` is the effect that has a status to ask for, so
 * nothing but `00` is ever concluded from its own answer.
 */
export type OperationClass = 'read' | 'harmless' | 'effect' | 'submit';

export type Consequence = 'refused' | 'config' | 'transient' | 'unknown' | `held:${HoldCondition}`;

export interface Failure {
  readonly verdict: Consequence | Readonly<Record<OperationClass, Consequence>>;
  /** The side that can make it go away. */
  readonly blame: 'caller' | 'us' | 'upstream' | 'payer';
}

/** A failure with its text. */
export interface FailureSaid extends Failure {
  readonly says: Message;
}

const unclear = { read: 'transient', harmless: 'transient', effect: 'unknown', submit: 'unknown' } as const;
const ours = { read: 'config', harmless: 'config', effect: 'config', submit: 'unknown' } as const;
const final = { read: 'refused', harmless: 'refused', effect: 'refused', submit: 'unknown' } as const;

/**
 * Everything that may go wrong between us and the service. Docs, alerts and the answers of our API are printed from
 * it.
 */
export const failures = {
  // On the way there: no byte of the request left.
  unreachable: { verdict: 'transient', blame: 'upstream' },
  tls_refused: { verdict: 'config', blame: 'us' },
  // Whatever callers say is inside a JSON body: only a key or an address of ours can be unwritable.
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
  // Without a code of the service it may be of a machine before it, and such a one may judge an answer as well as a
  // request: by then the service has done its work.
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

  // Seen by us before asking.
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

/** A code of the interface, if it is one: what upstream writes is never used as a label before this. */
export function listedCode(text: string): FailureCode | undefined {
  return /^(\d{3,4}|ERROR_\d{3})$/.test(text) && Object.hasOwn(failures, text) ? (text as FailureCode) : undefined;
}

/** What a failure means for an operation of this class. */
export function consequenceOf(code: FailureCode, kind: OperationClass): Consequence {
  const { verdict }: Failure = failures[code];
  return typeof verdict === 'string' ? verdict : verdict[kind];
}

/** What an HTTP status alone says, for answers whose body says nothing. */
export function codeOfStatus(status: number): FailureCode {
  if (status === 401) return 'http_401';
  if (status === 403) return 'http_403';
  if (status === 408) return 'no_answer';
  if (status === 429) return 'throttled_silently';
  if (status >= 500) return 'server_error';
  return status >= 300 && status < 400 ? 'redirected' : 'unreadable';
}
