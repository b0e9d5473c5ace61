// Generated from ../probe-account.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface ProbeAccountArgs {
  /** key */ readonly account: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  /** ms */ readonly everyMs: number;
  readonly reason: string;
}

export type ProbeAccountAnswer = boolean;

const read: lua.Read<ProbeAccountAnswer> = lua.flag;

export const probeAccountScript = lua.defineScript('probe-account', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local account = KEYS[1]
local now = tonumber(ARGV[1])
local everyMs = tonumber(ARGV[2])
local reason = ARGV[3]
-- </generated>
local at = clock(now)
local held, probed = unpack(redis.call('HMGET', account, 'held:' .. reason, 'probe:' .. reason))
if not held then return 1 end
if at - tonumber(probed or '0') < everyMs then return 0 end
redis.call('HSET', account, 'probe:' .. reason, at)
return 1
`);

/** While a condition lasts, one operation per interval is let through to see whether it has cleared. Answers whether
 * this is the one. */
export async function probeAccount(redis: lua.ScriptHost, args: ProbeAccountArgs): Promise<ProbeAccountAnswer> {
  const keys = [args.account];
  const words: lua.Word[] = [args.now ?? '', args.everyMs, args.reason];
  return read(await lua.runScript(redis, probeAccountScript, keys, words));
}
