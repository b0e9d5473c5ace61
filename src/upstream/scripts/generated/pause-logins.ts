// Generated from ../pause-logins.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

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

const read: lua.Read<PauseLoginsAnswer> = lua.number;

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
  const keys = [args.pause, args.refusals, args.lock];
  const words: lua.Word[] = [args.why, args.firstMs, args.mostMs, args.owner];
  return read(await lua.runScript(redis, pauseLoginsScript, keys, words));
}
