/** What a route asks before its handler begins: of the key, of the accounts, and of the state of the ledger. */
import type { Request, Response } from 'express';
import { RECOVERING } from '../ledger/errors.ts';
import { Buckets } from './buckets.ts';
import type { ApiContext } from './context.ts';
import { type ApiKey, type Role, hasRole, mayUseAccount, personOf, rolesWith } from './keys.ts';
import { ApiProblem, invalid, problemKinds } from './problem.ts';

export function requireRole(key: ApiKey, role: Role, or?: Role): void {
  if (hasRole(key, role) || (or && hasRole(key, or))) return;
  const wanted = [...rolesWith(role), ...(or ? rolesWith(or) : [])].map((one) => `"${one}"`).join(' or ');
  throw new ApiProblem(
    'forbidden',
    `The API key "${key.name}" does not have the role ${wanted}. Use a key with this role.`,
    {
      rule: 'role',
    },
  );
}

/** Four eyes: nobody decides about what they asked for themselves, and two keys of one person are one. */
export async function requireAnother(
  { keyRing }: ApiContext,
  key: ApiKey,
  by: string | undefined,
  did: string,
): Promise<void> {
  if (by === undefined || !(await keyRing.isOne(key, by))) return;
  const detail = `The API key "${key.name}" belongs to ${personOf(key)}, and ${by} ${did}. A different person must approve it with another key.`;
  throw new ApiProblem('forbidden', detail, { rule: 'other-person' });
}

/** What concerns every account is not for a key that is bound to some. */
export function requireAllAccounts({ name, accounts }: ApiKey, why: string): void {
  if (accounts === undefined) return;
  throw new ApiProblem('forbidden', `The API key "${name}" is limited to ${[...accounts].join(', ')}, and ${why}.`, {
    rule: 'all-accounts',
  });
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
  throw new ApiProblem('unauthenticated', 'The API key was revoked, or the session ended, during the request.');
}

/** A session is left open on a desk: what matters most asks for the key again. */
export function requireFresh({ clock }: ApiContext, { session }: ApiKey): void {
  if (!session || session.confirmedUntil > clock.now()) return;
  const { next } = problemKinds['sign-in-again'];
  throw new ApiProblem('sign-in-again', `The API key was confirmed more than five minutes ago. ${next}`);
}

export function requireSession({ session, name }: ApiKey): void {
  if (session) return;
  throw new ApiProblem('unauthenticated', `This request needs a console session, not the API key "${name}".`);
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
    throw invalid([{ pointer: '/account', message: `must be a configured account: ${accountNames.join(', ')}` }]);
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
  throw new ApiProblem('forbidden', `The API key "${key.name}" is not allowed to use the account "${account}".`, {
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
  throw new ApiProblem('recovering', `${RECOVERING}.`);
}

export function idempotencyKey(request: Request): string | undefined {
  const value = request.get('idempotency-key');
  if (value === undefined) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(value)) return value;
  throw invalid([{ pointer: '/Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }]);
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
    throw new ApiProblem(
      'too-many-requests',
      `The API key is limited to ${ratePerSecond} requests per second (API_RATE).`,
    );
  };
}
