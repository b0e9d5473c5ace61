-- Gives an endpoint another secret; the one before still signs for a while. Answers whether there is such an
-- endpoint.
-- @key record
-- @keys audit
-- @arg now at?  @arg secret text  @arg bothForMs ms
-- @arg act text[]
-- @returns flag
--- @include "lib/audit"
--- @include "lib/clock"

local at = clock(now)
local old = redis.call('HGET', record, 'secret')
if not old then return 0 end
-- Sent again after a lost reply.
if old == secret then return 1 end
redis.call('HSET', record, 'secret', secret, 'oldSecret', old, 'oldUntil', at + bothForMs)
audit_line(audit, act, at)
return 1
