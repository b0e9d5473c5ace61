-- Notes how far the slices of a campaign have been looked through. After the last one it is over as soon as they are.
-- @key campaign
-- @key due  of campaigns
-- @key events
-- @key counts  of campaigns
-- @key running  the set of that state
-- @key history  what waits for it
-- @arg now at?  @arg id text
-- @arg retry int  which one
-- @arg before int  the place it was read at
-- @arg after int  the place it becomes
-- @arg againInMs ms
-- @arrow campaign running -> finished
-- @returns flag
--- @include "lib/clock"
--- @include "lib/finish-sliced"
--- @include "lib/version"

local at = clock(now)
local r = redis.call('HMGET', campaign, 'state', 'retries', 'walk', 'slices', 'v', 'account', 'id', 'settled', 'rev', 'seq')
if r[1] ~= 'running' or tonumber(r[2] or '') ~= retry or tonumber(r[3] or '') ~= before then return 0 end
same_version(r[5])
if not (r[4] and r[6] and r[7]) then refuse('slices, account or id') end
for _, i in ipairs({4, 8, 9, 10}) do whole(r[i], 0, 'a count') end
redis.call('ZADD', due, at + againInMs, id)
if after < tonumber(r[4]) then
  redis.call('HSET', campaign, 'walk', after)
else
  redis.call('HDEL', campaign, 'walk', 'walkUnknown')
  finish_if_over(at, {campaign = campaign, events = events, counts = counts, due = due, history = history,
    sets = {running = running}})
end
return 1
