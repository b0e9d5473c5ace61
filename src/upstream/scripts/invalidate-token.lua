-- Deletes only the generation that was refused, so that a herd of refusals costs one login. Answers how long to wait,
-- because a forced renewal has just taken place; 0: renew now, or read the newer one. `contested`: young ones are
-- refused again and again.
-- @key token  @key young  @key pause  @key forced
-- @arg generation int
-- @arg youngMs ms  one that is refused so soon was not refused for its age
-- @arg pauseMs ms  when that happens again
-- @arg forcedEveryMs ms
-- @returns {waitMs ms, contested flag}

local stored, usable = unpack(redis.call('HMGET', token, 'generation', 'usable'))
if tonumber(stored or '') ~= generation then return {0, 0} end
local age = tonumber(usable) - redis.call('PTTL', token)
if age < youngMs then
  -- Many may be refused with one bearer, which is one bearer refused.
  if redis.call('SADD', young, generation) == 1 then redis.call('PEXPIRE', young, youngMs) end
  if redis.call('SCARD', young) >= 2 then
    redis.call('SET', pause, 'config token_refused_repeatedly', 'PX', pauseMs)
    redis.call('DEL', token, young)
    return {pauseMs, 1}
  end
end
if not redis.call('SET', forced, '1', 'NX', 'PX', forcedEveryMs) then return {redis.call('PTTL', forced), 0} end
redis.call('DEL', token)
return {0, 0}
