-- Something more may be known (a callback came): keep what was said as evidence and make the next look due, at most
-- one per operation and interval. Changes no state. What was posted is kept, also about what we do not know; not
-- where it says what the state says. What history alone has is noted, to be brought back and nudged then.
-- @key record  @key due  @key stubs
-- @key recalled  what is to be brought back
-- @key callback  what was last posted
-- @arg now at?  @arg id text  @arg stubName text  @arg evidence text  @arg intervalMs ms
-- @arg recall json  what it was nudged with
-- @arg posted text?  to be kept
-- @arg lookedAt state[]  in that queue
-- @arg agreesWith state[]  states that say what was posted
-- @returns look {state, field?, line?, trace?} | noted {state, field?, line?, trace?} | recalled {state} | none
--- @include "lib/clock"
--- @include "lib/contains"
--- @include "lib/evidence"
--- @include "lib/stub"
--- @include "lib/version"

local at = clock(now)
local state, lease, ends, nudged_at, lines, version, trace, before = unpack(redis.call('HMGET', record, 'state',
  'lease', 'until', 'hintedAt', 'en', 'v', 'trace', 'hint'))
if posted and not contains(agreesWith, state) then redis.call('SET', callback, posted, 'EX', CALLBACK_KEPT_S) end
if not state then
  local _, left = stub_of(stubs, stubName)
  if not left then return {'none'} end
  -- One word is enough to look: the last that says otherwise than it ended, where there is one.
  redis.call(contains(agreesWith, left) and 'HSETNX' or 'HSET', recalled, id, recall)
  return {'recalled', left}
end
-- What was posted is kept, and nothing else is touched: what can read the record asks upstream by itself.
local readable = version == VERSION and pcall(function()
  whole(ends, 0, 'until'); whole(nudged_at, 0, 'hintedAt'); whole(lines, 0, 'en')
end)
if not readable then return {'noted', state} end
-- With what it says, if it is kept: an attempt that ends so meanwhile need not keep it. What said otherwise before it,
-- and was not heard yet, is still to be heard.
local agreed = {}
for _, one in ipairs(posted and agreesWith or {}) do
  if not before or before == '' or string.find(before, ',' .. one .. ',', 1, true) then agreed[#agreed + 1] = one end
end
local set = {'hint', ',' .. table.concat(agreed, ',') .. (#agreed > 0 and ',' or '')}
evidence_fields(at, evidence, lines, set)
local leased = lease and lease ~= '' and tonumber(ends or '0') > at
local looks = false
-- What it ended as is told once more: nothing is to be found out.
if contains(lookedAt, state) and not contains(agreesWith, state) then
  local last = tonumber(nudged_at or '0')
  local wait, hinted = math.max(0, last + intervalMs - at), at
  -- Sooner than it was due, if it was.
  if not leased and redis.call('ZADD', due, 'LT', 'CH', at + wait, id) == 1 then
    hinted = at + wait
    looks = wait == 0
  end
  -- Also where a look was due sooner, or is under way: what was posted speaks against its answer.
  if hinted > last then set[#set + 1] = 'hintedAt'; set[#set + 1] = hinted end
end
redis.call('HSET', record, unpack(set))
-- With what was written, so that the replicas can be asked for it.
local field, line = set[3] or false, set[4] or false
if looks then return {'look', state, field, line, trace} end
return {'noted', state, field, line, trace}
