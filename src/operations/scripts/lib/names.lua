--- @include "base36"
-- By what an operation is found besides its id: each of `names` holds bucket, a sorted set, and head, how it begins
-- there. What follows is when it was asked for, in eight digits, so that the last one is found first.
local function moment_of(created)
  local moment = base36(created)
  return string.rep('0', MOMENT_DIGITS - #moment) .. moment
end
local function add_names(names, created, id)
  if #names == 0 then return end
  local moment = moment_of(created)
  for _, name in ipairs(names) do redis.call('ZADD', name.bucket, 0, name.head .. moment .. id) end
end
local function remove_names(names, created, id)
  if #names == 0 then return end
  local moment = moment_of(created)
  for _, name in ipairs(names) do redis.call('ZREM', name.bucket, name.head .. moment .. id) end
end
