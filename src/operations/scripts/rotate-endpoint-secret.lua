-- Gives an endpoint another secret; the one before still signs for a while, and so does the first of those that were
-- replaced in that time: its receivers may know no other. Answers whether there is such an endpoint.
-- @key record
-- @keys audit
-- @arg now at?  @arg secret text  @arg bothForMs ms
-- @arg act text[]
-- @returns flag
--- @include "lib/audit"
--- @include "lib/clock"

local at = clock(now)
local old, was, was_until, older, older_until = unpack(redis.call('HMGET', record, 'secret', 'oldSecret', 'oldUntil',
  'olderSecret', 'olderUntil'))
if not old then return 0 end
-- Sent again after a lost reply.
if old == secret then return 1 end
redis.call('HSET', record, 'secret', secret, 'oldSecret', old, 'oldUntil', at + bothForMs)
if not older or tonumber(older_until or '0') <= at then
  if was and tonumber(was_until or '0') > at then
    redis.call('HSET', record, 'olderSecret', was, 'olderUntil', was_until)
  else redis.call('HDEL', record, 'olderSecret', 'olderUntil') end
end
audit_line(audit, act, at)
return 1
