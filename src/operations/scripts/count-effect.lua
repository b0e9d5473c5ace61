-- Counts an effect for which no intent is written, and refuses it while nothing may leave.
-- @key heartbeat
-- @arg memory Memory
-- @returns raised {counter int} | recovering
--- @include "lib/heartbeat"

local shut, known = guard(heartbeat, memory)
return shut or {'raised', raise(heartbeat, known)}
