/** Checks before a handler: the key, the accounts, and the state of the ledger. */
import type { Request, Response } from 'express';
import { Buckets } from './buckets.ts';
import type { ApiContext } from './context.ts';
import { type ApiKey, type Role, hasRole, mayUseAccount, personOf, rolesWith } from './keys.ts';
import { ApiProblem, invalid } from './problem.ts';
import { message } from '../messages/message.ts';

export function requireRole(key: ApiKey, role: Role, or?: Role): void {
  if (hasRole(key, role) || (or && hasRole(key, or))) return;
  const wanted = [...rolesWith(role), ...(or ? rolesWith(or) : [])].map((one) => `"${one}"`).join(' or ');
  throw new ApiProblem('forbidden', message('key_lacks_role', { key: key.name, role: wanted }), {
    rule: 'role',
  });
}

/** Four eyes: a person cannot decide about their own request, and two keys of one person count as one. */
export async function requireAnother(
  { keyRing }: ApiContext,
  key: ApiKey,
  by: string | undefined,
  did: 'another_person_asked' | 'another_person_uploaded',
): Promise<void> {
  if (by === undefined || !(await keyRing.isOne(key, by))) return;
  const detail = message(did, { key: key.name, person: personOf(key), by });
  throw new ApiProblem('forbidden', detail, { rule: 'other-person' });
}

/** Actions on all accounts are not allowed for keys limited to some. */
export function requireAllAccounts({ name, accounts }: ApiKey): void {
  if (accounts === undefined) return;
  throw new ApiProblem(
    'forbidden',
    message('key_limited_to_accounts', { key: name, accounts: [...accounts].join(', ') }),
    {
      rule: 'all-accounts',
    },
  );
}

/** The key is valid, and its session exists. Rejects if that is unknown. */
export async function stillAsks(context: ApiContext, key: ApiKey): Promise<boolean> {
  if (!(await context.keyRing.stillHolds(key))) return false;
  return key.session === undefined || context.sessions.goesOn(key.session);
}

/**
 * For slow requests: a key that was revoked meanwhile starts nothing. Called last, since a process may pause at any
 * earlier step.
 */
export async function requireStill(context: ApiContext, key: ApiKey): Promise<void> {
  if (await stillAsks(context, key)) return;
  throw new ApiProblem('unauthenticated', message('key_ended_meanwhile'));
}

/** A console session may be left open on a desk, so critical actions require the key again. */
export function requireFresh({ clock }: ApiContext, { session }: ApiKey): void {
  if (!session || session.confirmedUntil > clock.now()) return;
  throw new ApiProblem('sign-in-again', message('confirm_again'));
}

export function requireSession({ session, name }: ApiKey): void {
  if (session) return;
  throw new ApiProblem('unauthenticated', message('needs_session', { key: name }));
}

interface Naming {
  readonly query: object;
  readonly body: unknown;
  /** Whether an unknown account is refused here; otherwise acceptance reports it with all other problems. */
  readonly mustExist: boolean;
}

/**
 * Each line of a file names its account, or the query names one for all. Existing accounts are revealed only to keys
 * with access.
 */
export function requireNamedAccounts(
  { accountNames }: ApiContext,
  key: ApiKey,
  { query, body, mustExist }: Naming,
): void {
  const naming =
    body === undefined ? ('account' in query ? [query] : []) : Array.isArray(body) ? (body as unknown[]) : [body];
  for (const account of naming.map(accountIn)) {
    requireAccount(key, account);
    if (!mustExist || accountNames.includes(account)) continue;
    throw invalid([
      { pointer: '/account', message: message('configured_account', { accounts: accountNames.join(', ') }) },
    ]);
  }
}

/** The accounts of a list: the requested one, or all that the key can see. */
export function accountsListed(
  context: ApiContext,
  key: ApiKey,
  account: string | undefined,
): readonly string[] | undefined {
  if (account === undefined) return key.accounts && [...key.accounts];
  requireNamedAccounts(context, key, { query: { account }, body: undefined, mustExist: true });
  return [account];
}

function requireAccount(key: ApiKey, account: string): void {
  if (mayUseAccount(key, account)) return;
  throw new ApiProblem('forbidden', message('key_lacks_account', { key: key.name, account }), {
    rule: 'account',
  });
}

/** An invalid name is reported with the request's other problems. */
function accountIn(request: unknown): string {
  const isObject = typeof request === 'object' && request !== null && 'account' in request;
  return isObject && typeof request.account === 'string' ? request.account : 'main';
}

/** Money and campaigns are accepted only while accepted requests would survive a power loss. */
export function requireOpen({ refusal }: ApiContext, response: Response): void {
  refuse(refusal(), response);
}

function refuse(why: ReturnType<ApiContext['refusal']>, response: Response): void {
  if (!why) return;
  response.set('Retry-After', '30');
  throw new ApiProblem(why.kind, why.detail);
}

/**
 * During a recovery a released operation would leave before its review. Reads PostgreSQL: the state must be current.
 */
export async function requireNoRecovery({ refusal, processing }: ApiContext, response: Response): Promise<void> {
  if (refusal() === undefined && (await processing.life?.raise()) !== false) return;
  response.set('Retry-After', '30');
  throw new ApiProblem('recovering', message('in_recovery'));
}

export function idempotencyKey(request: Request): string | undefined {
  const value = request.get('idempotency-key');
  if (value === undefined) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(value)) return value;
  throw invalid([{ pointer: '/Idempotency-Key', message: message('visible_ascii') }]);
}

/** Throws the refusal. */
type LimitRate = (key: Pick<ApiKey, 'name'>, response: Response) => void;

/** A request costs one token, however large: bulk requests are slowed by back-pressure. */
export function limitRate({ clock, ratePerSecond }: Pick<ApiContext, 'clock' | 'ratePerSecond'>): LimitRate {
  if (ratePerSecond === 0) return () => undefined;
  // Burst: the tokens of one second.
  const buckets = new Buckets({ clock, everyMs: 1_000 / ratePerSecond, most: ratePerSecond });
  return ({ name }, response) => {
    const waitMs = buckets.take(name);
    response.set('RateLimit-Policy', `"key";q=${ratePerSecond};w=1`);
    if (waitMs === 0) return;
    response.set('Retry-After', String(Math.ceil(waitMs / 1_000)));
    throw new ApiProblem('too-many-requests', message('key_rate', { rate: ratePerSecond }));
  };
}
