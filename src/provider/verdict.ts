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
  /** What anybody may read. */
  readonly sentence: string;
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
  unreachable: { verdict: 'transient', blame: 'upstream', sentence: 'The service could not be reached.' },
  tls_refused: { verdict: 'config', blame: 'us', sentence: 'The certificate of the service was not accepted.' },
  // Whatever callers say is inside a JSON body: only a key or an address of ours can be unwritable.
  request_invalid: { verdict: 'config', blame: 'us', sentence: 'The request could not be written.' },
  send_deadline: { verdict: 'transient', blame: 'us', sentence: 'It was too late to send the request.' },
  clocks_disagree: {
    verdict: 'transient',
    blame: 'us',
    sentence: 'Nothing was sent: this machine was suspended, or its clock was set.',
  },
  given_up: { verdict: unclear, blame: 'us', sentence: 'The wait was given up.' },
  closing: { verdict: 'transient', blame: 'us', sentence: 'The connection was being closed.' },

  // On the way back.
  no_answer: { verdict: unclear, blame: 'upstream', sentence: 'The request was sent and no answer came back.' },
  cut: { verdict: unclear, blame: 'upstream', sentence: 'The connection was lost before the whole answer came.' },
  unreadable: { verdict: unclear, blame: 'upstream', sentence: 'The service answered with something unreadable.' },
  server_error: { verdict: unclear, blame: 'upstream', sentence: 'The service failed while handling the request.' },
  redirected: {
    verdict: { read: 'config', harmless: 'config', effect: 'unknown', submit: 'unknown' },
    blame: 'us',
    sentence: 'The service sends us elsewhere: its address is wrong.',
  },
  throttled: { verdict: 'transient', blame: 'us', sentence: 'The service asked us to slow down.' },
  throttled_silently: {
    verdict: unclear,
    blame: 'us',
    sentence: 'The service refuses more for now, without saying how long.',
  },
  http_401: { verdict: ours, blame: 'us', sentence: 'The service did not accept our keys.' },
  // Without a code of the service it may be of a machine before it, and such a one may judge an answer as well as a
  // request: by then the service has done its work.
  http_403: {
    verdict: { read: 'config', harmless: 'config', effect: 'unknown', submit: 'unknown' },
    blame: 'us',
    sentence: 'The service, or a machine before it, does not let us do this.',
  },
  no_such_path: {
    verdict: 'config',
    blame: 'us',
    sentence: 'The service does not know this address: the option may not be enabled.',
  },
  rejected: { verdict: final, blame: 'caller', sentence: 'The service refused the request.' },
  unlisted_code: {
    verdict: { read: 'transient', harmless: 'refused', effect: 'unknown', submit: 'unknown' },
    blame: 'upstream',
    sentence: 'The service answered with a code that its interface does not list.',
  },

  // interface: Errors, payment area.
  '1001': { verdict: final, blame: 'caller', sentence: 'This withdraw mode is not supported.' },
  '401': { verdict: ours, blame: 'us', sentence: 'The service does not authorise this application to initiate it.' },
  '4002': {
    verdict: { read: 'transient', harmless: 'held:funds_or_callback', effect: 'held:funds', submit: 'unknown' },
    blame: 'us',
    sentence: 'Insufficient funds, or the callback address is not reachable.',
  },
  '5000': { verdict: unclear, blame: 'upstream', sentence: 'The service has an error or is under maintenance.' },
  disburse_id_used: {
    verdict: 'unknown',
    blame: 'us',
    sentence: 'The service says that this disburse_id was already used.',
  },

  // interface: Errors, payment request.
  '4000': { verdict: ours, blame: 'us', sentence: 'The service missed one of our keys.' },
  '4001': { verdict: ours, blame: 'us', sentence: 'The application must be in live mode.' },
  '1000': { verdict: ours, blame: 'us', sentence: 'The service calls our keys invalid.' },
  '4004': {
    verdict: { read: 'transient', harmless: 'refused', effect: 'refused', submit: 'unknown' },
    blame: 'upstream',
    sentence: 'The service does not know what it was asked about.',
  },

  // interface: Errors, balance and softpay.
  balance_user_not_found: {
    verdict: 'config',
    blame: 'us',
    sentence: 'The service does not know the user of this balance.',
  },
  softpay_refused: { verdict: 'refused', blame: 'payer', sentence: 'The payment was refused.' },
  payer_too_slow: {
    verdict: 'unknown',
    blame: 'payer',
    sentence: 'The payer did not validate in time; the invoice decides.',
  },

  // interface: Errors, SMS.
  ERROR_101: {
    verdict: unclear,
    blame: 'upstream',
    sentence: 'SMS not sent, says the service, without saying which.',
  },
  ERROR_102: { verdict: unclear, blame: 'us', sentence: 'The SMS balance is insufficient.' },
  ERROR_103: { verdict: unclear, blame: 'upstream', sentence: 'The SMS balance was not updated.' },
  ERROR_104: { verdict: 'refused', blame: 'us', sentence: 'The request body is not valid.' },
  ERROR_105: { verdict: 'refused', blame: 'us', sentence: 'The data of the request body is not valid.' },
  ERROR_106: { verdict: 'config', blame: 'us', sentence: 'The type of the request is not valid.' },
  ERROR_107: { verdict: 'config', blame: 'us', sentence: 'The SMS application key is not valid.' },
  ERROR_108: { verdict: 'refused', blame: 'caller', sentence: 'The sender is not valid.' },
  ERROR_109: { verdict: 'refused', blame: 'caller', sentence: 'No receiver was found.' },
  ERROR_110: { verdict: 'refused', blame: 'caller', sentence: 'A receiver is not valid.' },
  ERROR_111: { verdict: 'refused', blame: 'us', sentence: 'The number of receivers must be 1 to 50.' },
  ERROR_112: { verdict: 'refused', blame: 'caller', sentence: 'The content of a message is not valid.' },
  ERROR_113: { verdict: 'refused', blame: 'caller', sentence: 'The content of a message is too long.' },
  ERROR_114: { verdict: 'refused', blame: 'us', sentence: 'The start date is not valid.' },
  ERROR_115: { verdict: 'refused', blame: 'us', sentence: 'The end date is not valid.' },
  ERROR_116: { verdict: unclear, blame: 'upstream', sentence: 'The service failed while processing the SMS.' },
  ERROR_117: { verdict: 'config', blame: 'us', sentence: 'The SMS credentials are not valid.' },
  ERROR_118: { verdict: 'config', blame: 'us', sentence: 'The SMS credentials were not found.' },
  ERROR_119: { verdict: 'transient', blame: 'upstream', sentence: 'The service could not create a token.' },
  ERROR_120: { verdict: 'config', blame: 'us', sentence: 'The SMS user was not found.' },
  ERROR_121: { verdict: 'transient', blame: 'upstream', sentence: 'The SMS token expired.' },
  ERROR_122: { verdict: 'transient', blame: 'upstream', sentence: 'The SMS token is not valid.' },
  ERROR_123: { verdict: 'transient', blame: 'upstream', sentence: 'The SMS token was not found.' },
  ERROR_124: { verdict: 'transient', blame: 'upstream', sentence: 'The SMS token was logged out.' },
  token_refused: { verdict: 'transient', blame: 'upstream', sentence: 'The SMS token was refused.' },
  token_refused_repeatedly: {
    verdict: 'held:login_contested',
    blame: 'us',
    sentence: 'Fresh SMS tokens are refused: another system may be using the same login.',
  },

  login_awaited: { verdict: 'transient', blame: 'upstream', sentence: 'Another process is still logging in.' },

  // Seen by us before asking.
  live_only: {
    verdict: 'refused',
    blame: 'us',
    sentence: 'This operation has only a live path and the account is in test mode.',
  },
  softpay_card_off: { verdict: 'refused', blame: 'us', sentence: 'Direct card payments are switched off.' },
  field_missing: { verdict: 'refused', blame: 'caller', sentence: 'A field that the service asks for is missing.' },
  field_invalid: {
    verdict: 'refused',
    blame: 'caller',
    sentence: 'A field does not have the form the service asks for.',
  },
  missing_master_key: { verdict: 'config', blame: 'us', sentence: 'The account has no master key.' },
  missing_private_key: { verdict: 'config', blame: 'us', sentence: 'The account has no private key.' },
  missing_token: { verdict: 'config', blame: 'us', sentence: 'The account has no application token.' },
  missing_sms_user_key: { verdict: 'config', blame: 'us', sentence: 'The account has no SMS user key.' },
  missing_sms_secret_key: { verdict: 'config', blame: 'us', sentence: 'The account has no SMS secret key.' },
  missing_sms_app_key: { verdict: 'config', blame: 'us', sentence: 'The account has no SMS application key.' },
  missing_sms_sender: { verdict: 'config', blame: 'us', sentence: 'The account has no SMS sender.' },
} as const satisfies Record<string, Failure>;

export type FailureCode = keyof typeof failures;

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
