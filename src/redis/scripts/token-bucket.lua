-- Takes tokens out of buckets (a generic cell rate algorithm): each holds the time at which it is empty again.
-- Redis's own clock counts, so no two machines compare theirs. In µs throughout. A short wait is a reservation of
-- one token; a longer one takes nothing. Answers how many were taken, and after how long they may be spent, or
-- there is another.
-- @key pause?  nothing is given while it stands
-- @keys buckets  one token of each; the second drips half as fast
-- @arg everyUs number  a bucket drips a token each
-- @arg burst number  so many may go at once
-- @arg longestUs number
-- @arg wanted int  fewer are taken where there are not so many
-- @returns {taken int, waitMs ms}

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local start = now + (pause and math.max(redis.call('PTTL', pause), 0) * 1000 or 0)
local wait, empty, taken = start - now, {}, wanted
for i, bucket in ipairs(buckets) do
  local every = everyUs * i
  local full = tonumber(redis.call('GET', bucket) or '0')
  -- Twice as far off as anybody can have taken: written by a clock that was ahead, of a server that was there before.
  if full - now > 2 * (longestUs + math.max(burst, 1) * every) + 1000000 then full = 0 end
  empty[i] = math.max(full, start)
  wait = math.max(wait, empty[i] - math.max(burst - 1, 0) * every - now)
  taken = math.min(taken, math.floor((now - empty[i]) / every + burst + 0.000001))
end
if wait > longestUs then return {0, math.ceil(wait / 1000)} end
taken = math.max(taken, 1)
for i, bucket in ipairs(buckets) do
  local full = empty[i] + taken * everyUs * i
  redis.call('SET', bucket, string.format('%.0f', full), 'PX', math.ceil((full - now) / 1000) + 1000)
end
return {taken, math.ceil(wait / 1000)}
