import { paymentKeys, type CallOptions, type UpstreamAccount } from '../account.ts';
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
  type FailureCode,
  type OperationClass,
  type UpstreamOperation,
  type Verdict,
  codeOfStatus,
  listedCode,
} from '../verdict.ts';

/** Everything a call of the payment area needs besides its own request. */
export interface PaymentContext {
  readonly exchange: Exchange;
  readonly baseUrl: string;
  readonly livePathsInTest: boolean;
  readonly softpayCard: boolean;
  readonly timeoutMs: number;
  /** Withdraw modes that upstream added since the interface was written. */
  readonly extraWithdrawModes: readonly string[];
}

/** One call of the payment area, as a row. */
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

/** interface: Authentication. The content type goes with every call, a GET too, as the interface says. */
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

/** What an envelope of the payment area says, before anybody asks what it means. */
interface Envelope {
  readonly ok: boolean;
  /** As upstream wrote it; absent in the envelopes that have only `success`. */
  readonly code?: string;
  /** Everything it says in words: which key holds the telling ones differs. */
  readonly text?: string;
}

/** How the failures of one operation differ from the table. */
export type Refine = (envelope: Envelope, code: FailureCode, status: number) => Partial<FailureReading>;

const CODE_KEYS = ['response_code', 'response-code'] as const;
const TEXT_KEYS = ['response_text', 'message', 'description'] as const;

/**
 * interface: General conventions. A code where there is one, in either spelling; else the boolean `success`. Two that
 * contradict each other are no envelope at all.
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
 * Reads one answer of the payment area: success needs HTTP 2xx, the success code *and* the fields `take` looks for;
 * `take` gives undefined when one of them is missing or wrongly typed.
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

/** The status decides where it says that the server broke or did not know us; elsewhere the code does. */
function codeOf(envelope: Envelope, status: number): FailureCode {
  const byStatus = codeOfStatus(status);
  if (byStatus !== 'unreadable') return byStatus;
  const listed = envelope.code === undefined ? undefined : listedCode(envelope.code);
  if (listed) return listed;
  return status >= 400 ? 'rejected' : 'unlisted_code';
}

/** A whole number of francs above 0. The interface names no other bounds, and none is invented here. */
export function isPositiveXof(amount: number): boolean {
  return Number.isSafeInteger(amount) && amount > 0;
}

export function isWebUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** `{ [key]: value }`, or nothing at all: upstream is never sent a null, and a reader never meets an undefined. */
export function present<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: V });
}
