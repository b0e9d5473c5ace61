// Generated from ../count-failure.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface CountFailureArgs {
  /** key */ readonly account: string;
  /** key: names of held accounts */ readonly held: string;
  /** key */ readonly events: string;
  /** key */ readonly counts: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly name: string;
  readonly reason: string;
  /** JSON */ readonly data: string;
  /** of a row that makes a hold */ readonly length: number;
  /** ms */ readonly windowMs: number;
}

export type CountFailureAnswer = boolean;

const read: lua.Read<CountFailureAnswer> = lua.flag;

export const countFailureScript = lua.defineScript('count-failure', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function tally(key, field, delta)
  redis.pcall('HINCRBY', key, field, delta)
end
local function emit(record, e)
  local seq = redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, "event:" .. e.type, 1)
  redis.call('XADD', e.stream, e.place or '*', 'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type,
    'data', e.data)
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
local function announce(h, at, type)
  emit(h.account, {stream = h.events, counts = h.counts, id = h.name, at = at, account = h.name, type = type,
    data = h.data})
end
local function hold(at, h)
  whole(redis.call('HGET', h.account, 'seq'), 0, 'seq')
  if redis.call('HSETNX', h.account, 'held:' .. h.reason, at) == 0 then return 0 end
  redis.call('HSET', h.account, 'probe:' .. h.reason, at)
  redis.call('SADD', h.held, h.name)
  announce(h, at, 'account.held')
  return 1
end
-- <generated>
local account = KEYS[1]
local held = KEYS[2]
local events = KEYS[3]
local counts = KEYS[4]
local now = tonumber(ARGV[1])
local name = ARGV[2]
local reason = ARGV[3]
local data = ARGV[4]
local length = tonumber(ARGV[5])
local windowMs = tonumber(ARGV[6])
-- </generated>
local at = clock(now)
local row, last = 'row:' .. reason, 'rowAt:' .. reason
local r = redis.call('HMGET', account, row, last, 'seq')
for i = 1, 3 do whole(r[i], 0, 'a count') end
if at - tonumber(r[2] or '0') > windowMs then redis.call('HDEL', account, row) end
redis.call('HSET', account, last, at)
if redis.call('HINCRBY', account, row, 1) < length then return 0 end
redis.call('HDEL', account, row, last)
return hold(at, {account = account, held = held, events = events, counts = counts, name = name, reason = reason,
  data = data})
`);

/** One more of the failures that count only when they come in a row: the last of them holds the account. What lies
 * longer ago than the window began another row. Answers whether this one held the account. */
export async function countFailure(redis: lua.ScriptHost, args: CountFailureArgs): Promise<CountFailureAnswer> {
  const keys = [args.account, args.held, args.events, args.counts];
  const words: lua.Word[] = [args.now ?? '', args.name, args.reason, args.data, args.length, args.windowMs];
  return read(await lua.runScript(redis, countFailureScript, keys, words));
}
