-- Ends a recovery. Events have greater ids after it than any follower can have seen. What was led on ends in a new
-- epoch, and nobody compares what it remembers of the one before: so it must be this very server that was led on, and
-- not one that has taken its place meanwhile. What was a mere silence ends in the epoch that it was in, where a process
-- that knows better is still heard; and is none where one has been heard already. Where a witness was heard meanwhile
-- that knows of a longer lost time, that one has still to be led on.
-- @key heartbeat  @key recovery  @key events  @key counts
-- @keys audit
-- @arg now at?
-- @arg epoch text  the new one
-- @arg ledOn text?  the server, as it names itself; absent: nothing was lost
-- @arg since at?  when the lost time ended that was led on
-- @arg by text
-- @arg act text[]
-- @arg lastEvent text?  what is known to be the last one besides
-- @returns left | lost | another | none
--- @include "lib/audit"
--- @include "lib/clock"
--- @include "lib/recovery"

local k = {heartbeat = heartbeat, recovery = recovery, events = events, counts = counts}
local at, h = clock(now), read_heartbeat(heartbeat)
if not h.recovering then return {'none'} end
local epochs, known_counter, seen = unpack(redis.call('HMGET', recovery, 'epochs', 'knownCounter', 'lastEvent'))
local proven = PROVEN[h.recovering] or tonumber(known_counter or '0') > h.counter
if not ledOn and proven then return {'lost'} end
local info = ledOn and redis.pcall('INFO')
local server = type(info) == 'string' and string.match(info, 'run_id%p(%x+)') or 'unnamed'
if ledOn and server ~= ledOn then return {'another'} end
if since and tonumber(redis.call('HGET', recovery, 'since') or '0') ~= since then return {'another'} end
local before = {}
for one in string.gmatch(h.before .. ',' .. (h.epoch or '') .. ',' .. (epochs or ''), '[^,]+') do
  if not among(table.concat(before, ','), one) then before[#before + 1] = one end
end
if lastEvent and (not seen or is_after(lastEvent, seen)) then seen = lastEvent end
local floor = seen and seen ~= '' and place_parts(seen) + FLOOR_KNOWN_MS or at + FLOOR_UNKNOWN_MS
local place = string.format('%.0f-0', floor)
if not is_after(place, last_place(events)) then place = '*' end
local counter = math.max(h.counter, tonumber(known_counter or '0')) + 1
redis.call('HSET', heartbeat, 'counter', string.format('%.0f', counter), 'at', at)
if ledOn or not h.epoch then redis.call('HSET', heartbeat, 'epoch', epoch, 'before', table.concat(before, ',')) end
if ledOn then forget_found(heartbeat) end
if ledOn then redis.call('HSET', heartbeat, LED_ON_FIELD, at) end
redis.call('HSETNX', heartbeat, 'deployment', epoch)
leave(k, h)
tell(k, at, 'recovered', {because = h.recovering, by = by}, place)
audit_line(audit, act, at, audit_word('because', h.recovering))
return {'left'}
