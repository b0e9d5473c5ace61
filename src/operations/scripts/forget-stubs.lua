-- Takes away the stubs of one bucket whose day is over. Answers how many.
-- @key stubs
-- @arg now at?
-- @returns int
--- @include "lib/base36"
--- @include "lib/clock"

local today = base36(math.floor(clock(now) / DAY_MS))
local stored, over = redis.call('HGETALL', stubs), {}
for i = 1, #stored, 2 do
  local last = string.sub(stored[i + 1], STUB_PRINT + 2)
  if #last < #today or (#last == #today and last < today) then over[#over + 1] = stored[i] end
end
return #over > 0 and redis.call('HDEL', stubs, unpack(over)) or 0
