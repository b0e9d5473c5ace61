-- Says that a worker is here, and how many requests it may have in flight. Answers how many all of those may have
-- together that have said so lately; the others are forgotten.
-- @key workers
-- @arg now at?  @arg name text  @arg slots int
-- @arg silentMs ms  after so long one is not here any more
-- @returns int
--- @include "lib/clock"

local at = clock(now)
redis.call('HSET', workers, name, string.format('%d %d', at, slots))
local all, sum = redis.call('HGETALL', workers), 0
for i = 1, #all, 2 do
  local said, its = string.match(all[i + 1], '^(%d+) (%d+)$')
  if said and tonumber(said) > at - silentMs then sum = sum + tonumber(its)
  else redis.call('HDEL', workers, all[i]) end
end
return sum
