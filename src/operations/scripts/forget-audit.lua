-- Forgets the lines up to a seal, which becomes the first: what follows is counted from there. It is an act itself.
-- @key stream  @key seals
-- @keys audit
-- @arg now at?
-- @arg first text  the first seal as it was read
-- @arg seal text  the one that becomes the first
-- @arg becomes text  the same, as the first
-- @arg upto text  the place of the last line that it is about
-- @arg act text[]
-- @returns int
--- @include "lib/audit"
--- @include "lib/clock"

if redis.call('LINDEX', seals, 0) ~= first then return 0 end
local kept = redis.call('LRANGE', seals, 0, -1)
local place
for i, one in ipairs(kept) do if one == seal then place = i end end
if not place then return 0 end
local count = redis.call('XTRIM', stream, 'MINID', upto)
count = count + redis.call('XDEL', stream, upto)
redis.call('LTRIM', seals, place - 1, -1)
redis.call('LSET', seals, 0, becomes)
audit_line(audit, act, clock(now), nil, '"forgotten":' .. count)
return count
