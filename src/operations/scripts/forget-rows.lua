-- Puts others in the place of members of a list, where they still are as they were read. Answers how many.
-- @key list
-- @keys audit
-- @arg now at?
-- @arg places int[]
-- @arg kept text[]  as they were read
-- @arg become text[]
-- @arg act text[]
-- @returns int
--- @include "lib/audit"
--- @include "lib/clock"

local done = 0
for i, place in ipairs(places) do
  if redis.call('LINDEX', list, place) == kept[i] then
    redis.call('LSET', list, place, become[i])
    done = done + 1
  end
end
if done > 0 then audit_line(audit, act, clock(now), nil, '"rows":' .. done) end
return done
