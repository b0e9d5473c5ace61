import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { MessagingKeys } from '../account.ts';
import { luaScript } from '../lua.ts';
import type { LoginEncoding } from '../options.ts';

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

const look = luaScript(`
local token = redis.call('HMGET', KEYS[1], 'generation', 'sealed', 'usable')
return { token[1], token[2], redis.call('PTTL', KEYS[1]), token[3],
         redis.call('GET', KEYS[2]), redis.call('PTTL', KEYS[2]) }`);

// Only the holder of the lock may store: a login that took too long must not replace a newer bearer.
const store = luaScript(`
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
local generation = redis.call('INCR', KEYS[3])
redis.call('PEXPIRE', KEYS[3], ARGV[4])
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'generation', generation, 'sealed', ARGV[2], 'usable', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('DEL', KEYS[2], KEYS[4], KEYS[5])
return generation`);

// Deletes only the generation that was refused, so that a herd of refusals costs one login. 0: renew now or read the
// newer one; above 0: ms to wait, because a forced renewal has just taken place.
const invalidate = luaScript(`
if redis.call('HGET', KEYS[1], 'generation') ~= ARGV[1] then return 0 end
local age = tonumber(redis.call('HGET', KEYS[1], 'usable')) - redis.call('PTTL', KEYS[1])
if age < tonumber(ARGV[2]) then
  local refused = redis.call('INCR', KEYS[2])
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
  if refused >= 2 then
    redis.call('SET', KEYS[3], 'config token_refused_repeatedly', 'PX', ARGV[3])
    redis.call('DEL', KEYS[1], KEYS[2])
    return tonumber(ARGV[3])
  end
end
if not redis.call('SET', KEYS[4], '1', 'NX', 'PX', ARGV[4]) then return redis.call('PTTL', KEYS[4]) end
redis.call('DEL', KEYS[1])
return 0`);

const pauseAfterFailure = luaScript(`
local failures = redis.call('INCR', KEYS[2])
redis.call('PEXPIRE', KEYS[2], tonumber(ARGV[3]) * 4)
local ms = math.min(tonumber(ARGV[2]) * 2 ^ math.min(failures - 1, 20), tonumber(ARGV[3]))
redis.call('SET', KEYS[1], ARGV[1], 'PX', math.floor(ms))
if redis.call('GET', KEYS[3]) == ARGV[4] then redis.call('DEL', KEYS[3]) end
return math.floor(ms)`);

const unlock = luaScript(
  `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`,
);

/** The bearer of one account, shared by all processes. No clock is compared between machines: Redis expires it. */
export function tokenStore(redis: Redis, keys: TokenKeys) {
  return {
    async look(): Promise<{ readonly token?: StoredToken; readonly pause?: Pause }> {
      const [generation, sealed, remaining, usable, code, pause] = (await look(
        redis,
        [keys.token, keys.pause],
        [],
      )) as [...(string | null)[]];
      const [is = '', why = ''] = (code ?? '').split(' ');
      const token = { generation: Number(generation), remainingMs: Number(remaining), usableMs: Number(usable) };
      return {
        ...(sealed && token.remainingMs > 0 ? { token: { ...token, sealed } } : {}),
        ...(code ? { pause: { is, code: why, remainingMs: Math.max(Number(pause), 0) } } : {}),
      };
    },
    async lock(owner: string): Promise<boolean> {
      return (await redis.set(keys.lock, owner, 'PX', LOGIN_LOCK_MS, 'NX')) === 'OK';
    },
    async unlock(owner: string): Promise<void> {
      await unlock(redis, [keys.lock], [owner]);
    },
    /** The new generation, or 0 when the lock was lost and nothing was stored. */
    async store(owner: string, sealed: string, usableMs: number): Promise<number> {
      const names = [keys.token, keys.lock, keys.generation, keys.pause, keys.refusals];
      return Number(await store(redis, names, [owner, sealed, usableMs, GENERATION_KEPT_MS]));
    },
    /** How long to wait before logging in again, in ms; 0 = not at all. */
    async invalidate(generation: number): Promise<number> {
      const names = [keys.token, keys.young, keys.pause, keys.forced];
      const args = [generation, YOUNG_MS, PINGPONG_PAUSE_MS, FORCED_RENEWAL_EVERY_MS];
      return Number(await invalidate(redis, names, args));
    },
    /** Doubles with every failure in a row, up to `mostMs`; lets go of the lock. Returns the pause in ms. */
    async pause(
      owner: string,
      { is, code }: Pick<Pause, 'is' | 'code'>,
      firstMs: number,
      mostMs: number,
    ): Promise<number> {
      const names = [keys.pause, keys.refusals, keys.lock];
      return Number(await pauseAfterFailure(redis, names, [`${is} ${code}`, firstMs, mostMs, owner]));
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
