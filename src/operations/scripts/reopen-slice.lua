-- Opens a slice that is over again, for some of its recipients: once in each retry, however often it is asked for. In a
-- recovery the retry is held, and people that it had not come to yet it may have come to in the time that was lost.
-- @key slice  @key campaign  @key counts  of slices
-- @key queued  the set of queued slices
-- @key dueToSend
-- @key heartbeat
-- @arg now at?  @arg id text
-- @arg retry int  which retry of the campaign
-- @arg rev int  of the slice, as it was read
-- @arg next int  the number of the request that is opened
-- @arg becomes text  the request: who waits again
-- @arg inRecovery flag  only while one is under way
-- @arg deltas pairs  fields of the campaign, and by how much they change
-- @arrow slice settled -> queued
-- @returns opened | done | stopped | changed
--- @include "lib/clock"
--- @include "lib/move"
--- @include "lib/version"

local at = clock(now)
local goes, retries, cursor, campaign_version = unpack(redis.call('HMGET', campaign, 'state', 'retries', 'walk', 'v'))
local is_recovered = inRecovery and redis.call('HEXISTS', heartbeat, 'recovering') == 1
if goes ~= (is_recovered and 'held' or 'running') or tonumber(retries or '') ~= retry or not cursor then return {'stopped'} end
local state, read, last, version = unpack(redis.call('HMGET', slice, 'state', 'rev', 'retry', 'v'))
if state ~= 'settled' or tonumber(last or '') == retry then return {'done'} end
if tonumber(read) ~= rev then return {'changed'} end
same_version(version)
same_version(campaign_version)
local names = {'settled', 'out', 'judgedFailed', 'judgedUnknown', 'judgedOver'}
for i = 1, #deltas, 2 do names[#names + 1] = deltas[i] end
local value = {}
for i, text in ipairs(redis.call('HMGET', campaign, unpack(names))) do value[names[i]] = whole(text, 0, names[i]) end
local function count(field, delta) value[field] = value[field] + delta end
count('settled', -1)
count('out', 1)
for i = 1, #deltas, 2 do
  local field, delta = deltas[i], tonumber(deltas[i + 1])
  count(field, delta)
  -- Those who go out again are no longer among those that were judged.
  if field == 't:failed' then count('judgedFailed', delta) end
  if field == 't:unknown' then count('judgedUnknown', delta) end
  if field == 't:failed' or field == 't:unknown' then count('judgedOver', delta) end
end
local set = {}
for field, number in pairs(value) do set[#set + 1] = field; set[#set + 1] = number end
redis.call('HSET', campaign, unpack(set))
redis.call('HSET', slice, 'since', at, 'updatedAt', at, 'retry', retry, 'reopened', next, 'rev', rev + 1,
  'n', next + 1, 'r' .. next, becomes, 'state', 'queued')
redis.call('HDEL', slice, 'tries', 'restored')
move({counts = counts, id = id, at = at, from = 'settled', to = 'queued', left = queued, entered = queued})
redis.call('ZADD', dueToSend, at, id)
return {'opened'}
