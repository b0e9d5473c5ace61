--- @include "emit"
--- @include "whole"
local function note(places, state, ...)
  local list = places[state] or {}
  for _, word in ipairs({...}) do list[#list + 1] = word end
  places[state] = list
end
-- A single message goes where its slice goes. One that cannot be read is left alone, and its neighbours go on: the
-- slice says what became of it. What history has of a lost time was told then, as the event `toldAs`. `keys` holds
-- counts (a sheet), outcomes, events, and how many events and revisions may have been lost; `places` gathers, by state,
-- what leaves it and what enters it, and what history takes.
local function follow(m, at, keys, places)
  local read = redis.pcall('HMGET', m.record, 'id', 'account', 'reference', 'state', 'v', 'rev', 'seq', 'createdAt')
  if read.err then return end
  local id, account, reference, state, version, rev, seq, created = unpack(read, 1, 8)
  local readable = version == VERSION and id and account and pcall(function() whole(rev, 0, 'rev'); whole(seq, 0, 'seq') end)
  if state ~= m.left or not readable then return end
  local set = {'state', m.entered, 'since', at, 'updatedAt', at, 'rev', tonumber(rev or '0') + 1 + keys.revisionsLost}
  local function put(field, text) set[#set + 1] = field; set[#set + 1] = text end
  if m.code then put('code', m.code) end
  if m.entered == 'sending' then put('sentAt', at) elseif m.sentAt then put('sentAt', m.sentAt) end
  if m.forgets then put('text', '') end
  if keys.eventsLost > 0 then put('seq', tonumber(seq or '0') + keys.eventsLost) end
  redis.call('HSET', m.record, unpack(set))
  if KEPT_MESSAGES[m.entered] then places.kept[#places.kept + 1] = id end
  if state ~= m.entered then
    tally(keys.counts, state, -1)
    tally(keys.counts, m.entered, 1)
    note(places.left, state, id)
    note(places.entered, m.entered, tonumber(created) or at, id)
    local is_outcome = m.entered == 'sent' or m.entered == 'failed' or m.entered == 'unknown' or m.entered == 'expired'
    if is_outcome then tally(keys.outcomes, m.entered, 1) end
  end
  if not m.eventType then return end
  local data = m.eventData
  if reference and not m.toldAs then data = string.sub(data, 1, -2) .. ',"reference":' .. cjson.encode(reference) .. '}' end
  emit(m.record, {stream = keys.events, counts = keys.counts, id = id, at = at, account = account, type = m.eventType,
    data = data, seq = m.toldAs})
end
