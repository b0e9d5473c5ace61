// Generated from ../*.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface InvalidateTokenArgs {
  /** key */ readonly token: string;
  /** key */ readonly young: string;
  /** key */ readonly pause: string;
  /** key */ readonly forced: string;
  readonly generation: number;
  /** ms: one that is refused so soon was not refused for its age */ readonly youngMs: number;
  /** ms: when that happens again */ readonly pauseMs: number;
  /** ms */ readonly forcedEveryMs: number;
}

export type InvalidateTokenAnswer = { readonly waitMs: number; readonly contested: boolean };

const readInvalidateTokenAnswer: lua.Read<InvalidateTokenAnswer> = (value) => {
  const answer = lua.items(value);
  return { waitMs: lua.number(answer[0]), contested: lua.flag(answer[1]) };
};

export const invalidateTokenScript = lua.defineScript('invalidate-token', `
-- <generated>
local token = KEYS[1]
local young = KEYS[2]
local pause = KEYS[3]
local forced = KEYS[4]
local generation = tonumber(ARGV[1])
local youngMs = tonumber(ARGV[2])
local pauseMs = tonumber(ARGV[3])
local forcedEveryMs = tonumber(ARGV[4])
-- </generated>
local stored, usable = unpack(redis.call('HMGET', token, 'generation', 'usable'))
if tonumber(stored or '') ~= generation then return {0, 0} end
local age = tonumber(usable) - redis.call('PTTL', token)
if age < youngMs then
  if redis.call('SADD', young, generation) == 1 then redis.call('PEXPIRE', young, youngMs) end
  if redis.call('SCARD', young) >= 2 then
    redis.call('SET', pause, 'config token_refused_repeatedly', 'PX', pauseMs)
    redis.call('DEL', token, young)
    return {pauseMs, 1}
  end
end
if not redis.call('SET', forced, '1', 'NX', 'PX', forcedEveryMs) then return {redis.call('PTTL', forced), 0} end
redis.call('DEL', token)
return {0, 0}
`);

/** Deletes only the generation that was refused, so that a herd of refusals costs one login. Answers how long to wait,
 * because a forced renewal has just taken place; 0: renew now, or read the newer one. `contested`: young ones are
 * refused again and again. */
export async function invalidateToken(redis: lua.ScriptHost, args: InvalidateTokenArgs): Promise<InvalidateTokenAnswer> {
  const keys: string[] = [args.token, args.young, args.pause, args.forced];
  const words: lua.Word[] = [args.generation, args.youngMs, args.pauseMs, args.forcedEveryMs];
  return readInvalidateTokenAnswer(await lua.runScript(redis, invalidateTokenScript, keys, words));
}

export interface KeepLongerArgs {
  /** key */ readonly pause: string;
  /** ms */ readonly forMs: number;
}

export type KeepLongerAnswer = boolean;

const readKeepLongerAnswer: lua.Read<KeepLongerAnswer> = lua.flag;

export const keepLongerScript = lua.defineScript('keep-longer', `
-- <generated>
local pause = KEYS[1]
local forMs = tonumber(ARGV[1])
-- </generated>
if redis.call('PTTL', pause) < forMs then redis.call('SET', pause, '1', 'PX', forMs) end
return 1
`);

/** Writes down a pause; a shorter one never replaces a longer one. */
export async function keepLonger(redis: lua.ScriptHost, args: KeepLongerArgs): Promise<KeepLongerAnswer> {
  const keys: string[] = [args.pause];
  const words: lua.Word[] = [args.forMs];
  return readKeepLongerAnswer(await lua.runScript(redis, keepLongerScript, keys, words));
}

export interface LookUpTokenArgs {
  /** key */ readonly token: string;
  /** key */ readonly pause: string;
}

export type LookUpTokenAnswer = { readonly generation?: number | undefined; readonly sealed?: string | undefined; readonly remainingMs: number; readonly usableMs?: number | undefined; readonly why?: string | undefined; readonly pausedMs: number };

const readLookUpTokenAnswer: lua.Read<LookUpTokenAnswer> = (value) => {
  const answer = lua.items(value);
  return { generation: lua.optional(lua.number, answer[0]), sealed: lua.optional(lua.text, answer[1]), remainingMs: lua.number(answer[2]), usableMs: lua.optional(lua.number, answer[3]), why: lua.optional(lua.text, answer[4]), pausedMs: lua.number(answer[5]) };
};

export const lookUpTokenScript = lua.defineScript('look-up-token', `
-- <generated>
local token = KEYS[1]
local pause = KEYS[2]
-- </generated>
local generation, sealed, usable = unpack(redis.call('HMGET', token, 'generation', 'sealed', 'usable'))
return {generation, sealed, redis.call('PTTL', token), usable, redis.call('GET', pause), redis.call('PTTL', pause)}
`);

/** What is stored of a bearer, and why nothing logs in for a while. */
export async function lookUpToken(redis: lua.ScriptHost, args: LookUpTokenArgs): Promise<LookUpTokenAnswer> {
  const keys: string[] = [args.token, args.pause];
  const words: lua.Word[] = [];
  return readLookUpTokenAnswer(await lua.runScript(redis, lookUpTokenScript, keys, words));
}

export interface PauseLoginsArgs {
  /** key */ readonly pause: string;
  /** key */ readonly refusals: string;
  /** key */ readonly lock: string;
  readonly why: string;
  /** ms */ readonly firstMs: number;
  /** ms */ readonly mostMs: number;
  readonly owner: string;
}

export type PauseLoginsAnswer = number;

const readPauseLoginsAnswer: lua.Read<PauseLoginsAnswer> = lua.number;

export const pauseLoginsScript = lua.defineScript('pause-logins', `
-- <generated>
local pause = KEYS[1]
local refusals = KEYS[2]
local lock = KEYS[3]
local why = ARGV[1]
local firstMs = tonumber(ARGV[2])
local mostMs = tonumber(ARGV[3])
local owner = ARGV[4]
-- </generated>
local failures = redis.call('INCR', refusals)
redis.call('PEXPIRE', refusals, mostMs * 4)
local ms = math.floor(math.min(firstMs * 2 ^ math.min(failures - 1, 20), mostMs))
redis.call('SET', pause, why, 'PX', ms)
if redis.call('GET', lock) == owner then redis.call('DEL', lock) end
return ms
`);

/** Nothing logs in for a while: twice as long with every failure in a row. Lets go of the lock. Answers for how
 * long. */
export async function pauseLogins(redis: lua.ScriptHost, args: PauseLoginsArgs): Promise<PauseLoginsAnswer> {
  const keys: string[] = [args.pause, args.refusals, args.lock];
  const words: lua.Word[] = [args.why, args.firstMs, args.mostMs, args.owner];
  return readPauseLoginsAnswer(await lua.runScript(redis, pauseLoginsScript, keys, words));
}

export interface StoreTokenArgs {
  /** key */ readonly token: string;
  /** key */ readonly lock: string;
  /** key */ readonly generation: string;
  /** key */ readonly pause: string;
  /** key */ readonly refusals: string;
  readonly owner: string;
  readonly sealed: string;
  /** ms */ readonly usableMs: number;
  /** ms */ readonly generationKeptMs: number;
}

export type StoreTokenAnswer = number;

const readStoreTokenAnswer: lua.Read<StoreTokenAnswer> = lua.number;

export const storeTokenScript = lua.defineScript('store-token', `
-- <generated>
local token = KEYS[1]
local lock = KEYS[2]
local generation = KEYS[3]
local pause = KEYS[4]
local refusals = KEYS[5]
local owner = ARGV[1]
local sealed = ARGV[2]
local usableMs = tonumber(ARGV[3])
local generationKeptMs = tonumber(ARGV[4])
-- </generated>
if redis.call('GET', lock) ~= owner then return 0 end
local next = redis.call('INCR', generation)
redis.call('PEXPIRE', generation, generationKeptMs)
redis.call('HSET', token, 'generation', next, 'sealed', sealed, 'usable', usableMs)
redis.call('PEXPIRE', token, usableMs)
redis.call('DEL', lock, pause, refusals)
return next
`);

/** Stores a bearer. Only the holder of the lock may: a login that took too long must not replace a newer one.
 * Answers its generation, or 0 when the lock was lost. */
export async function storeToken(redis: lua.ScriptHost, args: StoreTokenArgs): Promise<StoreTokenAnswer> {
  const keys: string[] = [args.token, args.lock, args.generation, args.pause, args.refusals];
  const words: lua.Word[] = [args.owner, args.sealed, args.usableMs, args.generationKeptMs];
  return readStoreTokenAnswer(await lua.runScript(redis, storeTokenScript, keys, words));
}

export interface UnlockArgs {
  /** key */ readonly lock: string;
  readonly owner: string;
}

export type UnlockAnswer = boolean;

const readUnlockAnswer: lua.Read<UnlockAnswer> = lua.flag;

export const unlockScript = lua.defineScript('unlock', `
-- <generated>
local lock = KEYS[1]
local owner = ARGV[1]
-- </generated>
if redis.call('GET', lock) == owner then return redis.call('DEL', lock) end
return 0
`);

/** Lets go of a lock that is still the owner's. */
export async function unlock(redis: lua.ScriptHost, args: UnlockArgs): Promise<UnlockAnswer> {
  const keys: string[] = [args.lock];
  const words: lua.Word[] = [args.owner];
  return readUnlockAnswer(await lua.runScript(redis, unlockScript, keys, words));
}
