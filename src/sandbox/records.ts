/** Records of the provider's own actions, never of a client's assumptions. The checks of a storm read only these. */
import { type RecordedMessage, Messages } from './messages.ts';

/** The final statuses of an operator; the first two are in the interface. */
export const verdicts = ['success', 'failed', 'reversed', 'refunded', 'cancelled'] as const;
export type Verdict = (typeof verdicts)[number];
export type DisbursementStatus = 'created' | 'pending' | Verdict;
export type InvoiceStatus = 'pending' | 'completed' | 'cancelled' | 'failed';
type PaymentRequestStatus = 'pending' | 'completed' | 'failed';

/** A status that a record takes without a decision, and its time (ms since the epoch, in sandbox time). */
interface Scheduled<Status> {
  readonly status: Status;
  readonly at: number;
}

export interface Disbursement {
  readonly token: string;
  disburseId: string | undefined;
  readonly accountAlias: string;
  /** XOF. */
  readonly amount: number;
  readonly withdrawMode: string;
  readonly debitAccountNumber: string | undefined;
  readonly callbackUrl: string;
  status: DisbursementStatus;
  /** Returned by check-status during its lag. */
  previousStatus: DisbursementStatus;
  /** ms since the epoch, in sandbox time. */
  readonly createdAt: number;
  updatedAt: number;
  /** Submit requests that reached the work, whatever the answer. */
  submits: number;
  scheduled: ReadonlyArray<Scheduled<'success' | 'failed' | 'reversal'>>;
  /** Submits whose money was taken and that have no final status yet. */
  undecided: number;
  /** How often money left for this token. More than one is a double payment. */
  effects: number;
  transactionId: string | undefined;
  operatorId: string | undefined;
  callbacks: number;
}

export interface Invoice {
  readonly token: string;
  readonly mode: 'test' | 'live';
  readonly totalAmount: number;
  status: InvoiceStatus;
  scheduled: ReadonlyArray<Scheduled<Exclude<InvoiceStatus, 'pending'>>>;
  /** How often a payer paid it. */
  payments: number;
  readonly createdAt: number;
  readonly callbackUrl: string | undefined;
  readonly request: Readonly<Record<string, unknown>>;
  failReason: string;
  callbacks: number;
}

export interface PaymentRequest {
  readonly reference: string;
  readonly amount: number;
  readonly email: string | undefined;
  readonly phone: string | undefined;
  readonly supportFees: number;
  readonly notified: boolean;
  status: PaymentRequestStatus;
}

interface DirectCredit {
  readonly transactionId: string;
  readonly accountAlias: string;
  readonly amount: number;
  readonly mode: 'test' | 'live';
}

/** One executed softpay call. Names, codes, card numbers and passwords are not stored. */
interface SoftpayCall {
  readonly method: string;
  readonly token: string;
  readonly outcome: string;
  readonly transactionId: string;
}

export interface CallbackPost {
  readonly kind: 'disbursement' | 'invoice';
  readonly token: string;
  readonly status: string;
  readonly encoding: string;
  /** The HTTP status of the answer, or the error. */
  readonly answer: number | string;
}

interface Breach {
  readonly operation: string;
  readonly what: string;
}

/** Further breaches of a client are only counted. */
const BREACHES_STORED = 10_000;

export class Records {
  readonly disbursements = new Map<string, Disbursement>();
  /** Every used disburse_id, and its token. */
  readonly disburseIds = new Map<string, string>();
  readonly invoices = new Map<string, Invoice>();
  readonly paymentRequests = new Map<string, PaymentRequest>();
  readonly directCredits: DirectCredit[] = [];
  readonly softpay: SoftpayCall[] = [];
  readonly callbacks: CallbackPost[] = [];
  readonly breaches: Breach[] = [];
  readonly messages = new Messages();
  readonly requests: Record<string, number> = {};
  logins = 0;
  breachCount = 0;

  request(operation: string): void {
    this.requests[operation] = (this.requests[operation] ?? 0) + 1;
  }

  breach(operation: string, what: string): void {
    this.breachCount += 1;
    if (this.breaches.length < BREACHES_STORED) this.breaches.push({ operation, what });
  }

  /** Only counts: cheap for any number of messages. */
  summary(): object {
    const { messages, requests, logins } = this;
    const disbursements = [...this.disbursements.values()];
    return {
      disbursements: disbursements.length,
      effects: sum(disbursements, ({ effects }) => effects),
      doubleEffects: sum(disbursements, ({ effects }) => Number(effects > 1)),
      xofPaid: sum(disbursements, ({ effects, amount }) => effects * amount),
      invoices: this.invoices.size,
      paymentRequests: this.paymentRequests.size,
      directCredits: this.directCredits.length,
      softpay: this.softpay.length,
      callbacks: this.callbacks.length,
      messages: messages.distinct,
      messagesSent: messages.sent,
      messagesRepeated: messages.repeated,
      logins,
      breaches: this.breachCount,
      requests,
    };
  }

  everything(): object {
    const shown = Object.entries(sections).map(([name, row]) => [name, [...row.show(this)]]);
    return { ...Object.fromEntries(shown), logins: this.logins, requests: this.requests };
  }
}

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

interface Section {
  /** Its entries in the control API. */
  readonly show: (records: Records) => Iterable<object>;
  /** Its entries as stored. */
  readonly list: (records: Records) => Iterable<object>;
  /** Adds a stored entry. */
  readonly restore: (records: Records, entry: object) => void;
}

function section<Entry extends object>(
  list: (records: Records) => Iterable<Entry>,
  restore: (records: Records, entry: Entry) => void,
): Section {
  return { show: list, list, restore: (records, entry) => restore(records, entry as Entry) };
}

function* withoutRequest(invoices: Iterable<Invoice>): Iterable<object> {
  for (const { request: _, ...shown } of invoices) yield shown;
}

const listed = (name: 'directCredits' | 'softpay' | 'callbacks' | 'breaches'): Section =>
  section(
    (records): Iterable<object> => records[name],
    (records, entry) => (records[name] as object[]).push(entry),
  );

/** The sections of the records, in the order of the control API. */
export const sections: Readonly<Record<string, Section>> = {
  disbursements: section<Disbursement>(
    ({ disbursements }) => disbursements.values(),
    ({ disbursements }, entry) => disbursements.set(entry.token, entry),
  ),
  messages: section<RecordedMessage>(
    ({ messages }) => messages.entries(),
    ({ messages }, entry) => messages.restore(entry),
  ),
  invoices: {
    ...section<Invoice>(
      ({ invoices }) => invoices.values(),
      ({ invoices }, entry) => invoices.set(entry.token, entry),
    ),
    show: ({ invoices }) => withoutRequest(invoices.values()),
  },
  directCredits: listed('directCredits'),
  paymentRequests: section<PaymentRequest>(
    ({ paymentRequests }) => paymentRequests.values(),
    ({ paymentRequests }, entry) => paymentRequests.set(entry.reference, entry),
  ),
  softpay: listed('softpay'),
  callbacks: listed('callbacks'),
  breaches: listed('breaches'),
};
