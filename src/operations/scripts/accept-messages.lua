-- Accepts messages and puts them into the chunk that this process is filling, which is created with the first of
-- them. Each has a verdict of its own, in their order; the chunk is read once and written once for all of them, its
-- items in the form of chunk-items.ts.
-- @key chunk  @key due
-- @key messageCounts  @key chunkCounts
-- @key queued  the set of queued chunks
-- @key heartbeat
-- @arg now at?
-- @arg chunkId text  @arg account text  @arg lane otp|normal
-- @arg most int  in a chunk
-- @arg dueInMs ms  from the creation of the chunk
-- @arg memory Memory
-- @each messages
--   @key record
--   @key mapping?  of its reference
--   @key other?  the record that the reference alone would have, where that is another one
--   @arg id text  @arg fingerprint text  @arg reference text?
--   @arg otherId text?
--   @arg to text  @arg text text  @arg from text?
--   @arg expiresAt at?
-- @arrow new -> queued
-- @type Verdict accepted {state} | duplicate {state} | conflict {id} | full
-- @returns accepted {count int, verdicts Verdict[]} | recovering
--- @include "lib/clock"
--- @include "lib/heartbeat"
--- @include "lib/identity"
--- @include "lib/tally"

local shut = guard(heartbeat, memory)
if shut then return shut end
local at = clock(now)
local state, lease, count, version, packed = unpack(redis.call('HMGET', chunk, 'state', 'lease', 'count', 'v', 'items'))
count = whole(count, 0, 'count')
local takes = not state or (state == 'queued' and not lease and version == VERSION and packed)
local verdicts, items = {}, {}

local function write(m)
  claim_reference(m)
  local set = {'id', m.id, 'kind', 'message', 'v', VERSION, 'state', 'queued', 'fp', m.fingerprint, 'rev', 1,
    'createdAt', at, 'updatedAt', at, 'since', at, 'account', account, 'lane', lane, 'chunk', chunkId, 'to', m.to,
    'text', m.text}
  if m.from then set[#set + 1] = 'from'; set[#set + 1] = m.from end
  if m.expiresAt then set[#set + 1] = 'expiresAt'; set[#set + 1] = m.expiresAt end
  if m.reference then set[#set + 1] = 'reference'; set[#set + 1] = m.reference end
  redis.call('HSET', m.record, unpack(set))
  items[#items + 1] = cjson.encode({m.id, m.to, m.from or '', m.text, m.expiresAt or 0})
end
for i, m in ipairs(messages) do
  local known, detail = standing(m)
  if known then
    verdicts[i] = {known, detail}
  elseif takes and count + #items < most then
    write(m)
    verdicts[i] = {'accepted', 'queued'}
  else
    verdicts[i] = {'full'}
  end
end
if #items == 0 then return {'accepted', count, verdicts} end

local joined = table.concat(items, ',')
count = count + #items
tally(messageCounts, 'queued', #items)
if state then
  redis.call('HSET', chunk, 'count', count, 'items', packed .. ',' .. joined)
else
  redis.call('HSET', chunk, 'id', chunkId, 'kind', 'chunk', 'v', VERSION, 'state', 'queued', 'rev', 1, 'createdAt', at,
    'updatedAt', at, 'since', at, 'account', account, 'lane', lane, 'count', count, 'items', joined)
  redis.call('ZADD', due, at + dueInMs, chunkId)
  tally(chunkCounts, 'queued', 1)
  redis.call('ZADD', queued, at, chunkId)
end
return {'accepted', count, verdicts}
