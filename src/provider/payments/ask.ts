/** Requests and answers of payments, and their common checks. */
import { type UpstreamAccount, paymentKeys } from '../account.ts';
import type { CallOptions } from '../transport.ts';
import {
  type Answer,
  type Exchange,
  type Reading,
  unasked,
  type FailureReading,
  type JsonObject,
  readText,
} from '../exchange.ts';
import {
  type Verdict,
  type FailureCode,
  type OperationClass,
  type UpstreamOperation,
  codeOfStatus,
  listedCode,
} from '../verdict.ts';
import type { SoftpayConfirmation, SoftpayMethod, SoftpayRequest, SoftpayStarted } from './softpay-table.ts';

type Call<Request, Value> = (
  account: UpstreamAccount,
  request: Request,
  call?: CallOptions,
) => Promise<Verdict<Value>>;

/** interface: Disbursement. `amount` in XOF; `accountAlias` already in the national form (capabilities.ts). */
export interface DisbursementRequest {
  readonly accountAlias: string;
  readonly amount: number;
  readonly callbackUrl: string;
  readonly withdrawMode: string;
  readonly debitAccountNumber?: string | undefined;
}

/** `status` is only a hint: `00` means accepted, and only the status record shows the result. */
export interface SubmittedDisbursement {
  readonly status?: string;
  readonly transactionId?: string;
  readonly providerRef?: string;
}

export interface DisbursementStatus {
  /** Lower-cased and trimmed; may be an unknown word. */
  readonly status: string;
  readonly token?: string;
  /** XOF; absent if it is not a whole number of francs. */
  readonly amount?: number;
  readonly amountRaw?: string;
  readonly disburseId?: string;
  readonly withdrawMode?: string;
  readonly transactionId?: string;
  readonly disburseTxId?: string;
}

export interface InvoiceItem {
  readonly name?: string | undefined;
  readonly quantity?: number | undefined;
  readonly unitPrice?: number | string | undefined;
  readonly totalPrice?: number | string | undefined;
  readonly description?: string | undefined;
}

export interface InvoiceTax {
  readonly name?: string | undefined;
  readonly amount?: number | undefined;
}

/** interface: Checkout invoice. `totalAmount` in XOF. */
export interface InvoiceRequest {
  readonly totalAmount: number;
  readonly description?: string | undefined;
  readonly items?: readonly InvoiceItem[] | undefined;
  readonly taxes?: readonly InvoiceTax[] | undefined;
  readonly customer?: InvoiceCustomer | undefined;
  readonly channels?: string | readonly string[] | undefined;
  readonly store: {
    readonly name: string;
    readonly tagline?: string | undefined;
    readonly postalAddress?: string | undefined;
    readonly phone?: string | undefined;
    readonly logoUrl?: string | undefined;
    readonly websiteUrl?: string | undefined;
  };
  readonly customData?: Readonly<Record<string, unknown>> | undefined;
  readonly cancelUrl?: string | undefined;
  readonly returnUrl?: string | undefined;
  readonly callbackUrl?: string | undefined;
}

interface InvoiceCustomer {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
}

/** interface: Invoice status record. The static `hash` and the card number are discarded. */
export interface InvoiceRecord {
  /** `pending completed cancelled failed`, lower-cased (`canceled` is read as `cancelled`), or an unknown word. */
  readonly status: string;
  readonly token?: string;
  /** XOF; absent when unreadable. */
  readonly totalAmount?: number;
  /** XOF; only in some answers, if the payer bears the fees. */
  readonly totalWithoutFees?: number;
  readonly mode?: string;
  readonly customData?: Readonly<Record<string, unknown>>;
  readonly customer?: InvoiceCustomer;
  readonly receiptUrl?: string;
  readonly failReason?: string;
  readonly failure?: { readonly message?: string; readonly description?: string };
  readonly panLast4?: string;
}

/** interface: Payment request. `amount` in XOF, 200 to 3,000,000. */
export interface PaymentRequest {
  readonly amount: number;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  readonly feesPaidBy: 'customer' | 'merchant';
  /**
   * true: the provider sends the SMS and e-mail, answers without a reference, and the request can never be checked.
   */
  readonly notify?: boolean | undefined;
}

export interface CreatedPaymentRequest {
  readonly referenceNumber?: string;
  readonly url?: string;
}

export interface Balances {
  /** interface: Balance record. The exact balance is only in the account dashboard. */
  readonly approximate: true;
  /** XOF per country code; null if unreadable, never 0. */
  readonly balances: Readonly<Record<string, number | null>>;
}

export interface Payments {
  readonly createInvoice: Call<InvoiceRequest, { readonly token: string; readonly url: string }>;
  readonly confirmInvoice: Call<{ readonly token: string }, InvoiceRecord>;
  readonly directCredit: Call<
    { readonly accountAlias: string; readonly amount: number },
    { readonly transactionId?: string; readonly description?: string }
  >;
  readonly createPaymentRequest: Call<PaymentRequest, CreatedPaymentRequest>;
  readonly paymentRequestStatus: Call<{ readonly referenceNumber: string }, { readonly status: string }>;
  readonly balances: (account: UpstreamAccount, call?: CallOptions) => Promise<Verdict<Balances>>;
  readonly balance: Call<{ readonly accountNumber: string }, Balances>;
  readonly createDisbursement: Call<DisbursementRequest, { readonly token: string }>;
  readonly submitDisbursement: Call<
    { readonly token: string; readonly disburseId?: string | undefined },
    SubmittedDisbursement
  >;
  readonly disbursementStatus: Call<{ readonly token: string }, DisbursementStatus>;
  readonly softpay: (
    account: UpstreamAccount,
    method: SoftpayMethod,
    request: SoftpayRequest,
    call?: CallOptions,
  ) => Promise<Verdict<SoftpayStarted>>;
  readonly confirmSoftpay: Call<SoftpayConfirmation, SoftpayStarted>;
}

/** The context of a call of the payment area, besides its own request. */
export interface PaymentContext {
  readonly exchange: Exchange;
  readonly baseUrl: string;
  readonly livePathsInTest: boolean;
  readonly softpayCard: boolean;
  readonly timeoutMs: number;
  /** Withdraw modes that the provider added since the interface was written. */
  readonly extraWithdrawModes: readonly string[];
}

/** The declaration of one call of the payment area. */
export interface PaymentQuestion<T> {
  readonly operation: UpstreamOperation;
  readonly kind: OperationClass;
  readonly method: 'GET' | 'POST';
  /** From the version on, `/v1/…`: the word before it depends on the mode. */
  readonly path: string;
  /** interface: Endpoints. Only checkout and direct credit have a path for test mode. */
  readonly only?: 'live' | 'live_always';
  readonly body?: Readonly<Record<string, unknown>>;
  readonly fresh?: boolean;
  readonly timeoutMs?: number;
  readonly read: (answer: Answer) => Reading<T>;
}

export async function askPayments<T>(
  context: PaymentContext,
  account: UpstreamAccount,
  question: PaymentQuestion<T>,
  call: CallOptions,
): Promise<Verdict<T>> {
  const { operation, kind, method, body } = question;
  if (refusedInTest(context, account, question.only)) return unasked(account, operation, 'live_only');
  const headers = paymentHeaders(account);
  if (typeof headers === 'string') return unasked(account, operation, headers);
  const letter = {
    method,
    url: `${context.baseUrl}${pathFor(account, question)}`,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    fresh: question.fresh ?? false,
    abortable: kind === 'read',
    ...(question.timeoutMs === undefined ? {} : { timeoutMs: question.timeoutMs }),
  };
  return context.exchange.ask(account, { operation, kind, area: 'payments', letter, read: question.read }, call);
}

function refusedInTest(context: PaymentContext, account: UpstreamAccount, only?: 'live' | 'live_always'): boolean {
  if (account.mode === 'live' || only === undefined) return false;
  return only === 'live_always' || !context.livePathsInTest;
}

function pathFor<T>(account: UpstreamAccount, question: PaymentQuestion<T>): string {
  const root = question.only === undefined && account.mode === 'test' ? '/sandbox-api' : '/api';
  return `${root}${question.path}`;
}

/** interface: Authentication. The content type is set on every call, including GET, as documented. */
function paymentHeaders(account: UpstreamAccount): Record<string, string> | FailureCode {
  const keys = paymentKeys(account);
  if (typeof keys === 'string') return keys;
  return {
    [`${account.headerPrefix}-MASTER-KEY`]: keys.masterKey.reveal(),
    [`${account.headerPrefix}-PRIVATE-KEY`]: keys.privateKey.reveal(),
    [`${account.headerPrefix}-TOKEN`]: keys.token.reveal(),
    'Content-Type': 'application/json',
  };
}

/** The content of an envelope of the payment area, before its interpretation. */
interface Envelope {
  readonly ok: boolean;
  /** The provider's code; absent in envelopes that have only `success`. */
  readonly code?: string;
  /** All its texts: the key of the relevant one differs. */
  readonly text?: string;
}

/** How the failures of one operation differ from the table. */
export type Refine = (envelope: Envelope, code: FailureCode, status: number) => Partial<FailureReading>;

const CODE_KEYS = ['response_code', 'response-code'] as const;
const TEXT_KEYS = ['response_text', 'message', 'description'] as const;

/**
 * interface: General conventions. A code if there is one, in either spelling; otherwise the boolean `success`. If two
 * contradict each other, the envelope is invalid.
 */
function readEnvelope(body: JsonObject): Envelope | undefined {
  const written = CODE_KEYS.map((key) => readText(body[key])).filter((code) => code !== undefined);
  const [code] = written;
  const success = body['success'];
  if (code !== undefined && written.some((other) => other !== code)) return undefined;
  const says = new Set(TEXT_KEYS.map((key) => readText(body[key])).filter((text) => text !== undefined));
  const text = says.size === 0 ? {} : { text: [...says].join('; ') };
  if (code === undefined) return typeof success === 'boolean' ? { ok: success, ...text } : undefined;
  if (typeof success === 'boolean' && success !== (code === '00')) return undefined;
  return { ok: code === '00', code, ...text };
}

/**
 * Reads one answer of the payment area. Success needs HTTP 2xx, the success code *and* the fields that `take` reads;
 * `take` returns undefined if one is missing or has the wrong type.
 */
export function readPayment<T>(
  answer: Answer,
  take: (body: JsonObject) => T | undefined,
  refine?: Refine,
): Reading<T> {
  const { body, status } = answer;
  const envelope = body && readEnvelope(body);
  if (!body || !envelope) return { code: codeOfStatus(status), message: answer.problem ?? 'no response code' };
  if (!envelope.ok) return readFailure(envelope, status, refine);
  const value = status >= 200 && status < 300 ? take(body) : undefined;
  return value === undefined ? { code: 'unreadable', message: 'a success without its fields' } : { value };
}

function readFailure(envelope: Envelope, status: number, refine?: Refine): FailureReading {
  const code = codeOf(envelope, status);
  return { code, upstreamCode: envelope.code, message: envelope.text, ...refine?.(envelope, code, status) };
}

/** The status decides for server errors and failed authentication; otherwise the code does. */
function codeOf(envelope: Envelope, status: number): FailureCode {
  const byStatus = codeOfStatus(status);
  if (byStatus !== 'unreadable') return byStatus;
  const listed = envelope.code === undefined ? undefined : listedCode(envelope.code);
  if (listed) return listed;
  return status >= 400 ? 'rejected' : 'unlisted_code';
}

/** A positive whole number of francs. The interface names no other bounds. */
export function isPositiveXof(amount: number): boolean {
  return Number.isSafeInteger(amount) && amount > 0;
}

export function isWebUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** `{ [key]: value }`, or nothing: the provider never receives null, and readers never see undefined. */
export function present<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: V });
}
