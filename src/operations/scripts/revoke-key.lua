-- Ends a key. Answers whether it was there and not revoked.
-- @key known
-- @keys audit
-- @arg now at?  @arg id text
-- @arg was json  as it was read
-- @arg becomes json
-- @arg act text[]
-- @returns flag
--- @include "lib/audit"
--- @include "lib/clock"

if redis.call('HGET', known, id) ~= was then return 0 end
redis.call('HSET', known, id, becomes)
audit_line(audit, act, clock(now))
return 1
