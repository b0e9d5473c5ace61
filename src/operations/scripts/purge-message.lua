-- Forgets the number and the text of a message, as it was read. Answers whether it was done.
-- @key message
-- @keys audit
-- @arg now at?
-- @arg state state  @arg to text  as they were read
-- @arg becomes text  the number
-- @arg act text[]
-- @returns flag
--- @include "lib/audit"
--- @include "lib/clock"

local stood, number, version = unpack(redis.call('HMGET', message, 'state', 'to', 'v'))
if stood ~= state or number ~= to or version ~= VERSION then return 0 end
redis.call('HSET', message, 'to', becomes, 'text', '')
audit_line(audit, act, clock(now))
return 1
