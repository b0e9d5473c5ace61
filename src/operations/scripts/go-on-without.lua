-- A person says that history goes on without what is missing in it. Answers whether anything is.
-- @key history
-- @keys audit
-- @arg now at?
-- @arg by text
-- @arg act text[]
-- @returns flag
--- @include "lib/audit"
--- @include "lib/clock"

if redis.call('HEXISTS', history, 'missing') == 0 then return 0 end
redis.call('HSET', history, 'accepted', by)
audit_line(audit, act, clock(now))
return 1
