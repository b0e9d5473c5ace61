// Generated from ../hand-out-chunks.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface HandOutChunksArgs {
  /** key */ readonly campaign: string;
  /** key */ readonly dueChunks: string;
  /** key: of campaigns */ readonly due: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  /** how many were, as it was read */ readonly handedOut: number;
  /** ms */ readonly againInMs: number;
  /** how many recipients were over when that was judged; absent: as it stands */ readonly judgedOver?: number | undefined;
  readonly judgedFailed?: number | undefined;
  /** of these */ readonly judgedUnknown?: number | undefined;
  readonly canaryOver: boolean;
  readonly chunks: readonly string[];
}

export type HandOutChunksAnswer = boolean;

const read: lua.Read<HandOutChunksAnswer> = lua.flag;

export const handOutChunksScript = lua.defineScript('hand-out-chunks', `
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
-- <generated>
local campaign = KEYS[1]
local dueChunks = KEYS[2]
local due = KEYS[3]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local handedOut = tonumber(ARGV[3])
local againInMs = tonumber(ARGV[4])
local judgedOver = tonumber(ARGV[5])
local judgedFailed = tonumber(ARGV[6])
local judgedUnknown = tonumber(ARGV[7])
local canaryOver = ARGV[8] == '1'
local _arg, _key = 8, 3
local chunks = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do chunks[_i] = ARGV[_arg + _i] end
_arg = _arg + #chunks
-- </generated>
local at = clock(now)
local state, fed, version, out = unpack(redis.call('HMGET', campaign, 'state', 'fed', 'v', 'out'))
if state ~= 'running' or version ~= "1" then return 0 end
if whole(out, 0, 'out') < 0 or whole(fed, 0, 'fed') ~= handedOut then return 0 end
redis.call('HSET', campaign, 'canaryOver', canaryOver and 1 or 0)
if judgedOver then
  redis.call('HSET', campaign, 'judgedOver', judgedOver, 'judgedFailed', judgedFailed, 'judgedUnknown', judgedUnknown)
end
for _, chunk in ipairs(chunks) do redis.call('ZADD', dueChunks, at + 20000, chunk) end
if #chunks > 0 then
  redis.call('HINCRBY', campaign, 'fed', #chunks)
  redis.call('HINCRBY', campaign, 'out', #chunks)
end
redis.call('ZADD', due, at + againInMs, id)
return 1
`);

/** Hands out the next chunks of a running campaign, in the order of their uploads. A campaign that was read before
 * another process handed out hands out nothing. It stays due as long as it runs: what may stand in its way comes
 * with time, not with chunks. Answers whether they were handed out. */
export async function handOutChunks(redis: lua.ScriptHost, args: HandOutChunksArgs): Promise<HandOutChunksAnswer> {
  const keys = [args.campaign, args.dueChunks, args.due];
  const words: lua.Word[] = [args.now ?? '', args.id, args.handedOut, args.againInMs, args.judgedOver ?? '', args.judgedFailed ?? '', args.judgedUnknown ?? '', args.canaryOver ? 1 : 0, ...lua.counted(args.chunks)];
  return read(await lua.runScript(redis, handOutChunksScript, keys, words));
}
