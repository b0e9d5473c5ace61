-- Hands events to the endpoints that want them, and moves the cursor, in one step. Where the cursor or the list of
-- endpoints is no longer as it was read, nothing is done: another process was quicker. Answers whether it was done.
-- @key dispatch  @key due
-- @arg now at?
-- @arg cursor text  as read
-- @arg rev text  of the list of endpoints, as read
-- @arg next text  the cursor from here on
-- @each endpoints
--   @key record
--   @key deliveries
--   @arg id text
--   @arg places text[]
-- @returns flag
--- @include "lib/clock"

local at = clock(now)
local stood, listed = unpack(redis.call('HMGET', dispatch, 'cursor', 'rev'))
if (stood or '0-0') ~= cursor or (listed or '0') ~= rev then return 0 end
redis.call('HSET', dispatch, 'cursor', next)
for _, one in ipairs(endpoints) do
  local state, rests = unpack(redis.call('HMGET', one.record, 'state', 'restUntil'))
  if state == 'enabled' then
    for _, place in ipairs(one.places) do redis.call('ZADD', one.deliveries, 'NX', at, place) end
    redis.call('ZADD', due, 'LT', math.max(at, tonumber(rests or '0')), one.id)
  end
end
return 1
