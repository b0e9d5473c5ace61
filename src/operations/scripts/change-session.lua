-- Begins, changes or ends a session of the console: what was read becomes something else, or nothing. Answers whether
-- it is so.
-- @key session
-- @keys replaced  sessions that end where this one begins
-- @keys audit
-- @arg now at?
-- @arg was json?  as it was read; missing: there was none
-- @arg becomes json?  missing: there is none any more
-- @arg keptMs ms
-- @arg act text[]
-- @returns flag
--- @include "lib/audit"
--- @include "lib/clock"

local is = redis.call('GET', session) or nil
-- Sent again after a lost reply, or ended twice.
if is == becomes then return 1 end
if is ~= was then return 0 end
if becomes then
  redis.call('SET', session, becomes, 'PX', keptMs)
else
  redis.call('DEL', session)
end
for _, other in ipairs(replaced) do redis.call('DEL', other) end
audit_line(audit, act, clock(now))
return 1
