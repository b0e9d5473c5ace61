// Generated from ../restore-campaign.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface RestoreCampaignArgs {
  /** key */ readonly campaign: string;
  /** key */ readonly events: string;
  /** key: of campaigns */ readonly counts: string;
  /** key: of campaigns */ readonly due: string;
  /** key */ readonly parked: string;
  /** key: the set of that state */ readonly held: string;
  /** key */ readonly heartbeat: string;
  /** key: the sets of the states of `from` */ readonly left: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  /** the states that it may be left from */ readonly from: readonly string[];
  /** why it is held */ readonly reason: string;
  /** since */ readonly mayHaveBeenSent: boolean;
  /** so many may have been told since, at the most */ readonly eventsLost: number;
}

export type RestoreCampaignAnswer = boolean;

const read: lua.Read<RestoreCampaignAnswer> = lua.flag;

export const restoreCampaignScript = lua.defineScript('restore-campaign', `
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
-- <generated>
local campaign = KEYS[1]
local events = KEYS[2]
local counts = KEYS[3]
local due = KEYS[4]
local parked = KEYS[5]
local held = KEYS[6]
local heartbeat = KEYS[7]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local reason = ARGV[3]
local mayHaveBeenSent = ARGV[4] == '1'
local eventsLost = tonumber(ARGV[5])
local _arg, _key = 5, 7
local left = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; left[_i] = KEYS[_key] end
local from = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do from[_i] = ARGV[_arg + _i] end
_arg = _arg + #from
-- </generated>
if redis.call('HEXISTS', heartbeat, 'recovering') == 0 then return 0 end
local at = clock(now)
local state, account, reference, name, held_for, all, fed, cursor = unpack(redis.call('HMGET', campaign, 'state', 'account',
  'reference', 'name', 'reason', 'chunks', 'fed', 'walk'))
local set
for i, one in ipairs(from) do if one == state then set = left[i] end end
if not set then return 0 end
local chunks, handed_out = tonumber(all or '0'), tonumber(fed or '0')
local is_held = state == 'held' and held_for == reason
if is_held and (not mayHaveBeenSent or (handed_out >= chunks and not cursor)) then return 0 end
redis.call('ZREM', due, id)
redis.call('DEL', parked)
redis.call('HSET', campaign, 'state', 'held', 'reason', reason, 'updatedAt', at)
if state ~= 'held' then redis.call('HSET', campaign, 'since', at) end
redis.call('HINCRBY', campaign, 'rev', 1)
move({counts = counts, id = id, at = at, from = state, to = 'held', left = set, entered = held})
if not is_held then
  redis.call('HINCRBY', campaign, 'seq', eventsLost)
  local data = {id = id, state = 'held', name = name, reason = reason}
  if reference then data.reference = reference end
  emit(campaign, {stream = events, counts = counts, id = id, at = at, account = account, type = 'campaign.held',
    data = cjson.encode(data)})
end
if mayHaveBeenSent then
  redis.call('HDEL', campaign, 'walk', 'walkUnknown')
  redis.call('HSET', campaign, 'fed', chunks)
  redis.call('HINCRBY', campaign, 'out', math.max(0, chunks - handed_out))
  local keys = {campaign = campaign, events = events, counts = counts, due = due, sets = {held = held}}
  if chunks > 0 then finish_if_over(at, keys) end
end
return 1
`);

/** Holds a campaign that stood in a copy of Redis that was put back. Where it may have been sent since, every chunk
 * of it counts as handed out from here on, a retry that was under way is over, and nothing is left to be released.
 * Answers whether it was held by this: not where there was nothing to do, or no recovery is under way. */
export async function restoreCampaign(redis: lua.ScriptHost, args: RestoreCampaignArgs): Promise<RestoreCampaignAnswer> {
  const keys = [args.campaign, args.events, args.counts, args.due, args.parked, args.held, args.heartbeat, ...args.left];
  const words: lua.Word[] = [args.now ?? '', args.id, args.reason, args.mayHaveBeenSent ? 1 : 0, args.eventsLost, args.left.length, ...lua.counted(args.from)];
  return read(await lua.runScript(redis, restoreCampaignScript, keys, words));
}
