/** The SMS token, shared by all processes through Redis. */
import type { Redis } from 'ioredis';
import { invalidateToken, lookUpToken, pauseLogins, storeToken, unlock } from '../scripts/generated/scripts.ts';
import {
  CONTESTED_MS,
  ENCODING_KEPT_MS,
  FORCED_RENEWAL_EVERY_MS,
  type TokenStore,
  type TokenStores,
  YOUNG_MS,
} from './token-store.ts';

const GENERATION_KEPT_MS = 30 * 86_400_000;

interface RedisTokensOptions {
  readonly redis: Redis;
  /** Pause after new tokens were refused. */
  readonly contestedMs?: number | undefined;
}

/** All keys of an account begin alike. */
export function redisTokenStores({ redis, contestedMs = CONTESTED_MS }: RedisTokensOptions): TokenStores {
  return (account, credentials) => {
    const at = (what: string): string => `sms:${account}:${credentials}:${what}`;
    const names = {
      token: at('token'),
      generation: at('generation'),
      lock: at('login'),
      pause: at('pause'),
      refusals: at('refusals'),
      young: at('young'),
      forced: at('forced'),
    };
    return tokenStore(redis, { ...names, encoding: at('encoding') }, contestedMs);
  };
}

type TokenKeys = Readonly<
  Record<'token' | 'generation' | 'lock' | 'pause' | 'refusals' | 'young' | 'forced' | 'encoding', string>
>;

function tokenStore(redis: Redis, keys: TokenKeys, contestedMs: number): TokenStore {
  return {
    async look() {
      const { token, pause } = keys;
      const { generation, sealed, remainingMs, usableMs, why, pausedMs } = await lookUpToken(redis, { token, pause });
      const [is = '', code = ''] = (why ?? '').split(' ');
      const stored = { generation: generation ?? 0, remainingMs, usableMs: usableMs ?? 0 };
      return {
        ...(sealed && remainingMs > 0 ? { token: { ...stored, sealed } } : {}),
        ...(why ? { pause: { is, code, remainingMs: Math.max(pausedMs, 0) } } : {}),
      };
    },
    async lock(owner, forMs) {
      return (await redis.set(keys.lock, owner, 'PX', forMs, 'NX')) === 'OK';
    },
    async unlock(owner) {
      await unlock(redis, { lock: keys.lock, owner });
    },
    store(owner, sealed, usableMs) {
      const { token, lock, generation, pause, refusals } = keys;
      const names = { token, lock, generation, pause, refusals };
      return storeToken(redis, { ...names, owner, sealed, usableMs, generationKeptMs: GENERATION_KEPT_MS });
    },
    invalidate(generation) {
      const { token, young, pause, forced } = keys;
      const spans = { youngMs: YOUNG_MS, pauseMs: contestedMs, forcedEveryMs: FORCED_RENEWAL_EVERY_MS };
      return invalidateToken(redis, { token, young, pause, forced, generation, ...spans });
    },
    pause(owner, { is, code }, firstMs, mostMs) {
      const { pause, refusals, lock } = keys;
      return pauseLogins(redis, { pause, refusals, lock, why: `${is} ${code}`, firstMs, mostMs, owner });
    },
    encoding() {
      return redis.get(keys.encoding);
    },
    async rememberEncoding(encoding) {
      await redis.set(keys.encoding, encoding, 'PX', ENCODING_KEPT_MS);
    },
  };
}
