-- Puts numbers into a list of opt-outs, or takes them out, and what is kept of them where the person was forgotten
-- too. Answers how many were not as they were asked to be.
-- @key list  @key lists  @key forgotten
-- @keys audit
-- @arg now at?
-- @arg name text  of the list
-- @arg how add|remove
-- @arg digits text[]
-- @arg hashes text[]  of those that are taken out
-- @arg act text[]
-- @returns int
--- @include "lib/audit"
--- @include "lib/clock"

local changed
if how == 'add' then
  -- The name of the list too: an opt-out in a list that nobody finds would not be forgotten with its person.
  redis.call('SADD', lists, name)
  changed = redis.call('SADD', list, unpack(digits))
else
  changed = redis.call('SREM', list, unpack(digits)) + redis.call('SREM', forgotten, unpack(hashes))
end
if changed > 0 then audit_line(audit, act, clock(now), nil, '"' .. (how == 'add' and 'added' or 'removed') .. '":' .. changed) end
return changed
