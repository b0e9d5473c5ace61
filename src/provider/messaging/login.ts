/** One login, in each possible encoding (interface: SMS login). */
import type { MessagingKeys, LoginEncoding, UpstreamAccount } from '../account.ts';
import { type Answer, type Exchange, type Reading, readText } from '../exchange.ts';
import { type FailureCode, type NotOk, type Verdict, codeOfStatus, listedCode } from '../verdict.ts';

/** The media type fixes the version. */
export const ACCEPT = 'application/vnd.apisms.v1+json';

const DOCUMENTED_LIFE_MS = 3_600_000;
const LOGIN_TIMEOUT_MS = 8_000;

export const ALL_ENCODINGS: readonly LoginEncoding[] = ['form', 'json', 'form-as-json'];

/** The time-out of one login answer. */
export const answerWithin = ({ timeoutMs }: Pick<LoginContext, 'timeoutMs'>): number =>
  Math.min(timeoutMs, LOGIN_TIMEOUT_MS);

/** Failures that justify a second login in another encoding. */
const WRITTEN_WRONGLY = new Set<FailureCode>(['ERROR_104', 'ERROR_105', 'ERROR_118']);
const WRITTEN_WRONGLY_STATUS = new Set([400, 415, 422]);

export interface LoggedIn {
  readonly token: string;
  /** The provider's value, possibly 0 or less; the documented hour if it is unreadable. */
  readonly lifeMs: number;
}

export interface LoginContext {
  readonly exchange: Exchange;
  readonly crmUrl: string;
  readonly timeoutMs: number;
}

/**
 * Logs in with the encodings in the given order. Only an answer like "I cannot read this" leads to the next: wrong
 * credentials do not, since repeated bad logins lock an account.
 */
export async function logIn(
  context: LoginContext,
  account: UpstreamAccount,
  keys: MessagingKeys,
  encodings: readonly LoginEncoding[],
): Promise<{ readonly verdict: Verdict<LoggedIn>; readonly encoding?: LoginEncoding }> {
  let first: NotOk | undefined;
  for (const encoding of encodings) {
    const verdict = await logInOnce(context, account, keys, encoding);
    if (verdict.is === 'ok') return { verdict, encoding };
    first ??= verdict;
    if (!mayBeWrittenOtherwise(verdict)) return { verdict: aboutUs(verdict) };
  }
  if (!first) throw new RangeError('no login encoding to try');
  return { verdict: aboutUs(first, true) };
}

/** Only relais writes logins: a refused one is a problem of our settings. */
function aboutUs(failure: NotOk, always = false): NotOk {
  return failure.is !== 'held' && (always || failure.is === 'refused') ? { ...failure, is: 'config' } : failure;
}

function mayBeWrittenOtherwise({ code, exchange }: NotOk): boolean {
  if (WRITTEN_WRONGLY.has(code as FailureCode)) return true;
  return !listedCode(code) && exchange.httpStatus !== undefined && WRITTEN_WRONGLY_STATUS.has(exchange.httpStatus);
}

async function logInOnce(
  context: LoginContext,
  account: UpstreamAccount,
  keys: MessagingKeys,
  encoding: LoginEncoding,
): Promise<Verdict<LoggedIn>> {
  const letter = {
    method: 'POST',
    url: `${context.crmUrl}/api/v1/auth/login`,
    headers: {
      Accept: ACCEPT,
      'Content-Type': encoding === 'form' ? 'application/x-www-form-urlencoded' : 'application/json',
    },
    body: loginBody(keys, encoding),
    fresh: false,
    abortable: false,
    timeoutMs: answerWithin(context),
  } as const;
  const question = { operation: 'sms_login', kind: 'harmless', area: 'messaging', letter, read: readLogin } as const;
  return context.exchange.ask(account, question, {});
}

function loginBody(keys: MessagingKeys, encoding: LoginEncoding): string {
  const fields = { user_key: keys.userKey.reveal(), secret_key: keys.secretKey.reveal() };
  return encoding === 'json' ? JSON.stringify(fields) : new URLSearchParams(fields).toString();
}

function readLogin({ body, status, problem }: Answer): Reading<LoggedIn> {
  if (!body) return { code: codeOfStatus(status), message: problem };
  const upstreamCode = readText(body['code']);
  const message = readText(body['description']) ?? readText(body['message']);
  const listed = upstreamCode === undefined ? undefined : listedCode(upstreamCode);
  if (listed) return { code: listed, upstreamCode, message };
  const token = typeof body['access_token'] === 'string' ? body['access_token'].trim() : '';
  // A bearer that is no valid header value would break every later request.
  if (status >= 200 && status < 300 && /^[!-~]+$/.test(token)) {
    return { value: { token, lifeMs: readLife(body['expires_in']) } };
  }
  return { code: codeOfStatus(status), upstreamCode, message };
}

/** Seconds, as a number or in digits. */
function readLife(value: unknown): number {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1_000 : DOCUMENTED_LIFE_MS;
}
