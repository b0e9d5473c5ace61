-- What is stored of a bearer, and why nothing logs in for a while.
-- @key token  @key pause
-- @returns {generation int?, sealed?, remainingMs ms, usableMs ms?, why?, pausedMs ms}

local generation, sealed, usable = unpack(redis.call('HMGET', token, 'generation', 'sealed', 'usable'))
return {generation, sealed, redis.call('PTTL', token), usable, redis.call('GET', pause), redis.call('PTTL', pause)}
