-- Nothing logs in for a while: twice as long with every failure in a row. Lets go of the lock. Answers for how
-- long.
-- @key pause  @key refusals  @key lock
-- @arg why text  @arg firstMs ms  @arg mostMs ms  @arg owner text
-- @returns ms

local failures = redis.call('INCR', refusals)
redis.call('PEXPIRE', refusals, mostMs * 4)
local ms = math.floor(math.min(firstMs * 2 ^ math.min(failures - 1, 20), mostMs))
redis.call('SET', pause, why, 'PX', ms)
if redis.call('GET', lock) == owner then redis.call('DEL', lock) end
return ms
