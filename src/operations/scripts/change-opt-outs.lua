-- Puts numbers into a list of opt-outs, or takes them out, and what is kept of them where the person was forgotten
-- too. Answers how many people were not as they were asked to be.
-- @key list  @key lists  @key forgotten
-- @keys alike  lists of the same sender in other letters, which they are taken out of too
-- @keys audit
-- @arg now at?
-- @arg name text  of the list
-- @arg how add|remove
-- @arg digits text[]
-- @arg hashes text[]  of those that are taken out, for each list
-- @arg people text[]  and whose they are: a person may have a number of today and one of before
-- @arg act text[]
-- @returns int
--- @include "lib/audit"
--- @include "lib/clock"

local changed = 0
if how == 'add' then
  -- The name of the list too: an opt-out in a list that nobody finds would not be forgotten with its person.
  redis.call('SADD', lists, name)
  changed = redis.call('SADD', list, unpack(digits))
else
  -- Who was forgotten, and has opted out since, is in both. Looked at first, and taken out at once: with its last
  -- member a set is gone, and a script that touches it then, while a slot moves, is broken off.
  local hashed = redis.call('SMISMEMBER', forgotten, unpack(hashes))
  local from, counted = {list, unpack(alike)}, {}
  for l, one in ipairs(from) do
    local listed = redis.call('SMISMEMBER', one, unpack(digits))
    for i, person in ipairs(people) do
      if listed[i] + hashed[(l - 1) * #people + i] > 0 and not counted[person] then
        counted[person] = true
        changed = changed + 1
      end
    end
  end
  for _, one in ipairs(from) do redis.call('SREM', one, unpack(digits)) end
  redis.call('SREM', forgotten, unpack(hashes))
end
if changed > 0 then audit_line(audit, act, clock(now), nil, '"' .. (how == 'add' and 'added' or 'removed') .. '":' .. changed) end
return changed
