// Generated from ../purge-chunk.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface PurgeChunkArgs {
  /** key */ readonly chunk: string;
  /** key */ readonly campaign?: string | undefined;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly state: string;
  readonly items: string;
  /** as they were read */ readonly outcome: string;
  readonly newItems: string;
  /** as they become */ readonly newOutcome: string;
  /** how many were */ readonly waiting: number;
}

export type PurgeChunkAnswer = boolean;

const read: lua.Read<PurgeChunkAnswer> = lua.flag;

export const purgeChunkScript = lua.defineScript('purge-chunk', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function refuse(what)
  error("UNREADABLE" .. ' ' .. what, 0)
end
local function whole(value, absent, what)
  if not value then
    if absent then return absent end
    refuse(what)
  end
  if #value > 16 or not string.find(value, '^%-?%d+$') then refuse(what) end
  return tonumber(value)
end
local function same_version(v)
  if v ~= "1" then refuse('version') end
end
-- <generated>
local chunk = KEYS[1]
local now = tonumber(ARGV[1])
local state = ARGV[2]
local items = ARGV[3]
local outcome = ARGV[4]
local newItems = ARGV[5]
local newOutcome = ARGV[6]
local waiting = tonumber(ARGV[7])
local _arg, _key = 7, 1
local campaign
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; campaign = KEYS[_key] end
-- </generated>
local stood, stored, became, ends, version, rev = unpack(redis.call('HMGET', chunk, 'state', 'items', 'outcome', 'until',
  'v', 'rev'))
if stood ~= state or stored ~= items or (became or '') ~= outcome then return 0 end
if version ~= "1" or (ends and whole(ends, 0, 'until') > clock(now)) then return 0 end
whole(rev, 0, 'rev')
if waiting > 0 then
  local of, queued, skipped = unpack(redis.call('HMGET', campaign, 'v', 't:queued', 't:skipped'))
  same_version(of)
  whole(queued, 0, 't:queued')
  whole(skipped, 0, 't:skipped')
end
redis.call('HSET', chunk, 'items', newItems)
if newOutcome ~= outcome then redis.call('HSET', chunk, 'outcome', newOutcome) end
redis.call('HDEL', chunk, 'lease', 'until')
redis.call('HINCRBY', chunk, 'rev', 1)
if waiting > 0 then
  redis.call('HINCRBY', campaign, 't:queued', -waiting)
  redis.call('HINCRBY', campaign, 't:skipped', waiting)
end
return 1
`);

/** Replaces the recipients of a chunk that nobody works on, as it was read. Those who were waiting are left out from now
 * on, and counted so. Answers whether it was done. */
export async function purgeChunk(redis: lua.ScriptHost, args: PurgeChunkArgs): Promise<PurgeChunkAnswer> {
  const keys = [args.chunk, ...(args.campaign === undefined ? [] : [args.campaign])];
  const words: lua.Word[] = [args.now ?? '', args.state, args.items, args.outcome, args.newItems, args.newOutcome, args.waiting, args.campaign === undefined ? 0 : 1];
  return read(await lua.runScript(redis, purgeChunkScript, keys, words));
}
