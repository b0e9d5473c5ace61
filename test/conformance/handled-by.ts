/** Which file knows each row of the page. docs/dev/interface.md is printed from here, and a test looks into the files. */
import type { OperationName } from './interface-page.ts';

export const askedBy: Readonly<Record<OperationName, string>> = {
  invoice_create: 'src/provider/payments/checkout.ts',
  invoice_confirm: 'src/provider/payments/checkout.ts',
  direct_credit: 'src/provider/payments/payments.ts',
  payment_request_create: 'src/provider/payments/payments.ts',
  payment_request_status: 'src/provider/payments/payments.ts',
  balance_all: 'src/provider/payments/payments.ts',
  balance_one: 'src/provider/payments/payments.ts',
  disbursement_create: 'src/provider/payments/payments.ts',
  disbursement_submit: 'src/provider/payments/payments.ts',
  disbursement_status: 'src/provider/payments/payments.ts',
  sms_login: 'src/provider/messaging/login.ts',
  sms_send: 'src/provider/messaging/messaging.ts',
  sms_statistics: 'src/provider/messaging/messaging.ts',
};

/** The file that reads an answer, if it differs. */
export const readBy: Partial<Readonly<Record<OperationName, string>>> = {
  invoice_confirm: 'src/provider/payments/checkout.ts',
};

/** Code and text of an answer are read in one place per area. */
export const envelopes: Readonly<Record<'payments' | 'messaging', string>> = {
  payments: 'src/provider/payments/ask.ts',
  messaging: 'src/provider/messaging/messaging.ts',
};

/** Fields of answers that relais ignores, and why. */
export const leftAlone: Readonly<Record<string, string>> = {
  hash: 'the same in every message, so it proves nothing, and worth a password, so it is not kept',
  'invoice.items': 'as it was sent',
  'invoice.taxes': 'as it was sent',
  'invoice.description': 'as it was sent',
  actions: 'as it was sent',
  token_type: 'there is one only',
  updated_at: 'its time zone and the order of day and month are not known; relais orders by its own times',
  description: 'words for people',
};

/** The code that executes an operation, above the client. */
export const carriedOutBy: Readonly<Record<OperationName, string>> = {
  invoice_create: 'src/processors/collect/invoice.ts',
  invoice_confirm: 'src/processors/collect/invoice.ts',
  direct_credit: 'src/processors/disbursement/direct-credit.ts',
  payment_request_create: 'src/processors/collect/payment-request.ts',
  payment_request_status: 'src/processors/collect/payment-request.ts',
  balance_all: 'src/api/balances.ts',
  balance_one: 'src/api/balances.ts',
  disbursement_create: 'src/processors/disbursement/pay.ts',
  disbursement_submit: 'src/processors/disbursement/pay.ts',
  disbursement_status: 'src/processors/disbursement/look.ts',
  sms_login: 'src/provider/messaging/login.ts',
  sms_send: 'src/processors/sms/sending.ts',
  sms_statistics: 'src/processors/sms/checks.ts',
};

/** The code that interprets each status. */
export const statesIn: Readonly<Record<string, string>> = {
  invoice: 'src/processors/collect/invoice.ts',
  disbursement: 'src/processors/disbursement/judge.ts',
  'payment request': 'src/processors/collect/payment-request.ts',
};

export const tablesIn = {
  'withdraw modes': 'src/provider/capabilities.ts',
  'balance countries': 'src/provider/capabilities.ts',
  softpay: 'src/provider/payments/softpay-table.ts',
  errors: 'src/provider/verdict.ts',
  'payment headers': 'src/provider/payments/ask.ts',
  callbacks: 'src/webhooks/receiver.ts',
  'callback fields': 'src/webhooks/body.ts',
} as const;

/** Each limit: its file, and its form there. */
export const limitsIn: Readonly<Record<string, readonly [file: string, written: RegExp]>> = {
  'sms per request': ['src/provider/messaging/messaging.ts', /MOST_MESSAGES = 50;/],
  'sms bearer in seconds': ['src/provider/messaging/login.ts', /DOCUMENTED_LIFE_MS = 3_600_000;/],
  'payment request amount': ['src/provider/payments/payments.ts', /LEAST = 200;\nconst MOST = 3_000_000;/],
  'unpaid invoice in hours': ['src/provider/lifetimes.ts', /UNPAID_INVOICE_LIFETIME_MS = 24 \* 3_600_000;/],
  'secret code validation in seconds': ['src/provider/payments/softpay.ts', /LEAST_PATIENCE_MS = 60_000;/],
  'disbursement amount': ['src/provider/payments/ask.ts', /isSafeInteger\(amount\)/],
};

/** Questions where the interface is silent or contradictory, and our decision. */
export const silences: readonly (readonly [what: string, done: string, file: string])[] = [
  [
    'the SMS login is form fields, and its content type is said to be JSON',
    'a true form first, then JSON, then the literal reading; the one that worked is remembered',
    'src/provider/messaging/token.ts',
  ],
  [
    '`4002` is insufficient funds, or a callback address that is not reachable',
    'the words decide; else both are named, and either clears it',
    'src/provider/payments/payments.ts',
  ],
  [
    '`5000` is maintenance, an error, or a disburse_id that was used',
    'before the submit it is tried again; at the submit it is asked about; about a disburse_id a person looks',
    'src/provider/payments/payments.ts',
  ],
  ['`store` stands at the root, or under `invoice`', 'at the root', 'src/provider/payments/checkout.ts'],
  [
    'transitions between completed, failed and cancelled',
    'completed stays; the others become completed once, told as late',
    'src/kinds/invoice.ts',
  ],
  [
    'a payment request has no end',
    'asked about for 30 days, then a person decides',
    'src/processors/collect/payment-request.ts',
  ],
  [
    'with send_notification 1 the answer has no reference',
    'off unless asked for; then told as untracked',
    'src/processors/collect/payment-request.ts',
  ],
  [
    'a direct credit cannot be asked about',
    'sent at most once; an unclear result waits for a person',
    'src/processors/disbursement/direct-credit.ts',
  ],
  ['which softpay fields are optional', 'all are required; `omit` leaves one out', 'src/api/softpay.ts'],
  [
    'the authentication and the test path of softpay',
    'the three headers; live only',
    'src/provider/payments/softpay.ts',
  ],
  [
    'the encoding of the disbursement callback',
    'every encoding is read, and none is believed',
    'src/webhooks/body.ts',
  ],
  [
    'retries and acknowledgement of callbacks',
    '200 when written down; status polls make both harmless',
    'src/webhooks/receiver.ts',
  ],
  [
    'the order of day and month in updated_at',
    'not read from a status; in the stored body of a callback it stands as it came',
    'src/webhooks/body.ts',
  ],
  [
    'HTTP statuses of errors',
    'the code decides at any status; success needs 2xx too',
    'src/provider/payments/ask.ts',
  ],
  ['rate limits', 'UPSTREAM_RATE for each account and area, all processes together', 'src/provider/client.ts'],
  [
    'the longest SMS text',
    'refused above ten segments; ERROR_113 is read as a refusal',
    'src/kinds/request-pieces.ts',
  ],
];
