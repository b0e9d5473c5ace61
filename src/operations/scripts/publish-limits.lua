-- What a process that starts is told to keep to. Where it is stricter than what holds, it holds for all from now
-- on; where it is looser, nothing is changed. A process that runs tells its settings again once Redis may have lost
-- them: only where Redis has no opinion, or none but that of settings. What people have said meanwhile stays, also
-- where it is looser. Sent again after a lost reply, it tells what it did the first time. Answers each that is not
-- what holds already.
-- @key limits  @key stamp
-- @keys audit
-- @arg now at?
-- @arg by text
-- @arg op text  how this start is known again
-- @arg runs flag  it has told them before
-- @arg ours json?  which deployment it is of; absent: whichever
-- @each acts
--   @arg words text[]  of each limit that is asked for, in that order
-- @arg asked pairs  name and value of each limit
-- @type Told lowered {name, was?} | looser {name, was?}
-- @returns Told[]
--- @include "lib/audit"
--- @include "lib/clock"
--- @include "lib/limit-members"
--- @include "lib/of-another"
--- @include "lib/strictest"

local at, told = clock(now), {}
if of_another(stamp, ours) then return told end
for i = 1, #asked, 2 do
  local name, value = asked[i], asked[i + 1]
  local shared, done, was, by_settings = unpack(redis.call('HMGET', limits, name, name .. '.op', name .. '.was',
    name .. '.settings'))
  local only_settings, did = not shared or by_settings, nil
  if done == op then
    did, shared = 'lowered', was
  elseif (not shared or looseness(name, value) < looseness(name, shared)) and (only_settings or not runs) then
    did = 'lowered'
    put(limits, name, {value = value, by = by, at = at, op = op, was = shared or ''})
    if only_settings then redis.call('HSET', limits, name .. '.settings', 1) end
    audit_line(audit, acts[(i + 1) / 2].words, at, shared and audit_word('value', shared), audit_word('value', value))
  elseif looseness(name, value) > looseness(name, shared) and not runs then
    did = 'looser'
  end
  if did then told[#told + 1] = {did, name, shared or ''} end
end
return told
