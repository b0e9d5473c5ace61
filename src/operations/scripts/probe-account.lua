-- While a condition lasts, one operation per interval is let through to see whether it has cleared. Answers whether
-- this is the one.
-- @key account
-- @arg now at?  @arg everyMs ms  @arg reason text
-- @returns flag
--- @include "lib/clock"

local at = clock(now)
local held, probed = unpack(redis.call('HMGET', account, 'held:' .. reason, 'probe:' .. reason))
if not held then return 1 end
if at - tonumber(probed or '0') < everyMs then return 0 end
redis.call('HSET', account, 'probe:' .. reason, at)
return 1
