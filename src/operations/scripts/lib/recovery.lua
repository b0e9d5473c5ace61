--- @include "emit"
--- @include "place"
-- What the beats and the end of a recovery share. `k` holds their keys: heartbeat, recovery, schema, events,
-- dispatch, counts. `h` is the heartbeat as it was found, `known` what a process or the witness remembers: epoch,
-- counter, mark, event, deployment, recovering (when the recovery began that it knows of); of a witness also told and
-- witnessed: the counter at the last beat that it knows of, and when that was.
local function among(list, one)
  return string.find(',' .. (list or '') .. ',', ',' .. one .. ',', 1, true) ~= nil
end
local function fields_of(flat)
  local fields = {}
  for i = 1, #flat, 2 do fields[flat[i]] = flat[i + 1] end
  return fields
end
-- The last id that the stream has given, kept or not.
local function last_place(events)
  local info = redis.pcall('XINFO', 'STREAM', events)
  if info.err then return '0-0' end
  return fields_of(info)['last-generated-id']
end
-- A cursor of ours that the stream has not come to: what it was given has been lost.
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
  local recovering, epoch, counter, before, at, deployment, mark, recovered, found = unpack(redis.call('HMGET', heartbeat,
    'recovering', 'epoch', 'counter', 'before', 'at', 'deployment', MARK .. (name or ''), 'recovered', 'found'))
  return {mark = tonumber(mark or '0'), recovered = tonumber(recovered or '0'), recovering = recovering, epoch = epoch,
    counter = tonumber(counter or '0'), before = before or '', at = tonumber(at or '0'), deployment = deployment,
    found = found or ''}
end
-- Where the first to begin could not tell that nothing was missing, what it found is what a witness from before it is
-- compared with, and not what has been made of it since. After a week it is old news.
local function as_found(h, known, now)
  if h.epoch ~= known.epoch then return end
  for since, counter, at in string.gmatch(h.found, '(%d+):(%d+):(%d+)') do
    local ago = now - tonumber(since)
    -- Before a clock that was ahead has come there again, a word from after it looks like one from before.
    if known.witnessed < tonumber(since) and ago >= 0 and ago < FOUND_FOR_MS then
      if known.told <= tonumber(counter) then return end
      h.counter, h.at, h.hidden = tonumber(counter), tonumber(at), true
      return
    end
  end
end
-- What a process knows of the time before it may be all that anybody knows.
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
-- An epoch that neither this Redis nor its recovery has heard of: a recovery has ended since this copy was made.
local function of_later_epoch(k, h, known)
  if not known.epoch or known.epoch == h.epoch or among(h.before, known.epoch) then return false end
  return not among(redis.call('HGET', k.recovery, 'epochs'), known.epoch)
end
-- Something is remembered that this Redis has not: how far it had come, or a recovery of which it knows no end.
local function is_lost(h, known)
  if not h.recovering and known.recovering > h.recovered then return true end
  if not known.epoch then return false end
  if h.epoch == known.epoch then return h.counter < known.counter or h.mark < known.mark end
  return not among(h.before, known.epoch)
end
local function forget_found(heartbeat) redis.call('HDEL', heartbeat, 'found', ON_NOTHING_FIELD) end
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
    -- What was told of ourselves in the lost time had the numbers that come next here.
    redis.call('HINCRBY', k.heartbeat, 'seq', math.max(0, math.ceil((at - NUMBERS_FROM) / 1000)))
    -- What follows the events stands behind what was lost, and must hear of it all the same.
    local place = '*'
    if is_after(known.event, last_place(k.events)) then
      place = string.format('%.0f-0', place_parts(known.event) + FLOOR_KNOWN_MS)
    end
    tell(k, at, 'recovering', {because = because}, place)
  else
    local last = tonumber(redis.call('HGET', k.recovery, 'lastBeat') or '0')
    -- What was walked through belongs to the time that was lost then; this one is another, and goes on until now.
    if of_later_epoch(k, h, known) or (h.hidden and h.at < last) then redis.call('HSET', k.recovery, 'since', at) end
    if h.hidden then
      redis.call('HSET', k.recovery, 'counter', string.format('%.0f', h.counter), 'lastBeat', string.format('%.0f', math.min(h.at, last)))
    end
    redis.call('HSET', k.recovery, 'because', because)
    add_knowledge(k.recovery, known)
  end
  return {'recovering', redis.call('HGETALL', k.recovery)}
end
-- A proof that something was lost is worth more than a mere silence.
local function stay(k, at, h, proof, known)
  return enter(k, at, h, is_lost(h, known) and proof or h.recovering, known)
end
-- What knows of it, and finds no recovery, is told by this that it has ended; a copy from before it does not say
-- so.
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
  redis.call('HSET', k.heartbeat, 'at', at, 'counter', counter, MARK .. (name or ''), counter)
  return {'beats', h.epoch, counter, at, last_place(k.events), h.deployment}
end
