-- Hands out ids whose time has come to somebody who begins with each of them at once and takes its lease. Until then
-- nobody else is handed them: their due time moves on a little, and one that dies in between costs no more than that.
-- Of a queue that is paused nobody is handed anything.
-- @key due
-- @key queue  what BullMQ knows of the queue
-- @arg now at?  @arg atMost int
-- @returns text[]
--- @include "lib/clock"

if redis.call('HEXISTS', queue, 'paused') == 1 then return {} end
local at = clock(now)
local ids = redis.call('ZRANGEBYSCORE', due, '-inf', at, 'LIMIT', 0, atMost)
local places = {}
for _, id in ipairs(ids) do places[#places + 1] = at + TAKEN_FOR_MS; places[#places + 1] = id end
if #places > 0 then redis.call('ZADD', due, unpack(places)) end
return ids
