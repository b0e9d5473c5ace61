// Generated from ../leave-recovery.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface LeaveRecoveryArgs {
  /** key */ readonly heartbeat: string;
  /** key */ readonly recovery: string;
  /** key */ readonly events: string;
  /** key */ readonly counts: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  /** the new one */ readonly epoch: string;
  readonly by: string;
  /** what is known to be the last one besides */ readonly lastEvent?: string | undefined;
}

export type LeaveRecoveryAnswer =
  | { readonly is: 'left' }
  | { readonly is: 'none' };

function read(value: unknown): LeaveRecoveryAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'left':
      return { is: 'left' };
    case 'none':
      return { is: 'none' };
  }
  return lua.unexpected(value);
}

export const leaveRecoveryScript = lua.defineScript('leave-recovery', `
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
local function place_parts(place)
  local ms, seq = string.match(place or '', '^(%d+)-(%d+)$')
  return tonumber(ms or '0'), tonumber(seq or '0')
end
local function is_after(one, other)
  local ms, seq = place_parts(one)
  local other_ms, other_seq = place_parts(other)
  return ms > other_ms or (ms == other_ms and seq > other_seq)
end
local function among(list, one)
  return string.find(',' .. (list or '') .. ',', ',' .. one .. ',', 1, true) ~= nil
end
local function fields_of(flat)
  local fields = {}
  for i = 1, #flat, 2 do fields[flat[i]] = flat[i + 1] end
  return fields
end
local function last_place(events)
  local info = redis.pcall('XINFO', 'STREAM', events)
  if info.err then return '0-0' end
  return fields_of(info)['last-generated-id']
end
local function cursor_ahead(k, last)
  local cursor = redis.call('HGET', k.dispatch, 'cursor')
  if cursor and is_after(cursor, last) then return cursor end
  local groups = redis.pcall('XINFO', 'GROUPS', k.events)
  if groups.err then return end
  for _, group in ipairs(groups) do
    local at = fields_of(group)['last-delivered-id']
    if is_after(at, last) then return at end
  end
end
local function read_heartbeat(heartbeat, name)
  local recovering, epoch, counter, before, at, deployment, mark, recovered = unpack(redis.call('HMGET', heartbeat,
    'recovering', 'epoch', 'counter', 'before', 'at', 'deployment', "process:" .. (name or ''), 'recovered'))
  return {mark = tonumber(mark or '0'), recovered = tonumber(recovered or '0'), recovering = recovering, epoch = epoch,
    counter = tonumber(counter or '0'), before = before or '', at = tonumber(at or '0'), deployment = deployment}
end
local function add_knowledge(recovery, known)
  local epochs, counter, event = unpack(redis.call('HMGET', recovery, 'epochs', 'knownCounter', 'lastEvent'))
  if known.epoch and not among(epochs, known.epoch) then
    redis.call('HSET', recovery, 'epochs', epochs and epochs .. ',' .. known.epoch or known.epoch)
  end
  if known.counter > tonumber(counter or '0') then
    redis.call('HSET', recovery, 'knownCounter', string.format('%.0f', known.counter))
  end
  if is_after(known.event, event or '0-0') then redis.call('HSET', recovery, 'lastEvent', known.event) end
end
local function is_lost(h, known)
  if not h.recovering and known.recovering > h.recovered then return true end
  if not known.epoch then return false end
  if h.epoch == known.epoch then return h.counter < known.counter or h.mark < known.mark end
  return not among(h.before, known.epoch)
end
local function tell(k, at, state, data, place)
  data.id, data.state = 'system', state
  emit(k.heartbeat, {stream = k.events, counts = k.counts, id = 'system', at = at, account = 'main',
    type = 'system.' .. state, data = cjson.encode(data), place = place})
end
local function enter(k, at, h, because, known)
  redis.call('HSET', k.heartbeat, 'recovering', because)
  if not h.deployment and known.deployment then redis.call('HSET', k.heartbeat, 'deployment', known.deployment) end
  redis.call('SET', k.schema, 1)
  if redis.call('EXISTS', k.recovery) == 0 then
    redis.call('HSET', k.recovery, 'since', at, 'because', because, 'epoch', h.epoch or '', 'counter',
      string.format('%.0f', h.counter), 'lastBeat', string.format('%.0f', h.at))
    add_knowledge(k.recovery, known)
    local place = '*'
    if is_after(known.event, last_place(k.events)) then
      place = string.format('%.0f-0', place_parts(known.event) + 60000)
    end
    tell(k, at, 'recovering', {because = because}, place)
  else
    redis.call('HSET', k.recovery, 'because', because)
    add_knowledge(k.recovery, known)
  end
  return {'recovering', redis.call('HGETALL', k.recovery)}
end
local function stay(k, at, h, proof, known)
  return enter(k, at, h, is_lost(h, known) and proof or h.recovering, known)
end
local function leave(k, h)
  local since = tonumber(redis.call('HGET', k.recovery, 'since') or '0')
  redis.call('HSET', k.heartbeat, 'recovered', string.format('%.0f', math.max(h.recovered, since)))
  redis.call('HDEL', k.heartbeat, 'recovering')
  redis.call('DEL', k.recovery)
end
local function behind_cursor(k, at, h, known)
  local ahead = cursor_ahead(k, last_place(k.events))
  if not ahead then return end
  if is_after(ahead, known.event) then known.event = ahead end
  return enter(k, at, h, 'event_cursor', known)
end
local function write_beat(k, at, h, name)
  local counter = h.counter + 1
  redis.call('HSET', k.heartbeat, 'at', at, 'counter', counter, "process:" .. (name or ''), counter)
  return {'beats', h.epoch, counter, at, last_place(k.events), h.deployment}
end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local heartbeat = KEYS[1]
local recovery = KEYS[2]
local events = KEYS[3]
local counts = KEYS[4]
local now = tonumber(ARGV[1])
local epoch = ARGV[2]
local by = ARGV[3]
local lastEvent = _given(ARGV[4])
-- </generated>
local k = {heartbeat = heartbeat, recovery = recovery, events = events, counts = counts}
local at, h = clock(now), read_heartbeat(heartbeat)
if not h.recovering then return {'none'} end
local epochs, known_counter, seen = unpack(redis.call('HMGET', recovery, 'epochs', 'knownCounter', 'lastEvent'))
local before = {}
for one in string.gmatch(h.before .. ',' .. (h.epoch or '') .. ',' .. (epochs or ''), '[^,]+') do
  if not among(table.concat(before, ','), one) then before[#before + 1] = one end
end
if lastEvent and (not seen or is_after(lastEvent, seen)) then seen = lastEvent end
local floor = seen and seen ~= '' and place_parts(seen) + 60000 or at + 86400000
local place = string.format('%.0f-0', floor)
if not is_after(place, last_place(events)) then place = '*' end
local counter = math.max(h.counter, tonumber(known_counter or '0')) + 1
redis.call('HSET', heartbeat, 'epoch', epoch, 'before', table.concat(before, ','), 'counter', string.format('%.0f', counter),
  'at', at)
redis.call('HSETNX', heartbeat, 'deployment', epoch)
leave(k, h)
tell(k, at, 'recovered', {because = h.recovering, by = by}, place)
return {'left'}
`);

/** Ends a recovery: a new epoch, in which events have greater ids than any follower can have seen. */
export async function leaveRecovery(redis: lua.ScriptHost, args: LeaveRecoveryArgs): Promise<LeaveRecoveryAnswer> {
  const keys = [args.heartbeat, args.recovery, args.events, args.counts];
  const words: lua.Word[] = [args.now ?? '', args.epoch, args.by, args.lastEvent ?? ''];
  return read(await lua.runScript(redis, leaveRecoveryScript, keys, words));
}
