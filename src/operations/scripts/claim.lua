-- Hands out ids whose time has come and pushes their due time on, so that no other process hands them out too.
-- @key due
-- @arg now at?  @arg atMost int  @arg pushMs ms
-- @returns text[]
--- @include "lib/clock"

local at = clock(now)
local ids = redis.call('ZRANGEBYSCORE', due, '-inf', at, 'LIMIT', 0, atMost)
for _, id in ipairs(ids) do redis.call('ZADD', due, at + pushMs, id) end
return ids
