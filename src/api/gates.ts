/** What a route asks before its handler begins: of the key, of the accounts, and of the state of the ledger. */
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

/** Four eyes: nobody decides about what they asked for themselves, and two keys of one person are one. */
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

/** What concerns every account is not for a key that is bound to some. */
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

/** Its key is one, and its session goes on. Rejects where that cannot be known. */
export async function stillAsks(context: ApiContext, key: ApiKey): Promise<boolean> {
  if (!(await context.keyRing.stillHolds(key))) return false;
  return key.session === undefined || context.sessions.goesOn(key.session);
}

/**
 * Of what was asked a while ago, or came slowly: a key that was revoked since begins nothing more. Asked last, since a
 * process may stand still at any step before.
 */
export async function requireStill(context: ApiContext, key: ApiKey): Promise<void> {
  if (await stillAsks(context, key)) return;
  throw new ApiProblem('unauthenticated', message('key_ended_meanwhile'));
}

/** A session is left open on a desk: what matters most asks for the key again. */
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
  /** Whether an account that there is not is refused here; otherwise by the acceptance, with all else that is wrong. */
  readonly mustExist: boolean;
}

/** Of a file each line names its own, or the query names one for all. Which accounts there are is told to keys that may use them. */
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

/** Of which accounts something is listed: of the one that is asked for, or of all that the key may see. */
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

/** What is no name at all is refused with everything else that is wrong in the request. */
function accountIn(request: unknown): string {
  const isObject = typeof request === 'object' && request !== null && 'account' in request;
  return isObject && typeof request.account === 'string' ? request.account : 'main';
}

/** Money and campaigns are accepted only while what was accepted would survive a power loss. */
export function requireOpen({ refusal }: ApiContext, response: Response): void {
  refuse(refusal(), response);
}

function refuse(why: ReturnType<ApiContext['refusal']>, response: Response): void {
  if (!why) return;
  response.set('Retry-After', '30');
  throw new ApiProblem(why.kind, why.detail);
}

/** What somebody released in a recovery would leave before anybody has looked. Asked of PostgreSQL: every moment counts. */
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

/** One request is one token, however much it carries: bulk is slowed by its own back-pressure. */
export function limitRate({ clock, ratePerSecond }: Pick<ApiContext, 'clock' | 'ratePerSecond'>): LimitRate {
  if (ratePerSecond === 0) return () => undefined;
  // One second's tokens may go at once.
  const buckets = new Buckets({ clock, everyMs: 1_000 / ratePerSecond, most: ratePerSecond });
  return ({ name }, response) => {
    const waitMs = buckets.take(name);
    response.set('RateLimit-Policy', `"key";q=${ratePerSecond};w=1`);
    if (waitMs === 0) return;
    response.set('Retry-After', String(Math.ceil(waitMs / 1_000)));
    throw new ApiProblem('too-many-requests', message('key_rate', { rate: ratePerSecond }));
  };
}
