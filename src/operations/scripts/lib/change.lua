--- @include "emit"
--- @include "evidence"
--- @include "fly"
--- @include "history"
--- @include "move"
--- @include "stand"
--- @include "version"
-- The only way in which the state of a record changes: compare, then set the state, its evidence, the next due time
-- and the event that announces it, in one step. A script that was sent again after a lost reply finds its own
-- operation id in the record and answers `mine`.
-- @struct Change
--   @arg id text
--   @arg lease text?  nobody's: a person's doing
--   @arg op text  how the record knows this very change again
--   @arg from state
--   @arg to state
--   @arg dueInMs ms?  when to look next; absent: nothing is due
--   @arg keepLeaseMs ms?  absent: let go
--   @arg eventType text?
--   @arg eventData json?
--   @arg toldAs int?  the number of the event, where it was told before; the record goes on from its own
--   @arg trace text?  to which the event belongs
--   @arg xof xof?
--   @arg stood unsent|doubt?  as what it counted in the state that it leaves
--   @arg stands unsent|doubt?  as what it counts in the one that it enters
--   @arg evidence text?
--   @arg member text  how it stands in a list
--   @arg nudgeAfterMs ms  a nudge that came during the attempt makes the next look due after so long
--   @arg kept flag  history takes it, as it is then

local function read_record(record)
  local flat, by = redis.call('HGETALL', record), {}
  for i = 1, #flat, 2 do by[flat[i]] = flat[i + 1] end
  return by
end

-- A name that begins with @ is a time: its value is ms from now. The value '' removes the field.
local function sort_fields(at, fields, set, drop)
  for i = 1, #fields, 2 do
    local name, value = fields[i], fields[i + 1]
    if string.sub(name, 1, 1) == '@' then name = string.sub(name, 2); value = at + tonumber(value) end
    if value == '' then drop[#drop + 1] = name else set[#set + 1] = name; set[#set + 1] = value end
  end
end

local function given(fields, name)
  for i = 1, #fields, 2 do
    if fields[i] == name then return fields[i + 1] end
  end
end

-- What of it is not there need not be taken away.
local function write_fields(record, r, set, drop)
  local gone = {}
  for _, name in ipairs(drop) do
    if r[name] then gone[#gone + 1] = name end
  end
  if #gone > 0 then redis.call('HDEL', record, unpack(gone)) end
  redis.call('HSET', record, unpack(set))
end

-- `keys` holds record, events, counts, left and entered (state sets; entered nil: it is over), listedLeft and
-- listedEntered (where lists find it; nil: they find all of its kind in one place), dueLeft and dueEntered, history.
-- `stop` is asked once the record is found to be as expected, and before anything is written: what it answers is
-- answered. Of what it has changed it says in `keys` when it was created, and what nudged it meanwhile.
local function change_record(at, keys, c, fields, stop)
  local record, from, to = keys.record, c.from, c.to
  -- Read once, with all that is taken away, rewritten or asked for below.
  local r = read_record(record)
  if not r.state then return {'none'} end
  if r.op == c.op then return {'mine', r.state} end
  if r.state ~= from or (c.lease and r.lease ~= c.lease) then return {'not yours', r.state} end
  same_version(r.v)
  local rev = whole(given(fields, 'rev') or r.rev, 0, 'rev') + 1
  whole(r.en, 0, 'en')
  if c.eventType then
    whole(r.seq, 0, 'seq')
    if not r.account then refuse('account') end
  end
  local since, nudged = r.since, r.hint ~= '' and r.hint
  keys.created, keys.nudged = whole(r.createdAt, 0, 'createdAt'), nudged
  local stopped = stop and stop()
  if stopped then return stopped end

  local set, drop = {'state', to, 'op', c.op, 'updatedAt', at}, {}
  if from ~= to then
    set[#set + 1] = 'since'; set[#set + 1] = at
    drop[#drop + 1] = 'tries'
  end
  sort_fields(at, fields, set, drop)
  -- What came meanwhile may say otherwise than what it becomes, and nobody has heard it yet.
  local unheard = not c.keepLeaseMs and nudged and not string.find(nudged, ',' .. to .. ',', 1, true)
  if unheard and c.nudgeAfterMs > 0 then set[#set + 1] = 'hintedAt'; set[#set + 1] = at end
  if c.keepLeaseMs then
    set[#set + 1] = 'until'; set[#set + 1] = at + c.keepLeaseMs
  else
    drop[#drop + 1] = 'lease'; drop[#drop + 1] = 'until'; drop[#drop + 1] = 'hint'
  end
  set[#set + 1] = 'rev'; set[#set + 1] = rev
  local seq
  if c.eventType then
    seq = tonumber(given(fields, 'seq') or r.seq or '0') + 1
    set[#set + 1] = 'seq'; set[#set + 1] = seq
  end
  evidence_fields(at, c.evidence, r.en, set)
  -- One write for all of it: each call costs the one thread of Redis as much as the rest of a small script.
  write_fields(record, r, set, drop)
  local counted = sheet(keys.counts)
  move({counts = counted, id = c.id, at = at, from = from, to = to, left = keys.left, entered = keys.entered,
    xof = c.xof})
  if keys.listedLeft and from ~= to then
    redis.call('ZREM', keys.listedLeft, c.member)
    redis.call('ZADD', keys.listedEntered, keys.created, c.member)
  end
  fly(counted, r.account, r.withdrawMode, from, to, c.xof)
  if from ~= to then
    stand({counts = counted, account = r.account, at = at, since = since, left = c.stood, entered = c.stands,
      xof = c.xof})
  end

  if keys.dueLeft ~= keys.dueEntered then redis.call('ZREM', keys.dueLeft, c.id) end
  local due = c.dueInMs and at + c.dueInMs
  if not c.keepLeaseMs and nudged then
    if due then due = math.min(due, at + c.nudgeAfterMs)
    elseif unheard and c.nudgeAfterMs > 0 then due = at + c.nudgeAfterMs end
  end
  if due then redis.call('ZADD', keys.dueEntered, due, c.id) else redis.call('ZREM', keys.dueEntered, c.id) end
  if c.eventType then
    emit(record, {stream = keys.events, counts = counted, id = c.id, at = at, account = r.account, type = c.eventType,
      data = c.eventData, seq = c.toldAs or seq, trace = c.trace})
  end
  write_standing(counted)
  if c.kept then for_history(counted, keys.history, at, {c.id}) end
  return {'applied', to, rev, at}
end
