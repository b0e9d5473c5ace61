-- Hands out the next slices of a running campaign, in the order of their uploads. A campaign that was read before
-- another process handed out hands out nothing. It stays due as long as it runs: what may stand in its way comes
-- with time, not with slices. Answers whether they were handed out.
-- @key campaign  @key dueSlices
-- @key due  of campaigns
-- @arg now at?  @arg id text
-- @arg handedOut int  how many were, as it was read
-- @arg againInMs ms
-- @arg judgedOver int?  how many recipients were over when that was judged; absent: as it stands
-- @arg judgedFailed int?  @arg judgedUnknown int?  of these
-- @arg canaryOver flag
-- @arg slices text[]
-- @returns flag
--- @include "lib/clock"
--- @include "lib/whole"

local at = clock(now)
local state, fed, version, out = unpack(redis.call('HMGET', campaign, 'state', 'fed', 'v', 'out'))
if state ~= 'running' or version ~= VERSION then return 0 end
if whole(out, 0, 'out') < 0 or whole(fed, 0, 'fed') ~= handedOut then return 0 end
redis.call('HSET', campaign, 'canaryOver', canaryOver and 1 or 0)
if judgedOver then
  redis.call('HSET', campaign, 'judgedOver', judgedOver, 'judgedFailed', judgedFailed, 'judgedUnknown', judgedUnknown)
end
for _, slice in ipairs(slices) do redis.call('ZADD', dueSlices, at + SLICE_WAKE_GRACE_MS, slice) end
if #slices > 0 then
  redis.call('HINCRBY', campaign, 'fed', #slices)
  redis.call('HINCRBY', campaign, 'out', #slices)
end
redis.call('ZADD', due, at + againInMs, id)
return 1
