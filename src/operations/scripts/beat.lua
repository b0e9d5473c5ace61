-- Says that a process is at work, and notices what it must not work on. What answers after a reconnect may be
-- another deployment's: where the epoch is not the one that this process knows, its stamp is compared before
-- anything is written.
-- @key heartbeat  @key recovery  @key schema  @key events  @key dispatch  @key counts  @key stamp
-- @arg now at?
-- @arg memory Memory
-- @arg event text  the last event that it remembers; 0-0: none
-- @arg deployment text?
-- @arg witnessed at?  the memory is that of a witness, of a beat at that time; absent: of this process
-- @arg told int?  the counter at that beat
-- @arg because text?  why else a recovery is to begin
-- @arg recovering at?  when the recovery began that it knows of
-- @arg ours json?  which deployment it is of; absent: whichever
-- @returns beats {epoch, counter int, at, event, deployment?} | recovering {fields hash} | another
--- @include "lib/clock"
--- @include "lib/heartbeat"
--- @include "lib/of-another"
--- @include "lib/recovery"

local at = clock(now)
local k = {heartbeat = heartbeat, recovery = recovery, schema = schema, events = events, dispatch = dispatch, counts = counts}
local known = {epoch = memory.epoch, counter = memory.counter, mark = memory.mark, event = event, deployment = deployment,
  recovering = recovering or 0, told = told, witnessed = witnessed}
local h = read_heartbeat(heartbeat, memory.name)
if witnessed then as_found(h, known, at) end
if h.epoch ~= known.epoch and of_another(stamp, ours) then return {'another'} end
if h.recovering then return stay(k, at, h, 'rolled_back', known) end
if because then return enter(k, at, h, because, known) end
if is_lost(h, known) then return enter(k, at, h, 'rolled_back', known) end
if not h.epoch then return enter(k, at, h, 'no_heartbeat', known) end
return behind_cursor(k, at, h, known) or write_beat(k, at, h, memory.name)
