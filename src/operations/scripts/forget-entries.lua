-- Takes entries out of a stream, in the step that tells it.
-- @key stream
-- @keys audit
-- @arg now at?
-- @arg places text[]
-- @arg act text[]
-- @returns int
--- @include "lib/audit"
--- @include "lib/clock"

local gone = redis.call('XDEL', stream, unpack(places))
if gone > 0 then audit_line(audit, act, clock(now), nil, '"events":' .. gone) end
return gone
