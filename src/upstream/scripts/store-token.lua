-- Stores a bearer. Only the holder of the lock may: a login that took too long must not replace a newer one.
-- Answers its generation, or 0 when the lock was lost.
-- @key token  @key lock  @key generation  @key pause  @key refusals
-- @arg owner text  @arg sealed text  @arg usableMs ms  @arg generationKeptMs ms
-- @returns int

if redis.call('GET', lock) ~= owner then return 0 end
local next = redis.call('INCR', generation)
redis.call('PEXPIRE', generation, generationKeptMs)
redis.call('HSET', token, 'generation', next, 'sealed', sealed, 'usable', usableMs)
redis.call('PEXPIRE', token, usableMs)
redis.call('DEL', lock, pause, refusals)
return next
