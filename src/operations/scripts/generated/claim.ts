// Generated from ../claim.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface ClaimArgs {
  /** key */ readonly due: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly atMost: number;
  /** ms */ readonly pushMs: number;
}

export type ClaimAnswer = readonly string[];

const read: lua.Read<ClaimAnswer> = lua.list(lua.text);

export const claimScript = lua.defineScript('claim', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local due = KEYS[1]
local now = tonumber(ARGV[1])
local atMost = tonumber(ARGV[2])
local pushMs = tonumber(ARGV[3])
-- </generated>
local at = clock(now)
local ids = redis.call('ZRANGEBYSCORE', due, '-inf', at, 'LIMIT', 0, atMost)
for _, id in ipairs(ids) do redis.call('ZADD', due, at + pushMs, id) end
return ids
`);

/** Hands out ids whose time has come and pushes their due time on, so that no other process hands them out too. */
export async function claim(redis: lua.ScriptHost, args: ClaimArgs): Promise<ClaimAnswer> {
  const keys = [args.due];
  const words: lua.Word[] = [args.now ?? '', args.atMost, args.pushMs];
  return read(await lua.runScript(redis, claimScript, keys, words));
}
