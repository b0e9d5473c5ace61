-- The key under which names are hashed in the index; what is offered where there is none yet. Where nothing is accepted
-- nothing is written: this may be the Redis of somebody else.
-- @key held  @key heartbeat
-- @arg offered text
-- @arg memory Memory
-- @returns {key?}
--- @include "lib/heartbeat"

if not guard(heartbeat, memory) then redis.call('SET', held, offered, 'NX') end
return {redis.call('GET', held)}
