-- Something more may be known (callbacks came): keep what was said as evidence and make the next look due, at most
-- one per operation and interval. Changes no state. What was posted is kept, also about what we do not know; not
-- where it says what the state says. What history alone has is noted, to be brought back and nudged then. Those that
-- come in the same moment share it; each has an answer of its own, in their order, and one that cannot be noted stops
-- none of the others.
-- @key due
-- @key recalled  what is to be brought back
-- @arg now at?  @arg intervalMs ms
-- @arg lookedAt state[]  in that queue
-- @each nudges
--   @key record  @key stubs
--   @key callback  what was last posted
--   @arg id text  @arg stubName text  @arg evidence text
--   @arg recall json  what it was nudged with
--   @arg posted text?  to be kept
--   @arg agreesWith state[]  states that say what was posted
-- @type Nudged look {state, field?, line?, trace?} | noted {state, field?, line?, trace?} | recalled {state} | none
--   | failed {why}
-- @returns Nudged[]
--- @include "lib/clock"
--- @include "lib/contains"
--- @include "lib/evidence"
--- @include "lib/stub"
--- @include "lib/version"
--- @include "lib/why"

local at = clock(now)
local function nudge(one)
  local state, lease, ends, nudged_at, lines, version, trace, before = unpack(redis.call('HMGET', one.record, 'state',
    'lease', 'until', 'hintedAt', 'en', 'v', 'trace', 'hint'))
  if one.posted and not contains(one.agreesWith, state) then
    redis.call('SET', one.callback, one.posted, 'EX', CALLBACK_KEPT_S)
  end
  if not state then
    local _, left = stub_of(one.stubs, one.stubName)
    if not left then return {'none'} end
    -- One word is enough to look: the last that says otherwise than it ended, where there is one.
    redis.call(contains(one.agreesWith, left) and 'HSETNX' or 'HSET', recalled, one.id, one.recall)
    return {'recalled', left}
  end
  -- What was posted is kept, and nothing else is touched: what can read the record asks upstream by itself.
  local readable = version == VERSION and pcall(function()
    whole(ends, 0, 'until'); whole(nudged_at, 0, 'hintedAt'); whole(lines, 0, 'en')
  end)
  if not readable then return {'noted', state} end
  -- With what it says, if it is kept: an attempt that ends so meanwhile need not keep it. What said otherwise before
  -- it, and was not heard yet, is still to be heard.
  local agreed = {}
  for _, name in ipairs(one.posted and one.agreesWith or {}) do
    local first = not before or before == ''
    if first or string.find(before, ',' .. name .. ',', 1, true) then agreed[#agreed + 1] = name end
  end
  local set = {'hint', ',' .. table.concat(agreed, ',') .. (#agreed > 0 and ',' or '')}
  evidence_fields(at, one.evidence, lines, set)
  local leased = lease and lease ~= '' and tonumber(ends or '0') > at
  local looks = false
  -- What it ended as is told once more: nothing is to be found out.
  if contains(lookedAt, state) and not contains(one.agreesWith, state) then
    local last = tonumber(nudged_at or '0')
    local wait, hinted = math.max(0, last + intervalMs - at), at
    -- Sooner than it was due, if it was.
    if not leased and redis.call('ZADD', due, 'LT', 'CH', at + wait, one.id) == 1 then
      hinted = at + wait
      looks = wait == 0
    end
    -- Also where a look was due sooner, or is under way: what was posted speaks against its answer.
    if hinted > last then set[#set + 1] = 'hintedAt'; set[#set + 1] = hinted end
  end
  redis.call('HSET', one.record, unpack(set))
  -- With what was written, so that the replicas can be asked for it.
  local field, line = set[3] or false, set[4] or false
  if looks then return {'look', state, field, line, trace} end
  return {'noted', state, field, line, trace}
end

local answers = {}
for i, one in ipairs(nudges) do
  local done, answer = pcall(nudge, one)
  answers[i] = done and answer or {'failed', why_of(answer)}
end
return answers
