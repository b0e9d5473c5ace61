import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { MessagingKeys, LoginEncoding } from '../account.ts';
import { invalidateToken, lookUpToken, pauseLogins, storeToken, unlock } from '../scripts/generated/scripts.ts';

/** How long one process may take to log in before another may try. */
const LOGIN_LOCK_MS = 15_000;
/** A bearer refused this soon was not refused for its age. */
const YOUNG_MS = 60_000;
const FORCED_RENEWAL_EVERY_MS = 10_000;
const PINGPONG_PAUSE_MS = 60_000;
const ENCODING_KEPT_MS = 30 * 86_400_000;
const GENERATION_KEPT_MS = 30 * 86_400_000;

/** The keys of one account. All begin alike, and a change of credentials starts afresh. */
export interface TokenKeys {
  readonly token: string;
  readonly generation: string;
  readonly lock: string;
  readonly pause: string;
  readonly refusals: string;
  readonly young: string;
  readonly forced: string;
  readonly encoding: string;
}

export interface StoredToken {
  readonly generation: number;
  readonly sealed: string;
  readonly remainingMs: number;
  /** How long it was good for when it was stored. */
  readonly usableMs: number;
}

/** Why nobody logs in for a while: what the process that was refused made of it. */
export interface Pause {
  readonly is: string;
  readonly code: string;
  readonly remainingMs: number;
}

export function tokenKeys(account: string, keys: MessagingKeys): TokenKeys {
  const credentials = createHash('sha256')
    .update(`${keys.userKey.reveal()}\n${keys.secretKey.reveal()}`)
    .digest('hex')
    .slice(0, 12);
  const at = (what: string): string => `sms:${account}:${credentials}:${what}`;
  return {
    token: at('token'),
    generation: at('generation'),
    lock: at('login'),
    pause: at('pause'),
    refusals: at('refusals'),
    young: at('young'),
    forced: at('forced'),
    encoding: at('encoding'),
  };
}

/** The bearer of one account, shared by all processes. No clock is compared between machines: Redis expires it. */
export function tokenStore(redis: Redis, keys: TokenKeys) {
  return {
    async look(): Promise<{ readonly token?: StoredToken; readonly pause?: Pause }> {
      const { token, pause } = keys;
      const { generation, sealed, remainingMs, usableMs, why, pausedMs } = await lookUpToken(redis, { token, pause });
      const [is = '', code = ''] = (why ?? '').split(' ');
      const stored = { generation: generation ?? 0, remainingMs, usableMs: usableMs ?? 0 };
      return {
        ...(sealed && remainingMs > 0 ? { token: { ...stored, sealed } } : {}),
        ...(why ? { pause: { is, code, remainingMs: Math.max(pausedMs, 0) } } : {}),
      };
    },
    async lock(owner: string): Promise<boolean> {
      return (await redis.set(keys.lock, owner, 'PX', LOGIN_LOCK_MS, 'NX')) === 'OK';
    },
    async unlock(owner: string): Promise<void> {
      await unlock(redis, { lock: keys.lock, owner });
    },
    /** The new generation, or 0 when the lock was lost and nothing was stored. */
    async store(owner: string, sealed: string, usableMs: number): Promise<number> {
      const { token, lock, generation, pause, refusals } = keys;
      const names = { token, lock, generation, pause, refusals };
      return storeToken(redis, { ...names, owner, sealed, usableMs, generationKeptMs: GENERATION_KEPT_MS });
    },
    /** How long to wait before logging in again, in ms; 0 = not at all. */
    async invalidate(generation: number): Promise<number> {
      const { token, young, pause, forced } = keys;
      const spans = { youngMs: YOUNG_MS, pauseMs: PINGPONG_PAUSE_MS, forcedEveryMs: FORCED_RENEWAL_EVERY_MS };
      return invalidateToken(redis, { token, young, pause, forced, generation, ...spans });
    },
    /** Doubles with every failure in a row, up to `mostMs`; lets go of the lock. Returns the pause in ms. */
    async pause(
      owner: string,
      { is, code }: Pick<Pause, 'is' | 'code'>,
      firstMs: number,
      mostMs: number,
    ): Promise<number> {
      const { pause, refusals, lock } = keys;
      return pauseLogins(redis, { pause, refusals, lock, why: `${is} ${code}`, firstMs, mostMs, owner });
    },
    async encoding(): Promise<string | null> {
      return redis.get(keys.encoding);
    },
    async rememberEncoding(encoding: LoginEncoding): Promise<void> {
      await redis.set(keys.encoding, encoding, 'PX', ENCODING_KEPT_MS);
    },
  };
}

export type TokenStore = ReturnType<typeof tokenStore>;
