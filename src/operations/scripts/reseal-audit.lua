-- The same seals of the audit under another secret, where they still are as they were read.
-- @key seals
-- @keys audit
-- @arg now at?
-- @arg from int  the place of the first of them
-- @arg kept text[]  as they were read
-- @arg again text[]  the same, sealed anew
-- @arg act text[]
-- @returns flag
--- @include "lib/audit"
--- @include "lib/clock"

for i, seal in ipairs(again) do
  local place = from + i - 1
  if redis.call('LINDEX', seals, place) == kept[i] then redis.call('LSET', seals, place, seal) end
end
audit_line(audit, act, clock(now))
return 1
