import { paymentKeys } from '../account.ts';
import { type Answer, type Exchange, type Reading, unasked } from '../exchange.ts';
import type { FailureCode, OperationClass } from '../failures.ts';
import type { CallOptions, UpstreamAccount } from '../options.ts';
import type { UpstreamOperation, Verdict } from '../verdict.ts';

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
