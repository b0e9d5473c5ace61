// Generated from ../invalidate-token.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
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

export type InvalidateTokenAnswer = number;

const read: lua.Read<InvalidateTokenAnswer> = lua.number;

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
if tonumber(stored or '') ~= generation then return 0 end
local age = tonumber(usable) - redis.call('PTTL', token)
if age < youngMs then
  local refused = redis.call('INCR', young)
  redis.call('PEXPIRE', young, youngMs)
  if refused >= 2 then
    redis.call('SET', pause, 'config token_refused_repeatedly', 'PX', pauseMs)
    redis.call('DEL', token, young)
    return pauseMs
  end
end
if not redis.call('SET', forced, '1', 'NX', 'PX', forcedEveryMs) then return redis.call('PTTL', forced) end
redis.call('DEL', token)
return 0
`);

/** Deletes only the generation that was refused, so that a herd of refusals costs one login. Answers 0: renew now or
 * read the newer one; above 0: ms to wait, because a forced renewal has just taken place. */
export async function invalidateToken(redis: lua.ScriptHost, args: InvalidateTokenArgs): Promise<InvalidateTokenAnswer> {
  const keys = [args.token, args.young, args.pause, args.forced];
  const words: lua.Word[] = [args.generation, args.youngMs, args.pauseMs, args.forcedEveryMs];
  return read(await lua.runScript(redis, invalidateTokenScript, keys, words));
}
