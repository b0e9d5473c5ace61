-- Nothing is found by a name any more. Answers how many members went; the act is told when none is left.
-- @key bucket
-- @keys audit
-- @arg now at?
-- @arg head text  @arg stop text  its members lie between them
-- @arg most int
-- @arg act text[]
-- @returns int
--- @include "lib/audit"
--- @include "lib/clock"

local members = redis.call('ZRANGEBYLEX', bucket, '[' .. head, '(' .. stop, 'LIMIT', 0, most)
if #members > 0 then redis.call('ZREM', bucket, unpack(members)) end
if #members < most then audit_line(audit, act, clock(now)) end
return #members
