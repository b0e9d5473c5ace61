import { defineScript } from './script.ts';

/**
 * KEYS record, endpoints, dispatch, events · ARGV id, now, how many at most, then field/value pairs
 * → {'added', now} | {'too many'}
 *
 * It gets the events after this moment. Without any endpoint nobody moves the cursor, so the first one moves it here.
 */
export const addEndpointScript = defineScript(
  'add endpoint',
  `
local id, at = ARGV[1], clock(ARGV[2])
local count = redis.call('SCARD', KEYS[2])
if count >= tonumber(ARGV[3]) then return {'too many'} end
local last = redis.call('XREVRANGE', KEYS[4], '+', '-', 'COUNT', 1)
local place = last[1] and last[1][1] or '0-0'
local fields = {'id', id, 'kind', 'endpoint', 'state', 'enabled', 'rev', 1, 'createdAt', at, 'from', place}
for i = 4, #ARGV do fields[#fields + 1] = ARGV[i] end
redis.call('HSET', KEYS[1], unpack(fields))
redis.call('SADD', KEYS[2], id)
redis.call('HINCRBY', KEYS[3], 'rev', 1)
if count == 0 then redis.call('HSET', KEYS[3], 'cursor', place) end
return {'added', at}
`,
);

/** KEYS record, endpoints, dispatch, due index, deliveries, tries, undelivered, log · ARGV id · → 1 if it was there */
export const removeEndpointScript = defineScript(
  'remove endpoint',
  `
if redis.call('SREM', KEYS[2], ARGV[1]) == 0 then return 0 end
redis.call('UNLINK', KEYS[1], KEYS[5], KEYS[6], KEYS[7], KEYS[8])
redis.call('ZREM', KEYS[4], ARGV[1])
redis.call('HINCRBY', KEYS[3], 'rev', 1)
return 1
`,
);

/** Another secret; the one before still signs for a while. KEYS record · ARGV now, secret, ms · → 1 | 0: no endpoint */
export const rotateEndpointScript = defineScript(
  'rotate endpoint secret',
  `
local at = clock(ARGV[1])
local old = redis.call('HGET', KEYS[1], 'secret')
if not old then return 0 end
redis.call('HSET', KEYS[1], 'secret', ARGV[2], 'oldSecret', old, 'oldUntil', at + tonumber(ARGV[3]))
return 1
`,
);

/**
 * The same secrets under another seal, unless one of them was changed since it was read.
 *
 * KEYS record · ARGV the secrets as they were read (the newest first), then the same sealed anew · → 1 | 0: changed
 */
export const resealEndpointScript = defineScript(
  'reseal endpoint secrets',
  `
local names, count = {'secret', 'oldSecret'}, #ARGV / 2
local kept = redis.call('HMGET', KEYS[1], unpack(names))
for i = 1, #names do
  if (kept[i] or nil) ~= (i <= count and ARGV[i] or nil) then return 0 end
end
for i = 1, count do redis.call('HSET', KEYS[1], names[i], ARGV[count + i]) end
return count > 0 and 1 or 0
`,
);

/**
 * Hands events to the endpoints that want them, and moves the cursor, in one step. Whoever finds that the cursor or the
 * list of endpoints is no longer as it read them does nothing: somebody else was quicker.
 *
 * KEYS dispatch, due index, then record and deliveries of each endpoint
 * ARGV now, cursor as read, list of endpoints as read, new cursor, then for each endpoint: id, how many, their places
 * → 1 when it was done
 */
export const dispatchScript = defineScript(
  'dispatch events',
  `
local at = clock(ARGV[1])
local r = redis.call('HMGET', KEYS[1], 'cursor', 'rev')
if (r[1] or '0-0') ~= ARGV[2] or (r[2] or '0') ~= ARGV[3] then return 0 end
redis.call('HSET', KEYS[1], 'cursor', ARGV[4])
local i, k = 5, 3
while i <= #ARGV do
  local id, count = ARGV[i], tonumber(ARGV[i + 1])
  local e = redis.call('HMGET', KEYS[k], 'state', 'restUntil')
  if e[1] == 'enabled' then
    for j = i + 2, i + 1 + count do redis.call('ZADD', KEYS[k + 1], 'NX', at, ARGV[j]) end
    redis.call('ZADD', KEYS[2], 'LT', math.max(at, tonumber(e[2] or '0')), id)
  end
  i, k = i + 2 + count, k + 2
end
return 1
`,
);

/**
 * Events that an endpoint is to get once more, whatever became of them. A disabled endpoint is enabled by it.
 *
 * KEYS record, deliveries, tries, due index, dispatch · ARGV id, now, places · → how many, or -1: no such endpoint
 */
export const replayScript = defineScript(
  'replay events',
  `
local id, at = ARGV[1], clock(ARGV[2])
local state = redis.call('HGET', KEYS[1], 'state')
if not state then return -1 end
if state ~= 'enabled' then
  redis.call('HSET', KEYS[1], 'state', 'enabled')
  redis.call('HINCRBY', KEYS[5], 'rev', 1)
end
redis.call('HDEL', KEYS[1], 'failures', 'failingSince', 'restUntil', 'reason', 'disabledAt')
for i = 3, #ARGV do
  redis.call('ZADD', KEYS[2], at, ARGV[i])
  redis.call('HDEL', KEYS[3], ARGV[i])
end
if #ARGV > 2 then redis.call('ZADD', KEYS[4], 'LT', at, id) end
return #ARGV - 2
`,
);
