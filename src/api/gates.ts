/** What a route asks before its handler begins: of the key, of the accounts, and of the state that Redis is in. */
import type { Request, Response } from 'express';
import type { Redis } from 'ioredis';
import type { Clock } from '../lib/clock.ts';
import { keys } from '../operations/keys.ts';
import { RECOVERING } from '../operations/heartbeat.ts';
import { tokenBucket } from '../redis/scripts/generated/scripts.ts';
import type { ApiContext } from './context.ts';
import { type ApiKey, type Role, mayUseAccount, personOf } from './keys.ts';
import { ApiProblem, invalid, problemKinds } from './problem.ts';

export function requireRole(key: ApiKey, role: Role, or?: Role): void {
  if (key.roles.has(role) || (or && key.roles.has(or))) return;
  const wanted = or ? `"${role}" or "${or}"` : `"${role}"`;
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

/** What stops something, and not what begins it: in a recovery too. */
export function requireKeeping({ keepingRefusal }: ApiContext, response: Response): void {
  refuse(keepingRefusal(), response);
}

function refuse(why: ReturnType<ApiContext['refusal']>, response: Response): void {
  if (!why) return;
  response.set('Retry-After', '30');
  throw new ApiProblem(why.kind, why.detail);
}

/** What somebody released in a recovery would leave before anybody has looked. Asked of Redis: every moment counts. */
export async function requireNoRecovery({ refusal, recovery }: ApiContext, response: Response): Promise<void> {
  if (refusal()?.kind !== 'recovering' && !(await recovery.state())) return;
  response.set('Retry-After', '30');
  throw new ApiProblem('recovering', `${RECOVERING}.`);
}

export function idempotencyKey(request: Request): string | undefined {
  const value = request.get('idempotency-key');
  if (value === undefined) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(value)) return value;
  throw invalid([{ pointer: '/Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }]);
}

/**
 * Requests per key and second, all processes together. The bucket is in Redis; each process takes a few tokens at a
 * time and spends them here, so that a busy caller does not cost a synced write for each of its requests.
 *
 * How many at a time follows demand: one, then twice as many each time they were soon used up, at most a tenth of the
 * rate. What is not spent in a moment is forgotten: a key may get less than its rate by that, and never more.
 */

const MICROSECONDS = 1_000_000;
const SPEND_WITHIN_MS = 200;
/** The most that one process takes at a time, of one second's tokens. */
const MOST_AT_ONCE = 0.1;

interface Purse {
  tokens: number;
  /** On the monotonic clock; what is left then is forgotten. */
  goodUntilMono: number;
  /** The bucket was empty: nobody asks Redis before this. */
  emptyUntilMono: number;
  /** How many were taken the last time. */
  size: number;
  refilling: Promise<void> | undefined;
}

interface AllowanceOptions {
  readonly redis: Redis;
  readonly clock: Clock;
  /** More than 0. */
  readonly ratePerSecond: number;
}

/** Tokens of this process, for every name. */
export class Allowance {
  readonly #options: AllowanceOptions;
  readonly #most: number;
  readonly #purses = new Map<string, Purse>();

  constructor(options: AllowanceOptions) {
    this.#options = options;
    this.#most = Math.max(1, Math.floor(options.ratePerSecond * MOST_AT_ONCE));
  }

  /** 0: go on. Otherwise the ms until it is worth asking again. Rejects when Redis is away. */
  take(name: string): number | Promise<number> {
    const purse = this.#purseOf(name);
    return this.#takeHere(purse) ?? this.#takeElsewhere(name, purse);
  }

  /** Undefined: Redis has to be asked. */
  #takeHere(purse: Purse): number | undefined {
    const now = this.#options.clock.monotonic();
    if (purse.tokens > 0 && now < purse.goodUntilMono) {
      purse.tokens -= 1;
      return 0;
    }
    return now < purse.emptyUntilMono ? Math.ceil(purse.emptyUntilMono - now) : undefined;
  }

  async #takeElsewhere(name: string, purse: Purse): Promise<number> {
    for (;;) {
      purse.refilling ??= this.#refill(name, purse).finally(() => (purse.refilling = undefined));
      await purse.refilling;
      const answer = this.#takeHere(purse);
      if (answer !== undefined) return answer;
    }
  }

  /** There are as many names as there are keys, so nothing has to be forgotten. */
  #purseOf(name: string): Purse {
    const known = this.#purses.get(name);
    if (known) return known;
    const purse = { tokens: 0, goodUntilMono: 0, emptyUntilMono: 0, size: 1, refilling: undefined };
    this.#purses.set(name, purse);
    return purse;
  }

  async #refill(name: string, purse: Purse): Promise<void> {
    const { redis, clock, ratePerSecond } = this.#options;
    const spentSoon = purse.tokens === 0 && clock.monotonic() < purse.goodUntilMono;
    const size = spentSoon ? Math.min(purse.size * 2, this.#most) : 1;
    // One second's tokens may go at once, and nothing is reserved.
    const rate = { everyUs: MICROSECONDS / ratePerSecond, burst: ratePerSecond, longestUs: 0 };
    const { taken, waitMs } = await tokenBucket(redis, { buckets: [keys.requestRate(name)], ...rate, wanted: size });
    const now = clock.monotonic();
    purse.tokens = taken;
    purse.size = size;
    purse.goodUntilMono = now + SPEND_WITHIN_MS;
    purse.emptyUntilMono = taken > 0 ? 0 : now + waitMs;
  }
}

/** Throws or rejects with the refusal; a promise only when Redis has to be asked. */
type LimitRate = (key: ApiKey, response: Response) => void | Promise<void>;

/** One request is one token, however much it carries: bulk is slowed by its own back-pressure. */
export function limitRate(options: AllowanceOptions): LimitRate {
  const { ratePerSecond } = options;
  if (ratePerSecond === 0) return () => undefined;
  const allowance = new Allowance(options);
  const policy = `"key";q=${ratePerSecond};w=1`;
  const obey = (response: Response, waitMs: number): void => {
    response.set('RateLimit-Policy', policy);
    if (waitMs === 0) return;
    response.set('Retry-After', String(Math.ceil(waitMs / 1_000)));
    throw new ApiProblem(
      'too-many-requests',
      `The API key is limited to ${ratePerSecond} requests per second (API_RATE).`,
    );
  };
  return ({ name }, response) => {
    const waitMs = allowance.take(name);
    return typeof waitMs === 'number' ? obey(response, waitMs) : waitMs.then((ms) => obey(response, ms));
  };
}
