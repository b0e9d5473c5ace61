-- Takes the identity of what was accepted in a time that Redis has lost, and of which nobody knows what became: asked
-- for again it is refused. Only in a recovery, and never over what is there. True: it was taken by this.
-- @key record  @key stubs
-- @key heartbeat
-- @key lost  those that were taken so
-- @arg now at?
-- @arg id text
-- @arg stubName text  @arg stub text  what stands for it, but for the day
-- @arg keepDays int
-- @returns flag
--- @include "lib/base36"
--- @include "lib/clock"

if redis.call('HEXISTS', heartbeat, 'recovering') == 0 then return 0 end
if redis.call('EXISTS', record) == 1 or redis.call('HEXISTS', stubs, stubName) == 1 then return 0 end
redis.call('HSET', stubs, stubName, stub .. base36(math.floor(clock(now) / DAY_MS) + keepDays))
redis.call('SADD', lost, id)
return 1
