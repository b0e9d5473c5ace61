-- Takes a number out of lists of opt-outs and leaves its hash there. Answers in how many it was.
-- @each lists
--   @key list  @key forgotten
--   @arg hash text
-- @keys audit
-- @arg now at?
-- @arg digits text
-- @arg act text[]
-- @returns int
--- @include "lib/audit"
--- @include "lib/clock"

local found = 0
for _, one in ipairs(lists) do
  if redis.call('SREM', one.list, digits) == 1 then
    redis.call('SADD', one.forgotten, one.hash)
    found = found + 1
  end
end
audit_line(audit, act, clock(now), nil, '"optOuts":' .. found)
return found
