-- Counts a whole upload, or nothing of it: nothing where one of its slices, or a row that was left out, is gone,
-- since what took over in its midst had not come so far, or it took longer than what is staged is kept.
-- @key campaign
-- @key counts  of campaigns
-- @key draft  @key ready  sets of these states
-- @key sliceCounts
-- @key begun  uploads that were
-- @key leftOut  its rows that were
-- @keys staged  its slices
-- @keys own  what the file had beside
-- @keys audit
-- @arg now at?
-- @arg upload text
-- @arg rev int  as it was read: while it has no recipients its text may change, which their values were taken for
-- @arg before json  uploads as they were read
-- @arg after json  as they become
-- @arg by text  whose hand it is
-- @arg act text[]
-- @arg recipients int  @arg skipped int  @arg slices int  @arg segments int
-- @arrow campaign draft -> ready
-- @returns committed | changed {state}
--- @include "lib/audit"
--- @include "lib/clock"
--- @include "lib/move"
--- @include "lib/version"

local at = clock(now)
local r = redis.call('HMGET', campaign, 'state', 'uploads', 'id', 'v', 't:queued', 't:skipped', 't:total', 'slices',
  'segments', 'rev')
local state, uploads, id, version = unpack(r, 1, 4)
if (state ~= 'draft' and state ~= 'ready') or (uploads or '[]') ~= before then return {'changed', state or ''} end
same_version(version)
if state == 'draft' and tonumber(r[10]) ~= rev then return {'changed', state} end
for i = 5, 10 do whole(r[i], 0, 'a count') end
if not id then refuse('id') end
for _, slice in ipairs(staged) do
  if redis.call('EXISTS', slice) == 0 then return {'changed', state} end
end
if redis.call('LLEN', leftOut) ~= skipped then return {'changed', state} end
-- Until now all of it was there for a while only.
redis.call('PERSIST', leftOut)
for _, slice in ipairs(staged) do redis.call('PERSIST', slice) end
for _, list in ipairs(own) do redis.call('PERSIST', list) end
redis.call('HSET', campaign, 'uploads', after, 'updatedAt', at)
redis.call('HSETNX', campaign, HAND .. by, at)
redis.call('HINCRBY', campaign, 't:queued', recipients)
redis.call('HINCRBY', campaign, 't:skipped', skipped)
redis.call('HINCRBY', campaign, 't:total', recipients + skipped)
redis.call('HINCRBY', campaign, 'slices', slices)
redis.call('HINCRBY', campaign, 'segments', segments)
redis.call('HINCRBY', campaign, 'rev', 1)
tally(sliceCounts, 'queued', slices)
-- Where nobody has been added its text may change yet, and there is nobody to send to.
if state == 'draft' and tonumber(r[5] or '0') + recipients > 0 then
  redis.call('HSET', campaign, 'state', 'ready', 'since', at)
  move({counts = counts, id = id, at = at, from = 'draft', to = 'ready', left = draft, entered = ready})
end
redis.call('ZREM', begun, upload)
local function upto(more) return '"recipients":' .. tonumber(r[5] or '0') + more end
audit_line(audit, act, at, upto(0), upto(recipients))
return {'committed'}
