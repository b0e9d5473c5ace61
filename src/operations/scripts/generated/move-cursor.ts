// Generated from ../move-cursor.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface MoveCursorArgs {
  /** key */ readonly campaign: string;
  /** key: of campaigns */ readonly due: string;
  /** key */ readonly events: string;
  /** key: of campaigns */ readonly counts: string;
  /** key: the set of that state */ readonly running: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  /** which one */ readonly retry: number;
  /** the place it was read at */ readonly before: number;
  /** the place it becomes */ readonly after: number;
  /** ms */ readonly againInMs: number;
}

export type MoveCursorAnswer = boolean;

const read: lua.Read<MoveCursorAnswer> = lua.flag;

export const moveCursorScript = lua.defineScript('move-cursor', `
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
local function move(m)
  local from, to, xof = m.from, m.to, m.xof
  if from == to then return end
  if from then
    tally(m.counts, from, -1)
    if xof then tally(m.counts, 'xof:' .. from, -xof) end
    redis.call('ZREM', m.left, m.id)
  end
  tally(m.counts, to, 1)
  if xof then tally(m.counts, 'xof:' .. to, xof) end
  if m.entered then redis.call('ZADD', m.entered, m.at, m.id) end
end
local function finish_if_over(at, keys)
  local campaign = keys.campaign
  local state, settled, slices, id, account, reference, name, cursor, retries = unpack(redis.call('HMGET', campaign,
    'state', 'settled', 'chunks', 'id', 'account', 'reference', 'name', 'walk', 'retries'))
  local left = keys.sets[state]
  if not left or tonumber(settled or '0') < tonumber(slices) or cursor then return end
  redis.call('HSET', campaign, 'state', 'finished', 'since', at, 'updatedAt', at)
  redis.call('HINCRBY', campaign, 'rev', 1)
  move({counts = keys.counts, id = id, at = at, from = state, to = 'finished', left = left})
  redis.call('ZREM', keys.due, id)
  local totals = {}
  for _, bin in ipairs(({"total", "queued", "held", "sending", "sent", "failed", "unknown", "skipped", "expired", "cancelled"})) do totals[bin] = tonumber(redis.call('HGET', campaign, 't:' .. bin) or '0') end
  local data = {id = id, state = 'finished', name = name, totals = totals}
  if reference then data.reference = reference end
  if retries then data.retries = tonumber(retries) end
  emit(campaign, {stream = keys.events, counts = keys.counts, id = id, at = at, account = account,
    type = 'campaign.finished', data = cjson.encode(data)})
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
local campaign = KEYS[1]
local due = KEYS[2]
local events = KEYS[3]
local counts = KEYS[4]
local running = KEYS[5]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local retry = tonumber(ARGV[3])
local before = tonumber(ARGV[4])
local after = tonumber(ARGV[5])
local againInMs = tonumber(ARGV[6])
-- </generated>
local at = clock(now)
local r = redis.call('HMGET', campaign, 'state', 'retries', 'walk', 'chunks', 'v', 'account', 'id', 'settled', 'rev', 'seq')
if r[1] ~= 'running' or tonumber(r[2] or '') ~= retry or tonumber(r[3] or '') ~= before then return 0 end
same_version(r[5])
if not (r[4] and r[6] and r[7]) then refuse('chunks, account or id') end
for _, i in ipairs({4, 8, 9, 10}) do whole(r[i], 0, 'a count') end
redis.call('ZADD', due, at + againInMs, id)
if after < tonumber(r[4]) then
  redis.call('HSET', campaign, 'walk', after)
else
  redis.call('HDEL', campaign, 'walk', 'walkUnknown')
  finish_if_over(at, {campaign = campaign, events = events, counts = counts, due = due, sets = {running = running}})
end
return 1
`);

/** Notes how far the chunks of a campaign have been looked through. After the last one it is over as soon as they are. */
export async function moveCursor(redis: lua.ScriptHost, args: MoveCursorArgs): Promise<MoveCursorAnswer> {
  const keys = [args.campaign, args.due, args.events, args.counts, args.running];
  const words: lua.Word[] = [args.now ?? '', args.id, args.retry, args.before, args.after, args.againInMs];
  return read(await lua.runScript(redis, moveCursorScript, keys, words));
}
