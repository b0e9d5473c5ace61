-- The same secrets under another seal, unless one of them was changed since it was read. Answers whether it was
-- done.
-- @key record
-- @keys audit
-- @arg now at?
-- @arg kept text[]  as they were read, the newest first
-- @arg again text[]  the same, sealed anew
-- @arg act text[]
-- @returns flag
--- @include "lib/audit"
--- @include "lib/clock"

local names = {'secret', 'oldSecret', 'olderSecret'}
local stored = redis.call('HMGET', record, unpack(names))
for i = 1, #names do
  if (stored[i] or nil) ~= kept[i] then return 0 end
end
if #again == 0 then return 0 end
for i, secret in ipairs(again) do redis.call('HSET', record, names[i], secret) end
audit_line(audit, act, clock(now))
return 1
