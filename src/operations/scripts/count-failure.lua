-- One more of the failures that count only when they come in a row: the last of them holds the account. What lies
-- longer ago than the window began another row. Answers whether this one held the account.
-- @key account
-- @key held  names of held accounts
-- @key events  @key counts
-- @arg now at?  @arg name text  @arg reason text  @arg data json
-- @arg length int  of a row that makes a hold
-- @arg windowMs ms
-- @returns flag
--- @include "lib/clock"
--- @include "lib/hold"

local at = clock(now)
local row, last = 'row:' .. reason, 'rowAt:' .. reason
local r = redis.call('HMGET', account, row, last, 'seq')
for i = 1, 3 do whole(r[i], 0, 'a count') end
if at - tonumber(r[2] or '0') > windowMs then redis.call('HDEL', account, row) end
redis.call('HSET', account, last, at)
if redis.call('HINCRBY', account, row, 1) < length then return 0 end
local begun = hold(at, {account = account, held = held, events = events, counts = counts, name = name, reason = reason,
  data = data})
-- Last: an account that is gone is not made again while a cluster moves its slot.
redis.call('HDEL', account, row, last)
return begun
