-- Lets no worker take from a queue, or lets them again, in the step that tells it: what BullMQ's `pause` and `resume`
-- do, of a queue that never had jobs in its old list of paused ones. Answers whether it stood otherwise.
-- @key meta  @key marker  @key wait  @key prioritized  @key delayed
-- @key announcements
-- @keys audit
-- @arg now at?
-- @arg how pause|resume
-- @arg act text[]
-- @returns flag
--- @include "lib/audit"
--- @include "lib/clock"

local paused = redis.call('HEXISTS', meta, 'paused') == 1
if paused == (how == 'pause') then return 0 end
if how == 'pause' then
  redis.call('HSET', meta, 'paused', 1)
  redis.call('DEL', marker)
else
  redis.call('HDEL', meta, 'paused')
  -- Workers that wait are woken by the marker: at once, or when the first of the delayed jobs is due.
  if redis.call('LLEN', wait) + redis.call('ZCARD', prioritized) > 0 then
    redis.call('ZADD', marker, 0, '0')
  else
    local first = redis.call('ZRANGE', delayed, 0, 0, 'WITHSCORES')
    if first[2] then redis.call('ZADD', marker, tonumber(first[2]) / 0x1000, '1') end
  end
end
redis.call('XADD', announcements, '*', 'event', how == 'pause' and 'paused' or 'resumed')
audit_line(audit, act, clock(now))
return 1
