-- Takes what is due for an endpoint, for one attempt and no other. One that fails is tried with a single event.
-- @key record  @key deliveries  @key tries  @key due
-- @arg now at?  @arg id text  @arg lease text  @arg leaseMs ms
-- @arg most int
-- @type Due {place, tries int}
-- @returns taken {url, secret, old?, older?, due Due[]} | none | disabled | leased | rests | nothing
--- @include "lib/clock"

local at = clock(now)
local state, leased, ends, rests, failures, url, secret, old, old_until, older, older_until = unpack(redis.call('HMGET',
  record, 'state', 'lease', 'until', 'restUntil', 'failures', 'url', 'secret', 'oldSecret', 'oldUntil', 'olderSecret',
  'olderUntil'))
if not state or state ~= 'enabled' then
  redis.call('ZREM', due, id)
  return {state and 'disabled' or 'none'}
end
if leased and tonumber(ends or '0') > at then return {'leased'} end
local rest = tonumber(rests or '0')
if rest > at then
  redis.call('ZADD', due, rest, id)
  return {'rests'}
end
if tonumber(failures or '0') > 0 then most = 1 end
local places = redis.call('ZRANGEBYSCORE', deliveries, '-inf', at, 'LIMIT', 0, most)
if #places == 0 then
  local next = redis.call('ZRANGE', deliveries, 0, 0, 'WITHSCORES')
  if next[2] then redis.call('ZADD', due, next[2], id) else redis.call('ZREM', due, id) end
  return {'nothing'}
end
redis.call('HSET', record, 'lease', lease, 'until', at + leaseMs)
redis.call('ZADD', due, at + leaseMs, id)
local taken = {}
for i, place in ipairs(places) do taken[i] = {place, redis.call('HGET', tries, place) or '0'} end
local function while_it_signs(one, ends_at) return one and tonumber(ends_at or '0') > at and one end
return {'taken', url, secret, while_it_signs(old, old_until), while_it_signs(older, older_until), taken}
