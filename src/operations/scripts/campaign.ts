import { defineScript } from './script.ts';

/** A wake-up job follows at once; the due index looks after this if it was lost. */
const CHUNK_WAKE_GRACE_MS = 5_000;

/**
 * Counts a whole upload, or nothing of it.
 *
 * KEYS campaign, counts of campaigns, state set draft, state set ready, counts of chunks
 * ARGV now, uploads as they were read, uploads as they become, recipients, skipped, chunks, segments
 * → {'committed'} | {'changed', state}
 */
export const commitUploadScript = defineScript(
  'commit upload',
  `
local at = clock(ARGV[1])
local r = redis.call('HMGET', KEYS[1], 'state', 'uploads', 'id')
if (r[1] ~= 'draft' and r[1] ~= 'ready') or (r[2] or '[]') ~= ARGV[2] then return {'changed', r[1] or ''} end
redis.call('HSET', KEYS[1], 'uploads', ARGV[3], 'updatedAt', at)
redis.call('HINCRBY', KEYS[1], 't:queued', ARGV[4])
redis.call('HINCRBY', KEYS[1], 't:skipped', ARGV[5])
redis.call('HINCRBY', KEYS[1], 't:total', tonumber(ARGV[4]) + tonumber(ARGV[5]))
redis.call('HINCRBY', KEYS[1], 'chunks', ARGV[6])
redis.call('HINCRBY', KEYS[1], 'segments', ARGV[7])
redis.call('HINCRBY', KEYS[1], 'rev', 1)
redis.call('HINCRBY', KEYS[5], 'queued', ARGV[6])
if r[1] == 'draft' then
  redis.call('HSET', KEYS[1], 'state', 'ready', 'since', at)
  move(KEYS[2], KEYS[3], KEYS[4], r[3], at, 'draft', 'ready', '')
end
return {'committed'}
`,
);

/**
 * Starts, pauses, resumes or cancels a campaign.
 *
 * KEYS campaign, events, counts, due set of campaigns, parked, due set of chunks, then the sets of the states in ARGV
 * order
 * ARGV id, now, to, event type ('' = none), final (1/0), then the states it may be left from
 * → {'applied', state left, rev} | {'refused', state}
 */
export const switchCampaignScript = defineScript(
  'switch campaign',
  `
local id, at, to = ARGV[1], clock(ARGV[2]), ARGV[3]
local r = redis.call('HMGET', KEYS[1], 'state', 'account', 'reference', 'name')
local from, set = nil, nil
for i = 6, #ARGV do if ARGV[i] == r[1] then from = r[1]; set = KEYS[8 + i - 6] end end
if not from then return {'refused', r[1] or ''} end
redis.call('HSET', KEYS[1], 'state', to, 'since', at, 'updatedAt', at)
if to == 'running' then redis.call('HSETNX', KEYS[1], 'startedAt', at) end
move(KEYS[3], set, ARGV[5] == '1' and '' or KEYS[7], id, at, from, to, '')
if to == 'running' then
  redis.call('ZADD', KEYS[4], at, id)
  for _, chunk in ipairs(redis.call('SMEMBERS', KEYS[5])) do redis.call('ZADD', KEYS[6], at, chunk) end
  redis.call('DEL', KEYS[5])
else
  redis.call('ZREM', KEYS[4], id)
end
if to == 'cancelled' then
  local t = redis.call('HMGET', KEYS[1], 't:queued', 't:held')
  redis.call('HINCRBY', KEYS[1], 't:cancelled', tonumber(t[1] or '0') + tonumber(t[2] or '0'))
  redis.call('HSET', KEYS[1], 't:queued', 0, 't:held', 0)
  redis.call('DEL', KEYS[5])
end
if ARGV[4] ~= '' then
  local data = {id = id, state = to, name = r[4]}
  if r[3] then data.reference = r[3] end
  emit(KEYS[2], KEYS[1], id, at, r[2], ARGV[4], cjson.encode(data))
end
return {'applied', from, redis.call('HINCRBY', KEYS[1], 'rev', 1)}
`,
);

/**
 * Hands out the next chunks of a running campaign, in the order of their uploads. Whoever read the campaign before
 * somebody else handed out hands out nothing.
 *
 * KEYS campaign, due set of chunks, due set of campaigns
 * ARGV id, now, how many were handed out as it was read, look again in ms, then the chunks to hand out
 * → 1 when they were handed out
 */
export const feedScript = defineScript(
  'feed',
  `
local at = clock(ARGV[2])
local r = redis.call('HMGET', KEYS[1], 'state', 'fed', 'chunks')
if r[1] ~= 'running' then
  redis.call('ZREM', KEYS[3], ARGV[1])
  return 0
end
if tonumber(r[2] or '0') ~= tonumber(ARGV[3]) then return 0 end
for i = 5, #ARGV do redis.call('ZADD', KEYS[2], at + ${CHUNK_WAKE_GRACE_MS}, ARGV[i]) end
local fed = redis.call('HINCRBY', KEYS[1], 'fed', #ARGV - 4)
if fed < tonumber(r[3] or '0') then
  redis.call('ZADD', KEYS[3], at + tonumber(ARGV[4]), ARGV[1])
else
  redis.call('ZREM', KEYS[3], ARGV[1])
end
return 1
`,
);
