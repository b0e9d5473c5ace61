/**
 * The books: what the service did, never what a client thinks it did. Checks after a storm read these and nothing else.
 */
import { MessageBook } from './message-book.ts';

/** The last words of an operator; the interface has the first two. */
export const verdicts = ['success', 'failed', 'reversed', 'refunded', 'cancelled'] as const;
export type Verdict = (typeof verdicts)[number];
export type DisbursementStatus = 'created' | 'pending' | Verdict;
export type InvoiceStatus = 'pending' | 'completed' | 'cancelled' | 'failed';
type PaymentRequestStatus = 'pending' | 'completed' | 'failed';

/** What will be said of a record without anybody, and when (ms since the epoch, in sandbox time). */
interface Coming<Word> {
  readonly word: Word;
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
  /** What check-status shows while it lags. */
  previousStatus: DisbursementStatus;
  /** ms since the epoch, in sandbox time. */
  readonly createdAt: number;
  updatedAt: number;
  /** Submit requests that reached the work, whatever was answered. */
  submits: number;
  coming: ReadonlyArray<Coming<'success' | 'failed' | 'reversal'>>;
  /** Submits whose money was taken and on which the operator has not said a word. */
  undecided: number;
  /** How often money really left for this token. More than one is a double payment. */
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
  coming: ReadonlyArray<Coming<Exclude<InvoiceStatus, 'pending'>>>;
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

export interface DirectCredit {
  readonly transactionId: string;
  readonly accountAlias: string;
  readonly amount: number;
  readonly mode: 'test' | 'live';
}

/** One softpay call that was carried out. Names, codes, card numbers and passwords are not kept. */
export interface SoftpayCall {
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
  /** The HTTP status of the answer, or what went wrong instead. */
  readonly answer: number | string;
}

export interface Breach {
  readonly operation: string;
  readonly what: string;
}

// A client that breaks a rule a million times needs no more than this to be found out.
const BREACHES_KEPT = 10_000;

export class Books {
  readonly disbursements = new Map<string, Disbursement>();
  readonly invoices = new Map<string, Invoice>();
  readonly paymentRequests = new Map<string, PaymentRequest>();
  readonly directCredits: DirectCredit[] = [];
  readonly softpay: SoftpayCall[] = [];
  readonly callbacks: CallbackPost[] = [];
  readonly breaches: Breach[] = [];
  readonly messages = new MessageBook();
  readonly requests: Record<string, number> = {};
  logins = 0;
  breachCount = 0;

  request(operation: string): void {
    this.requests[operation] = (this.requests[operation] ?? 0) + 1;
  }

  breach(operation: string, what: string): void {
    this.breachCount += 1;
    if (this.breaches.length < BREACHES_KEPT) this.breaches.push({ operation, what });
  }

  /** The entries of one section, or undefined when there is no such section. */
  section(name: string): Iterable<object> | undefined {
    switch (name) {
      case 'disbursements':
        return this.disbursements.values();
      case 'invoices':
        return shownInvoices(this.invoices);
      case 'paymentRequests':
        return this.paymentRequests.values();
      case 'messages':
        return this.messages.entries();
      case 'directCredits':
      case 'softpay':
      case 'callbacks':
      case 'breaches':
        return this[name];
      default:
        return undefined;
    }
  }

  /** Counts only: cheap however many messages there are. */
  summary(): object {
    const { messages, requests, logins } = this;
    return {
      disbursements: this.disbursements.size,
      effects: sum(this.disbursements.values(), ({ effects }) => effects),
      doubleEffects: sum(this.disbursements.values(), ({ effects }) => Number(effects > 1)),
      xofPaid: sum(this.disbursements.values(), ({ effects, amount }) => effects * amount),
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
    const names = [
      'disbursements',
      'messages',
      'invoices',
      'directCredits',
      'paymentRequests',
      'softpay',
      'callbacks',
      'breaches',
    ];
    const sections = names.map((name) => [name, [...(this.section(name) ?? [])]]);
    return { ...Object.fromEntries(sections), logins: this.logins, requests: this.requests };
  }
}

function* shownInvoices(invoices: ReadonlyMap<string, Invoice>): Iterable<object> {
  for (const { request: _, ...shown } of invoices.values()) yield shown;
}

function sum<Item>(items: Iterable<Item>, of: (item: Item) => number): number {
  let total = 0;
  for (const item of items) total += of(item);
  return total;
}
