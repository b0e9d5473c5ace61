-- What was taken and not begun is due again at once. What nobody has to look at any more stays so.
-- @key due
-- @arg now at?  @arg ids text[]
-- @returns int
--- @include "lib/clock"

local at, back = clock(now), {}
for _, id in ipairs(ids) do
  back[#back + 1] = at; back[#back + 1] = id
end
return redis.call('ZADD', due, 'XX', 'LT', 'CH', unpack(back))
