-- Events that an endpoint is to get once more, whatever became of them. A disabled endpoint is enabled by it. Of one
-- that waits a try may be under way, and what becomes of that try does not count any more.
-- Answers whether there is such an endpoint.
-- @key record  @key deliveries  @key tries  @key due  @key dispatch
-- @keys audit
-- @arg now at?  @arg id text  @arg places text[]
-- @arg act text[]
-- @arrow disabled -> enabled
-- @returns flag
--- @include "lib/audit"
--- @include "lib/clock"

local at = clock(now)
local state = redis.call('HGET', record, 'state')
if not state then return 0 end
if state ~= 'enabled' then
  redis.call('HSET', record, 'state', 'enabled')
  redis.call('HINCRBY', dispatch, 'rev', 1)
end
redis.call('HDEL', record, 'failures', 'failingSince', 'restUntil', 'reason', 'disabledAt')
local waits = false
for _, place in ipairs(places) do
  if redis.call('ZADD', deliveries, at, place) == 0 then waits = true end
end
if waits then redis.call('HDEL', record, 'lease', 'until') end
if #places > 0 then
  redis.call('ZADD', due, 'LT', at, id)
  -- In one: a key that is gone is not found again while a cluster moves its slot.
  redis.call('HDEL', tries, unpack(places))
end
audit_line(audit, act, at, audit_word('state', state), audit_word('state', 'enabled'))
return 1
