-- The key under which names are hashed in the index; what is offered where there is none yet.
-- @key held  @arg offered text
-- @returns {key}

redis.call('SET', held, offered, 'NX')
return {redis.call('GET', held)}
