// Generated from ../release-account.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface ReleaseAccountArgs {
  /** key */ readonly account: string;
  /** key: names of held accounts */ readonly held: string;
  /** key */ readonly events: string;
  /** key */ readonly counts: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly name: string;
  readonly reason: string;
  /** JSON */ readonly data: string;
}

export type ReleaseAccountAnswer = boolean;

const read: lua.Read<ReleaseAccountAnswer> = lua.flag;

export const releaseAccountScript = lua.defineScript('release-account', `
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
-- </generated>
local at = clock(now)
whole(redis.call('HGET', account, 'seq'), 0, 'seq')
if redis.call('HDEL', account, 'held:' .. reason) == 0 then return 0 end
redis.call('HDEL', account, 'probe:' .. reason)
local still = 0
for _, field in ipairs(redis.call('HKEYS', account)) do
  if string.sub(field, 1, 5) == 'held:' then still = still + 1 end
end
if still == 0 then redis.call('SREM', held, name) end
announce({account = account, events = events, counts = counts, name = name, data = data}, at, 'account.released')
return 1
`);

/** Ends a hold; the account leaves the list of held ones with its last reason. Answers whether this call changed
 * something. */
export async function releaseAccount(redis: lua.ScriptHost, args: ReleaseAccountArgs): Promise<ReleaseAccountAnswer> {
  const keys = [args.account, args.held, args.events, args.counts];
  const words: lua.Word[] = [args.now ?? '', args.name, args.reason, args.data];
  return read(await lua.runScript(redis, releaseAccountScript, keys, words));
}
