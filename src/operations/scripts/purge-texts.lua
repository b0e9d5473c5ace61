-- Replaces the people of a slice that nobody works on, as it was read. Answers whether it was done.
-- @key texts
-- @keys audit
-- @arg now at?
-- @arg rev int  as it was read
-- @arg items text  as they become
-- @arg act text[]
-- @returns flag
--- @include "lib/audit"
--- @include "lib/clock"
--- @include "lib/version"

local stood, ends, version = unpack(redis.call('HMGET', texts, 'rev', 'until', 'v'))
if whole(stood, 0, 'rev') ~= rev or version ~= VERSION then return 0 end
local at = clock(now)
if ends and whole(ends, 0, 'until') > at then return 0 end
redis.call('HSET', texts, 'items', items, 'rev', rev + 1)
-- What has read the numbers before must not go on with them: neither an attempt whose lease has ended, nor a retry.
redis.call('HDEL', texts, 'lease', 'until')
audit_line(audit, act, at)
return 1
