-- Adds a line of evidence, whatever has the lease. Never creates a record. Answers whether it was kept.
-- @key record
-- @arg now at?  @arg evidence text
-- @returns flag
--- @include "lib/clock"
--- @include "lib/evidence"
--- @include "lib/version"

local state, version, lines = unpack(redis.call('HMGET', record, 'state', 'v', 'en'))
if not state or version ~= VERSION then return 0 end
whole(lines, 0, 'en')
local set = {}
evidence_fields(clock(now), evidence, lines, set)
if #set > 0 then redis.call('HSET', record, unpack(set)) end
return 1
