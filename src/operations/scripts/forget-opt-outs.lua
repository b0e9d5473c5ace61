-- Takes a person out of lists of opt-outs, by each of their numbers, and leaves its hash there. Answers in how many of
-- them that was.
-- @each lists
--   @key list  @key forgotten
--   @arg digits text  @arg hash text
-- @keys audit
-- @arg now at?
-- @arg act text[]
-- @returns int
--- @include "lib/audit"
--- @include "lib/clock"

local found = 0
for _, one in ipairs(lists) do
  if redis.call('SREM', one.list, one.digits) == 1 then
    redis.call('SADD', one.forgotten, one.hash)
    found = found + 1
  end
end
audit_line(audit, act, clock(now), nil, '"optOuts":' .. found)
return found
