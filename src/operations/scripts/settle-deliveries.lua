-- Writes down what became of the events that were taken. A success ends the failing of an endpoint, and so does the
-- last event that waited: nobody tries it after that. One that has failed for too long is disabled, and that is
-- announced. What was not posted says nothing of the endpoint.
-- @key record  @key deliveries  @key tries  @key due  @key undelivered  @key log  @key events  @key counts
-- @arg now at?  @arg id text  @arg lease text
-- @arg restMs ms  after a failure
-- @arg disableAfterMs ms
-- @each results
--   @arg place text
--   @arg outcome delivered|retried|undelivered
--   @arg waitMs ms  until the next try
--   @arg asked flag  whether it was posted
--   @arg line text  of the log
-- @arrow enabled -> disabled
-- @returns settled {rev int, disabled flag, dueInMs ms?} | not yours
--- @include "lib/clock"
--- @include "lib/emit"

local at = clock(now)
local leased, since, url, account = unpack(redis.call('HMGET', record, 'lease', 'failingSince', 'url', 'account'))
if leased ~= lease then return {'not yours'} end
-- What is over is taken out last of all: a key that is gone is not found again while a cluster moves its slot.
local taken, failed, over, is_over = 0, 0, {}, {}
for _, one in ipairs(results) do
  if one.outcome == 'retried' then
    redis.call('ZADD', deliveries, at + one.waitMs, one.place)
    redis.call('HINCRBY', tries, one.place, 1)
  else
    over[#over + 1] = one.place
    is_over[one.place] = true
  end
  if one.outcome == 'undelivered' then redis.call('LPUSH', undelivered, one.place) end
  if one.outcome == 'delivered' then taken = taken + 1 elseif one.asked then failed = failed + 1 end
  redis.call('LPUSH', log, at .. '|' .. one.line)
end
redis.call('LTRIM', log, 0, LOG_LINES - 1)
redis.call('HDEL', record, 'lease', 'until')
local rev, rest, disabled = redis.call('HINCRBY', record, 'rev', 1), 0, 0
local function disable()
  disabled = 1
  redis.call('HSET', record, 'state', 'disabled', 'disabledAt', at, 'reason', 'failing_for_days')
  local waiting = redis.call('ZREVRANGE', deliveries, 0, UNDELIVERED_MOST - 1)
  for _, place in ipairs(waiting) do
    if not is_over[place] then redis.call('LPUSH', undelivered, place) end
  end
  -- All who may read the account are told: path and query are the owner's, and may be its password.
  local place = string.match(url or '', '^%a+://[^/?#\\]+') or ''
  local data = cjson.encode({id = id, state = 'disabled', url = place, reason = 'failing_for_days'})
  emit(record, {stream = events, counts = counts, id = id, at = at, account = account, type = 'endpoint.disabled', data = data})
end
if taken > 0 then
  redis.call('HSET', record, 'deliveredAt', at)
  redis.call('HDEL', record, 'failures', 'failingSince', 'restUntil')
elseif failed > 0 then
  since = tonumber(since or at)
  rest = at + restMs
  redis.call('HINCRBY', record, 'failures', 1)
  redis.call('HSET', record, 'failingSince', since, 'restUntil', rest)
  if at - since >= disableAfterMs then disable() end
end
redis.call('LTRIM', undelivered, 0, UNDELIVERED_MOST - 1)
local next
local first = disabled == 1 and {} or redis.call('ZRANGE', deliveries, 0, #over, 'WITHSCORES')
for i = 1, #first, 2 do
  if not next and not is_over[first[i]] then next = tonumber(first[i + 1]) end
end
if not next and disabled == 0 then redis.call('HDEL', record, 'failures', 'failingSince', 'restUntil') end
local due_at = next and math.max(next, rest, at)
if due_at then redis.call('ZADD', due, due_at, id) else redis.call('ZREM', due, id) end
if disabled == 1 then redis.call('UNLINK', deliveries, tries)
elseif #over > 0 then
  redis.call('ZREM', deliveries, unpack(over))
  redis.call('HDEL', tries, unpack(over))
end
return {'settled', rev, disabled, due_at and due_at - at}
