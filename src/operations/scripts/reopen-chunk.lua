-- Opens a chunk that is over again, for some of its recipients: once in each retry, whatever asks and however often.
-- Answers `done`: there is nothing to open; `stopped`: the retry does not go on at this moment; `changed`: it is not as
-- it was read.
-- @key chunk  @key campaign
-- @key counts  of chunks
-- @key queued  the set of that state
-- @key due  of chunks
-- @arg now at?  @arg id text
-- @arg retry int  which one
-- @arg rev int  of the chunk, as it was read
-- @arg outcome text  @arg again text?  as they become
-- @arg deltas pairs  fields of the campaign, and by how much each changes
-- @arrow chunk settled -> queued
-- @returns opened | done | stopped | changed
--- @include "lib/clock"
--- @include "lib/move"
--- @include "lib/version"

local at = clock(now)
local c = redis.call('HMGET', campaign, 'state', 'retries', 'walk', 'v', 'settled', 'out', 'judgedFailed',
  'judgedUnknown', 'judgedOver')
if c[1] ~= 'running' or tonumber(c[2] or '') ~= retry or not c[3] then return {'stopped'} end
local state, revision, retried, version = unpack(redis.call('HMGET', chunk, 'state', 'rev', 'retry', 'v'))
if state ~= 'settled' or tonumber(retried or '') == retry then return {'done'} end
if tonumber(revision or '') ~= rev then return {'changed'} end
same_version(version)
same_version(c[4])
whole(revision, 0, 'rev')
for i = 5, 9 do whole(c[i], 0, 'a count') end
for i = 1, #deltas, 2 do whole(redis.call('HGET', campaign, deltas[i]), 0, deltas[i]) end
redis.call('HSET', chunk, 'state', 'queued', 'since', at, 'updatedAt', at, 'retry', retry, 'outcome', outcome)
if again then redis.call('HSET', chunk, 'again', again) else redis.call('HDEL', chunk, 'again') end
redis.call('HDEL', chunk, 'plan', 'refusedAs', 'looks', 'resends', 'tries', 'firstSentAt', 'restored')
redis.call('HINCRBY', chunk, 'rev', 1)
move({counts = counts, id = id, at = at, from = 'settled', to = 'queued', left = queued, entered = queued})
redis.call('ZADD', due, at, id)
redis.call('HINCRBY', campaign, 'settled', -1)
redis.call('HINCRBY', campaign, 'out', 1)
local judged = {['t:failed'] = 'judgedFailed', ['t:unknown'] = 'judgedUnknown'}
for i = 1, #deltas, 2 do
  local field, delta = deltas[i], deltas[i + 1]
  redis.call('HINCRBY', campaign, field, delta)
  -- Those who go out again are no longer among those that were judged.
  if judged[field] then
    redis.call('HINCRBY', campaign, judged[field], delta)
    redis.call('HINCRBY', campaign, 'judgedOver', delta)
  end
end
return {'opened'}
