-- Accepts messages and puts them into the slice that this process is filling, which is created with the first of
-- them. Each has a verdict of its own, in their order, and one that cannot be judged stops none of the others. The
-- slice is read once and written once for all of them, its items in the form of slice-form.ts.
-- @key slice  @key due
-- @key messageCounts  @key sliceCounts
-- @key queued  the set of queued slices
-- @key listed  where lists find those that are queued
-- @key accounts  of which there are any
-- @key trimmed  there is none while nothing has left Redis
-- @key heartbeat
-- @keys audit
-- @arg now at?
-- @arg sliceId text  @arg account text  @arg lane otp|normal
-- @arg most int  in a slice
-- @arg dueInMs ms  from the creation of the slice
-- @arg memory Memory
-- @each acts
--   @arg words text[]  of a request that some of them came in
-- @each messages
--   @key record
--   @key bucket?  @arg head text?  by which it is found by its number
--   @key mapping?  of its reference
--   @key other?  the record that the reference alone would have, where that is another one
--   @key stubs  @key otherStubs?  what is left of either where history alone has it
--   @arg stubName text  @arg otherStubName text?
--   @arg id text  @arg fingerprint text  @arg reference text?
--   @arg otherId text?
--   @arg to text  @arg text text  @arg from text?
--   @arg expiresAt at?
--   @arg asker int  which of the acts; 0: nobody's
-- @arrow new -> queued
-- @type Verdict accepted {state} | duplicate {state} | conflict {id} | full | failed {why}
-- @returns accepted {count int, verdicts Verdict[]} | recovering
--- @include "lib/audit"
--- @include "lib/clock"
--- @include "lib/heartbeat"
--- @include "lib/identity"
--- @include "lib/names"
--- @include "lib/tally"
--- @include "lib/why"

local shut = guard(heartbeat, memory)
if shut then return shut end
local at = clock(now)
local state, lease, count, version, packed = unpack(redis.call('HMGET', slice, 'state', 'lease', 'count', 'v', 'items'))
count = whole(count, 0, 'count')
local takes = not state or (state == 'queued' and not lease and version == VERSION and packed)
-- As text, or Redis would write the number out wherever it stands.
local now_text, moment = string.format('%.0f', at), moment_of(at)
local verdicts, items, told, places, found = {}, {}, {}, {}, {}

local function escaped(text)
  return (string.gsub(text, '[\\\t\n]', {['\\'] = '\\\\', ['\t'] = '\\t', ['\n'] = '\\n'}))
end
local function write(m)
  claim_reference(m)
  local set = {'id', m.id, 'kind', 'message', 'v', VERSION, 'state', 'queued', 'fp', m.fingerprint, 'rev', '1',
    'createdAt', now_text, 'updatedAt', now_text, 'since', now_text, 'account', account, 'lane', lane, 'slice', sliceId, 'to', m.to,
    'text', m.text}
  if m.from then set[#set + 1] = 'from'; set[#set + 1] = m.from end
  if m.expiresAt then set[#set + 1] = 'expiresAt'; set[#set + 1] = m.expiresAt end
  if m.reference then set[#set + 1] = 'reference'; set[#set + 1] = m.reference end
  redis.call('HSET', m.record, unpack(set))
  local expires = m.expiresAt and string.format('%d', m.expiresAt) or ''
  if m.bucket then found[#found + 1] = m end
  places[#places + 1] = now_text; places[#places + 1] = m.id
  items[#items + 1] = table.concat({string.sub(m.to, 2), m.id, escaped(m.from or ''), expires, escaped(m.text)}, '\t')
end
-- Asked once for all of them, and of each only where there may be something.
local any_left = redis.call('EXISTS', trimmed) == 1
for i, m in ipairs(messages) do
  if not any_left then m.stubs, m.otherStubs = nil, nil end
  local judged, known, detail = pcall(standing, m)
  if not judged then
    verdicts[i] = {'failed', why_of(known)}
  elseif known then
    verdicts[i] = {known, detail}
  elseif takes and count + #items < most then
    write(m)
    local first = told[m.asker]
    if first then first.count = first.count + 1 else told[m.asker] = {id = m.id, count = 1} end
    verdicts[i] = {'accepted', 'queued'}
  else
    verdicts[i] = {'full'}
  end
end
if #items == 0 then return {'accepted', count, verdicts} end

local joined = table.concat(items, '\n')
count = count + #items
tally(messageCounts, 'queued', #items)
redis.call('ZADD', listed, unpack(places))
redis.call('SADD', accounts, account)
if state then
  redis.call('HSET', slice, 'count', count, 'items', packed .. '\n' .. joined)
else
  redis.call('HSET', slice, 'id', sliceId, 'kind', 'slice', 'v', VERSION, 'state', 'queued', 'rev', 1, 'createdAt', at,
    'updatedAt', at, 'since', at, 'account', account, 'lane', lane, 'count', count, 'items', joined)
  redis.call('ZADD', due, at + dueInMs, sliceId)
  tally(sliceCounts, 'queued', 1)
  redis.call('ZADD', queued, at, sliceId)
end
-- One line for all that came in one request, named after the first of them.
local lines, after = {}, audit_word('state', 'queued') .. ',"messages":'
for i, act in ipairs(acts) do
  local first = told[i]
  if first then
    act.words[7] = first.id
    lines[#lines + 1] = {act = act.words, after = after .. first.count}
  end
end
audit_lines(audit, lines, at)
-- Last: what cannot be found by its number is sent all the same.
for _, m in ipairs(found) do redis.call('ZADD', m.bucket, 0, m.head .. moment .. m.id) end
return {'accepted', count, verdicts}
