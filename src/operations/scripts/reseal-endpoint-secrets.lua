-- The same secrets under another seal, unless one of them was changed since it was read. Answers whether it was
-- done.
-- @key record
-- @arg kept text[]  as they were read, the newest first
-- @arg again text[]  the same, sealed anew
-- @returns flag

local names = {'secret', 'oldSecret'}
local stored = redis.call('HMGET', record, unpack(names))
for i = 1, #names do
  if (stored[i] or nil) ~= kept[i] then return 0 end
end
for i, secret in ipairs(again) do redis.call('HSET', record, names[i], secret) end
return #again > 0 and 1 or 0
