// Generated from ../store-token.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

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

const read: lua.Read<StoreTokenAnswer> = lua.number;

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
redis.call('DEL', token)
redis.call('HSET', token, 'generation', next, 'sealed', sealed, 'usable', usableMs)
redis.call('PEXPIRE', token, usableMs)
redis.call('DEL', lock, pause, refusals)
return next
`);

/** Stores a bearer. Only the holder of the lock may: a login that took too long must not replace a newer one.
 * Answers its generation, or 0 when the lock was lost. */
export async function storeToken(redis: lua.ScriptHost, args: StoreTokenArgs): Promise<StoreTokenAnswer> {
  const keys = [args.token, args.lock, args.generation, args.pause, args.refusals];
  const words: lua.Word[] = [args.owner, args.sealed, args.usableMs, args.generationKeptMs];
  return read(await lua.runScript(redis, storeTokenScript, keys, words));
}
