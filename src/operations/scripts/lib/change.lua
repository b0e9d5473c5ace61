--- @include "emit"
--- @include "evidence"
--- @include "fly"
--- @include "history"
--- @include "stand"
--- @include "version"
-- The only way in which the state of a record changes: compare, then set the state, its evidence, the next due time
-- and the event that announces it, in one step. A script that was sent again after a lost reply finds its own
-- operation id in the record and answers `mine`.
-- Changes that are alike share one script. What each of them writes for itself is its record and its event; sets and
-- counters that they share are written once for all of them, when the last has been made.
-- @struct Step
--   @arg from state
--   @arg to state
--   @arg stood unsent|doubt?  as what each counted in the state that it leaves
--   @arg stands unsent|doubt?  as what it counts in the one that it enters
--   @arg kept flag  history takes it, as it is then

local function read_record(record)
  local flat, by = redis.call('HGETALL', record), {}
  for i = 1, #flat, 2 do by[flat[i]] = flat[i + 1] end
  return by
end

-- A name that begins with @ is a time: its value is ms from now. The value '' removes the field.
local function sort_fields(at, fields, set, drop)
  local n = #set
  for i = 1, #fields, 2 do
    local name, value = fields[i], fields[i + 1]
    if string.byte(name) == 64 then name = string.sub(name, 2); value = at + tonumber(value) end
    if value == '' then drop[#drop + 1] = name else set[n + 1] = name; set[n + 2] = value; n = n + 2 end
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

-- `keys` holds events, counts, left and entered (state sets; entered nil: it is over), listedLeft and listedEntered
-- (where lists find it; nil: they find all of its kind in one place), dueLeft and dueEntered, history.
local function begin_changes(at, keys, step)
  return {at = at, keys = keys, step = step, counts = sheet(keys.counts), made = 0, ids = {}, entered = {},
    members = {}, listed = {}, due = {}, over = {}}
end

local function pair(list, one, other)
  local n = #list
  list[n + 1] = one; list[n + 2] = other
end

-- When it is looked at next; nil: nothing is due.
local function due_after(at, c, nudged, unheard)
  local due = c.dueInMs and at + c.dueInMs
  if c.keepLeaseMs or not nudged then return due end
  if due then return math.min(due, at + c.nudgeAfterMs) end
  if unheard and c.nudgeAfterMs > 0 then return at + c.nudgeAfterMs end
end

-- What others share of it is noted, and written by `end_changes`.
local function note_change(all, c, r, created)
  local at, keys, step, counts = all.at, all.keys, all.step, all.counts
  local from, to, xof = step.from, step.to, c.xof
  all.made = all.made + 1
  if from ~= to then
    tally(counts, from, -1)
    tally(counts, to, 1)
    if xof then tally(counts, 'xof:' .. from, -xof); tally(counts, 'xof:' .. to, xof) end
    fly(counts, r.account, r.withdrawMode, from, to, xof)
    stand({counts = counts, account = r.account, at = at, since = r.since, left = step.stood, entered = step.stands,
      xof = xof})
    if keys.entered then pair(all.entered, at, c.id) end
    if keys.listedLeft then all.members[#all.members + 1] = c.member; pair(all.listed, created, c.member) end
  end
  all.ids[all.made] = c.id
end

-- `c` is one of the changes of `transition`. `stop` is asked once the record is found to be as expected, and before
-- anything is written: what it answers is answered. Answers too what the record held before.
local function change_record(all, c, stop)
  local at, step, record = all.at, all.step, c.record
  local from, to, fields = step.from, step.to, c.fields
  -- Read once, with all that is taken away, rewritten or asked for below.
  local r = read_record(record)
  if not r.state then return {'none'} end
  if r.op == c.op then return {'mine', r.state} end
  if r.state ~= from or (c.lease and r.lease ~= c.lease) then return {'not yours', r.state} end
  same_version(r.v)
  local rev = whole(given(fields, 'rev') or r.rev, 0, 'rev') + 1
  whole(r.en, 0, 'en')
  if c.eventType then whole(r.seq, 0, 'seq') end
  if not r.account then refuse('account') end
  local created = whole(r.createdAt, 0, 'createdAt')
  local nudged = r.hint ~= '' and r.hint
  local stopped = stop(c)
  if stopped then return stopped end

  local set, drop = {'state', to, 'op', c.op, 'updatedAt', at, 'rev', rev}, {}
  if from ~= to then pair(set, 'since', at); drop[1] = 'tries' end
  sort_fields(at, fields, set, drop)
  -- What came meanwhile may say otherwise than what it becomes, and nobody has heard it yet.
  local unheard = not c.keepLeaseMs and nudged and not string.find(nudged, ',' .. to .. ',', 1, true)
  if unheard and c.nudgeAfterMs > 0 then pair(set, 'hintedAt', at) end
  if c.keepLeaseMs then pair(set, 'until', at + c.keepLeaseMs)
  else pair(drop, 'lease', 'until'); drop[#drop + 1] = 'hint' end
  local seq
  if c.eventType then
    seq = tonumber(given(fields, 'seq') or r.seq or '0') + 1
    pair(set, 'seq', seq)
  end
  evidence_fields(at, c.evidence, r.en, set)
  -- One write for all of it: each call costs the one thread of Redis as much as the rest of a small script.
  write_fields(record, r, set, drop)
  -- Only now: a Redis that is full refuses the write, and what stands in its old state is due as it was.
  note_change(all, c, r, created)
  local due = due_after(at, c, nudged, unheard)
  if due then pair(all.due, due, c.id) else all.over[#all.over + 1] = c.id end
  if c.eventType then
    emit(record, {stream = all.keys.events, counts = all.counts, id = c.id, at = at, account = r.account,
      type = c.eventType, data = c.eventData, seq = c.toldAs or seq, trace = c.trace})
  end
  return {'applied', to, rev, at}, created, nudged
end

local function end_changes(all)
  if all.made == 0 then return end
  local keys, step, ids = all.keys, all.step, all.ids
  if step.from ~= step.to then
    redis.call('ZREM', keys.left, unpack(ids))
    if keys.entered then redis.call('ZADD', keys.entered, unpack(all.entered)) end
    if keys.listedLeft then
      redis.call('ZREM', keys.listedLeft, unpack(all.members))
      redis.call('ZADD', keys.listedEntered, unpack(all.listed))
    end
  end
  if keys.dueLeft ~= keys.dueEntered then redis.call('ZREM', keys.dueLeft, unpack(ids)) end
  if #all.due > 0 then redis.call('ZADD', keys.dueEntered, unpack(all.due)) end
  if #all.over > 0 then redis.call('ZREM', keys.dueEntered, unpack(all.over)) end
  write_standing(all.counts)
  if step.kept then for_history(all.counts, keys.history, all.at, ids) end
end
