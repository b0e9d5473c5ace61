-- The first beat of a process, which knows no more than the witness tells it. A long silence while something is
-- open may be a copy that was put back. It was only a silence where the witness knows the very heartbeat that is
-- found; and then a recovery that another process has begun for it is over too.
-- Where nobody was at work and the first to begin is not told that nothing is missing, it leaves behind what it found,
-- for a witness that is heard later: each machine may have its own.
-- @key heartbeat  @key recovery  @key schema  @key events  @key dispatch  @key counts  @key stamp
-- @keys open  every set of what is open
-- @arg now at?
-- @arg epoch text?  of the beat that the witness tells; absent: no witness
-- @arg counter int  as it tells, or as processes that share it have written down
-- @arg event text  @arg witnessed at
-- @arg told int  the counter at the last beat that the witness knows of
-- @arg deployment text?
-- @arg silenceMs ms  for so long nobody may have been at work
-- @arg newEpoch text  to begin with
-- @arg name text  of this process
-- @arg ours json?  which deployment it is of; absent: whichever
-- @returns beats {epoch, counter int, at, event, deployment?} | recovering {fields hash} | another
--- @include "lib/clock"
--- @include "lib/of-another"
--- @include "lib/recovery"

if of_another(stamp, ours) then return {'another'} end
local at = clock(now)
local k = {heartbeat = heartbeat, recovery = recovery, schema = schema, events = events, dispatch = dispatch, counts = counts}
local known = {epoch = epoch, counter = counter, mark = 0, event = event, deployment = deployment, recovering = 0,
  told = told, witnessed = witnessed}
local h = read_heartbeat(heartbeat, name)
as_found(h, known, at)
local same = known.epoch and h.epoch == known.epoch
local proven = same and h.counter >= known.counter and h.at - witnessed <= WITNESS_GRACE_MS
if h.recovering then
  local epochs, seen = unpack(redis.call('HMGET', recovery, 'epochs', 'knownCounter'))
  local contradicted = tonumber(seen or '0') > h.counter or (epochs and epochs ~= h.epoch)
  local mere_silence = h.recovering == 'silence' or h.recovering == 'clock'
  if contradicted or not (proven and mere_silence) then return stay(k, at, h, 'witness', known) end
  leave(k, h)
  tell(k, at, 'recovered', {because = h.recovering, by = 'witness'})
end
if is_lost(h, known) then return enter(k, at, h, 'witness', known) end
-- A process that ends takes its mark away; those that were killed have left theirs.
local function forget_dead()
  if redis.call('HLEN', heartbeat) < MARKS_MOST then return end
  local marks, flat = {}, redis.call('HGETALL', heartbeat)
  for i = 1, #flat, 2 do
    if string.sub(flat[i], 1, #MARK) == MARK then marks[#marks + 1] = {flat[i], tonumber(flat[i + 1])} end
  end
  table.sort(marks, function(one, other) return one[2] < other[2] end)
  for i = 1, math.floor(#marks / 2) do redis.call('HDEL', heartbeat, marks[i][1]) end
end
if h.epoch and not proven and math.abs(at - h.at) > ALONE_MS then
  local before = #h.found < FOUND_MOST and h.found or string.gsub(h.found, '^[^,]*,', '')
  redis.call('HSET', heartbeat, 'found', string.format('%s%.0f:%.0f:%.0f,', before, at, h.counter, h.at))
end
local is_open = false
for _, set in ipairs(open) do if not is_open and redis.call('EXISTS', set) == 1 then is_open = true end end
if not h.epoch then
  -- The first start of a version that has a heartbeat finds none, and that is no loss; but only once.
  if is_open and redis.call('EXISTS', schema) == 1 then return enter(k, at, h, 'no_heartbeat', known) end
  h.epoch, h.deployment = newEpoch, known.deployment
  redis.call('HSET', heartbeat, 'epoch', h.epoch, 'deployment', h.deployment)
  if not known.epoch then redis.call('HSET', heartbeat, ON_NOTHING_FIELD, at) end
elseif is_open and not proven then
  if at - h.at > silenceMs then return enter(k, at, h, 'silence', known) end
  if h.at - at > FUTURE_GRACE_MS then return enter(k, at, h, 'clock', known) end
end
redis.call('SET', schema, 1)
forget_dead()
return behind_cursor(k, at, h, known) or write_beat(k, at, h, name)
