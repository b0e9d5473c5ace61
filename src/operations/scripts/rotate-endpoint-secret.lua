-- Gives an endpoint another secret; the one before still signs for a while. Answers whether there is such an
-- endpoint.
-- @key record
-- @arg now at?  @arg secret text  @arg bothForMs ms
-- @returns flag
--- @include "lib/clock"

local at = clock(now)
local old = redis.call('HGET', record, 'secret')
if not old then return 0 end
redis.call('HSET', record, 'secret', secret, 'oldSecret', old, 'oldUntil', at + bothForMs)
return 1
