-- A person sets a limit. Stricter: it holds. Looser: it is asked for, and holds once another has asked for the same
-- within that time. What holds already: whatever was asked for is taken back. Said once more, because the answer
-- was lost, it answers what it did: for so long, and while nobody has changed it since. What was asked for
-- meanwhile is taken back all the same.
-- @key limits
-- @keys audit
-- @arg now at?  @arg by text  @arg name text  @arg value text
-- @arg ones text[]  who is no other person than that, in small letters
-- @arg waitsMs ms  for so long what was asked waits
-- @arg op text  how this act is known again
-- @arg act text[]
-- @returns in force {held, again flag?} | waits {held} | unchanged {held}
--- @include "lib/audit"
--- @include "lib/clock"
--- @include "lib/contains"
--- @include "lib/limit-members"
--- @include "lib/strictest"

local at = clock(now)
local shared, asked, asked_by, asked_at, done, was, since = unpack(redis.call('HMGET', limits, name, name .. '.asked',
  name .. '.askedBy', name .. '.askedAt', name .. '.op', name .. '.was', name .. '.since'))
if done == op and at - tonumber(since) <= waitsMs then
  forget_asked(limits, name)
  return {'in force', was, 1}
end
local held = shared or LIMIT_FALLBACKS[name] or OFF
-- What was asked for, and whether it holds, waits for another, or was taken back.
local function told(is)
  audit_line(audit, act, at, audit_word('value', held), audit_word('value', is == 'in force' and value or held) .. ',' ..
    audit_word('asked', value) .. ',' .. audit_word('is', is))
end
local wanted, holds = looseness(name, value), looseness(name, held)
if wanted < holds or (wanted == holds and not shared) then
  put(limits, name, {value = value, by = by, at = at, op = op, was = held})
  told('in force')
  return {'in force', held}
end
if wanted == holds then
  if asked then told('unchanged') end
  forget_asked(limits, name)
  return {'unchanged', held}
end
local own = asked_by == by or contains(ones, string.lower(asked_by or ''))
local another = asked == value and not own
if another and at - tonumber(asked_at) <= waitsMs then
  put(limits, name, {value = value, by = asked_by .. ' and ' .. by, at = at, op = op, was = held})
  told('in force')
  return {'in force', held}
end
if not (asked == value and asked_by == by) then told('waits') end
redis.call('HSET', limits, name .. '.asked', value, name .. '.askedBy', by, name .. '.askedAt', at)
return {'waits', held}
