import { defineScript } from './script.ts';

/** What is kept for a person to look at, of each endpoint. */
const LOG_LINES = 200;
const UNDELIVERED_MOST = 1_000;

/**
 * Takes what is due for an endpoint, for one attempt and no other. One that fails is tried with a single event.
 *
 * KEYS record, deliveries, tries, due index · ARGV id, now, lease, lease ms, how many at most
 * → {'none'} | {'disabled'} | {'leased'} | {'rests'} | {'nothing'}
 *   | {'taken', now, url, secret, old secret ('' = none), place, tries, place, tries, …}
 */
export const takeDeliveriesScript = defineScript(
  'take deliveries',
  `
local id, at = ARGV[1], clock(ARGV[2])
local r = redis.call('HMGET', KEYS[1], 'state', 'lease', 'until', 'restUntil', 'failures', 'url', 'secret',
  'oldSecret', 'oldUntil')
if not r[1] or r[1] ~= 'enabled' then
  redis.call('ZREM', KEYS[4], id)
  return {r[1] and 'disabled' or 'none'}
end
if r[2] and tonumber(r[3] or '0') > at then return {'leased'} end
local rest = tonumber(r[4] or '0')
if rest > at then
  redis.call('ZADD', KEYS[4], rest, id)
  return {'rests'}
end
local most = tonumber(r[5] or '0') > 0 and 1 or tonumber(ARGV[5])
local places = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', at, 'LIMIT', 0, most)
if #places == 0 then
  local next = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
  if next[2] then redis.call('ZADD', KEYS[4], next[2], id) else redis.call('ZREM', KEYS[4], id) end
  return {'nothing'}
end
local ends = at + tonumber(ARGV[4])
redis.call('HSET', KEYS[1], 'lease', ARGV[3], 'until', ends)
redis.call('ZADD', KEYS[4], ends, id)
local old = r[8] and tonumber(r[9] or '0') > at and r[8] or ''
local answer = {'taken', at, r[6], r[7], old}
for _, place in ipairs(places) do
  answer[#answer + 1] = place
  answer[#answer + 1] = redis.call('HGET', KEYS[3], place) or '0'
end
return answer
`,
);

/**
 * Writes down what became of the events that were taken. A success ends the failing of an endpoint; one that has failed
 * for too long is disabled, and that is announced.
 *
 * KEYS record, deliveries, tries, due index, undelivered, log, events, counts
 * ARGV id, now, lease, rest ms after a failure, disable after ms, then for each event: place, outcome
 *      (delivered, retried, undelivered), ms until the next try, log line
 * → {'not yours'} | {'settled', ms until the next one is due (-1 = none is waiting), rev, disabled (1/0)}
 */
export const settleDeliveriesScript = defineScript(
  'settle deliveries',
  `
local id, at = ARGV[1], clock(ARGV[2])
local r = redis.call('HMGET', KEYS[1], 'lease', 'failingSince', 'url', 'account')
if r[1] ~= ARGV[3] then return {'not yours'} end
local taken, failed, word = 0, 0, ''
for i = 6, #ARGV, 4 do
  local place, outcome, wait, line = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  if outcome == 'retried' then
    redis.call('ZADD', KEYS[2], at + tonumber(wait), place)
    redis.call('HINCRBY', KEYS[3], place, 1)
  else
    redis.call('ZREM', KEYS[2], place)
    redis.call('HDEL', KEYS[3], place)
  end
  if outcome == 'undelivered' then redis.call('LPUSH', KEYS[5], place) end
  if outcome == 'delivered' then taken = taken + 1 else failed = failed + 1 end
  redis.call('LPUSH', KEYS[6], at .. '|' .. line)
end
redis.call('LTRIM', KEYS[6], 0, ${LOG_LINES - 1})
redis.call('HDEL', KEYS[1], 'lease', 'until')
local rev, rest, disabled = redis.call('HINCRBY', KEYS[1], 'rev', 1), 0, 0
if taken > 0 then
  redis.call('HSET', KEYS[1], 'deliveredAt', at)
  redis.call('HDEL', KEYS[1], 'failures', 'failingSince', 'restUntil')
elseif failed > 0 then
  local since = tonumber(r[2] or at)
  rest = at + tonumber(ARGV[4])
  redis.call('HINCRBY', KEYS[1], 'failures', 1)
  redis.call('HSET', KEYS[1], 'failingSince', since, 'restUntil', rest)
  if at - since >= tonumber(ARGV[5]) then
    disabled = 1
    redis.call('HSET', KEYS[1], 'state', 'disabled', 'disabledAt', at, 'reason', 'failing_for_days')
    local waiting = redis.call('ZREVRANGE', KEYS[2], 0, ${UNDELIVERED_MOST - 1})
    for _, place in ipairs(waiting) do redis.call('LPUSH', KEYS[5], place) end
    redis.call('UNLINK', KEYS[2], KEYS[3])
    local data = cjson.encode({id = id, state = 'disabled', url = r[3], reason = 'failing_for_days'})
    emit(KEYS[7], KEYS[1], KEYS[8], id, at, r[4], 'endpoint.disabled', data)
  end
end
redis.call('LTRIM', KEYS[5], 0, ${UNDELIVERED_MOST - 1})
local next = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
if not next[2] then
  redis.call('ZREM', KEYS[4], id)
  return {'settled', -1, rev, disabled}
end
local due = math.max(tonumber(next[2]), rest, at)
redis.call('ZADD', KEYS[4], due, id)
return {'settled', due - at, rev, disabled}
`,
);
