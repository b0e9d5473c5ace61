-- Lets go of a lock that is still the owner's.
-- @key lock
-- @arg owner text
-- @returns flag

if redis.call('GET', lock) == owner then return redis.call('DEL', lock) end
return 0
