-- The members of the hash that belong to one limit, besides its value.
local function forget_asked(limits, name)
  redis.call('HDEL', limits, name .. '.asked', name .. '.askedBy', name .. '.askedAt')
end
-- '.settings': nothing but settings has said anything about it since there was no opinion. `said` holds value, by,
-- at, op (how this act is known again) and was (what held before).
local function put(limits, name, said)
  redis.call('HSET', limits, name, said.value, name .. '.by', said.by, name .. '.since', said.at)
  redis.call('HSET', limits, name .. '.op', said.op, name .. '.was', said.was)
  redis.call('HDEL', limits, name .. '.settings')
  forget_asked(limits, name)
end
