import { defineScript } from './script.ts';

/**
 * Whoever hands out wakes somebody at once; the due index looks after this if that was lost. It is as long as a full
 * window may wait for its slots: woken by the sweeper too, each of them would be looked at twice.
 */
const CHUNK_WAKE_GRACE_MS = 20_000;

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
local r = redis.call('HMGET', KEYS[1], 'state', 'uploads', 'id', 'v', 't:queued', 't:skipped', 't:total', 'chunks', 'segments', 'rev')
if (r[1] ~= 'draft' and r[1] ~= 'ready') or (r[2] or '[]') ~= ARGV[2] then return {'changed', r[1] or ''} end
same_version(r[4])
for i = 5, 10 do whole(r[i], 0, 'a count') end
if not r[3] then refuse('id') end
redis.call('HSET', KEYS[1], 'uploads', ARGV[3], 'updatedAt', at)
redis.call('HINCRBY', KEYS[1], 't:queued', ARGV[4])
redis.call('HINCRBY', KEYS[1], 't:skipped', ARGV[5])
redis.call('HINCRBY', KEYS[1], 't:total', tonumber(ARGV[4]) + tonumber(ARGV[5]))
redis.call('HINCRBY', KEYS[1], 'chunks', ARGV[6])
redis.call('HINCRBY', KEYS[1], 'segments', ARGV[7])
redis.call('HINCRBY', KEYS[1], 'rev', 1)
tally(KEYS[5], 'queued', ARGV[6])
if r[1] == 'draft' then
  redis.call('HSET', KEYS[1], 'state', 'ready', 'since', at)
  move(KEYS[2], KEYS[3], KEYS[4], r[3], at, 'draft', 'ready', '')
end
return {'committed'}
`,
);

/**
 * Moves a campaign from one state to another. One that is to run and may not yet is `scheduled` instead, and starts by
 * itself when its time has come.
 *
 * KEYS campaign, events, counts, due set of campaigns, parked, due set of chunks, state set of `to`, state set of
 *      `scheduled`, then the sets of the states in ARGV order
 * ARGV id, now, to, event type ('' = none), final (1/0), reason ('' = none), only if it is held for this reason ('' =
 *      whatever for), look again in ms ('' = not), then the states it may be left from
 * → {'applied', state left, rev, state entered} | {'refused', state}
 */
export const switchCampaignScript = defineScript(
  'switch campaign',
  `
local id, at, to = ARGV[1], clock(ARGV[2]), ARGV[3]
local r = redis.call('HMGET', KEYS[1], 'state', 'account', 'reference', 'name', 'reason', 'sendAt', 'v', 'rev', 'seq',
  't:sent', 't:failed', 't:unknown', 't:queued', 't:held', 't:cancelled')
local from, set = nil, nil
for i = 9, #ARGV do if ARGV[i] == r[1] then from = r[1]; set = KEYS[i] end end
if not from or (ARGV[7] ~= '' and r[5] ~= ARGV[7]) then return {'refused', r[1] or ''} end
same_version(r[7])
if not r[2] then refuse('account') end
whole(r[6], 0, 'sendAt')
for i = 8, 15 do whole(r[i], 0, 'a count') end
local entered = KEYS[7]
if to == 'running' and r[6] and tonumber(r[6]) > at then to = 'scheduled'; entered = KEYS[8] end
if from == to then return {'applied', from, tonumber(redis.call('HGET', KEYS[1], 'rev')), to} end
redis.call('HSET', KEYS[1], 'state', to, 'since', at, 'updatedAt', at)
if ARGV[6] == '' then redis.call('HDEL', KEYS[1], 'reason') else redis.call('HSET', KEYS[1], 'reason', ARGV[6]) end
move(KEYS[3], set, ARGV[5] == '1' and '' or entered, id, at, from, to, '')
if to == 'running' then
  redis.call('HSETNX', KEYS[1], 'startedAt', at)
  -- Somebody, or time, has said "go on": what failed or is in doubt before that is not held against it again.
  local t = redis.call('HMGET', KEYS[1], 't:sent', 't:failed', 't:unknown')
  local failed, unknown = tonumber(t[2] or '0'), tonumber(t[3] or '0')
  redis.call('HSET', KEYS[1], 'judgedFailed', failed, 'judgedUnknown', unknown, 'judgedOver',
    tonumber(t[1] or '0') + failed + unknown)
  if from == 'held' and string.sub(r[5] or '', 1, 7) == 'canary_' then redis.call('HSET', KEYS[1], 'canaryOver', 1) end
  redis.call('ZADD', KEYS[4], at, id)
  for _, chunk in ipairs(redis.call('SMEMBERS', KEYS[5])) do redis.call('ZADD', KEYS[6], at, chunk) end
  redis.call('DEL', KEYS[5])
elseif to == 'scheduled' then
  redis.call('ZADD', KEYS[4], r[6], id)
elseif ARGV[8] ~= '' then
  redis.call('ZADD', KEYS[4], at + tonumber(ARGV[8]), id)
else
  redis.call('ZREM', KEYS[4], id)
end
if to == 'cancelled' then
  local t = redis.call('HMGET', KEYS[1], 't:queued', 't:held')
  redis.call('HINCRBY', KEYS[1], 't:cancelled', tonumber(t[1] or '0') + tonumber(t[2] or '0'))
  redis.call('HSET', KEYS[1], 't:queued', 0, 't:held', 0)
  -- Some of these were to go out a second time: what became of the first one is written down for them again.
  for _, chunk in ipairs(redis.call('SMEMBERS', KEYS[5])) do redis.call('ZADD', KEYS[6], at, chunk) end
  redis.call('DEL', KEYS[5])
end
if ARGV[4] ~= '' then
  local data = {id = id, state = to, name = r[4]}
  if r[3] then data.reference = r[3] end
  if ARGV[6] ~= '' then data.reason = ARGV[6] end
  emit(KEYS[2], KEYS[1], KEYS[3], id, at, r[2], ARGV[4], cjson.encode(data))
end
return {'applied', from, redis.call('HINCRBY', KEYS[1], 'rev', 1), to}
`,
);

/**
 * Hands out the next chunks of a running campaign, in the order of their uploads. Whoever read the campaign before
 * somebody else handed out hands out nothing. It stays due as long as it runs: what may stand in its way comes with
 * time, not with chunks.
 *
 * KEYS campaign, due set of chunks, due set of campaigns
 * ARGV id, now, how many were handed out as it was read, look again in ms, how many recipients were over, and how many
 *      of them failed and were in doubt, when that was judged ('' = as it stands), the canary is over (1/0), then the
 *      chunks to hand out
 * → 1 when they were handed out
 */
export const feedScript = defineScript(
  'feed',
  `
local at = clock(ARGV[2])
local r = redis.call('HMGET', KEYS[1], 'state', 'fed', 'v', 'out')
if r[1] ~= 'running' or r[3] ~= VERSION or whole(r[4], 0, 'out') < 0 or whole(r[2], 0, 'fed') ~= tonumber(ARGV[3]) then return 0 end
local chunks = #ARGV - 8
redis.call('HSET', KEYS[1], 'canaryOver', ARGV[8])
if ARGV[5] ~= '' then
  redis.call('HSET', KEYS[1], 'judgedOver', ARGV[5], 'judgedFailed', ARGV[6], 'judgedUnknown', ARGV[7])
end
for i = 9, #ARGV do redis.call('ZADD', KEYS[2], at + ${CHUNK_WAKE_GRACE_MS}, ARGV[i]) end
if chunks > 0 then
  redis.call('HINCRBY', KEYS[1], 'fed', chunks)
  redis.call('HINCRBY', KEYS[1], 'out', chunks)
end
redis.call('ZADD', KEYS[3], at + tonumber(ARGV[4]), ARGV[1])
return 1
`,
);

/**
 * Nothing is to be done for this campaign until later, or until somebody switches it.
 *
 * KEYS campaign, due set of campaigns
 * ARGV id, the state it was read in, due at (ms since the epoch; '' = not at all)
 */
export const restScript = defineScript(
  'rest',
  `
local r = redis.call('HMGET', KEYS[1], 'state', 'v')
if r[1] ~= ARGV[2] or r[2] ~= VERSION then return 0 end
if ARGV[3] == '' then redis.call('ZREM', KEYS[2], ARGV[1]) else redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1]) end
return 1
`,
);

/**
 * Changes how a campaign is sent, from the next chunk on.
 *
 * KEYS campaign, due set of campaigns
 * ARGV id, now, final states (',a,b,'), then field/value pairs: '' deletes the field
 * → {'applied', rev} | {'refused', state}
 */
export const amendCampaignScript = defineScript(
  'amend campaign',
  `
local at = clock(ARGV[2])
local r = redis.call('HMGET', KEYS[1], 'state', 'v', 'rev')
local state = r[1] or ''
if string.find(ARGV[3], ',' .. state .. ',', 1, true) then return {'refused', state} end
same_version(r[2])
whole(r[3], 0, 'rev')
for i = 4, #ARGV, 2 do
  if ARGV[i + 1] == '' then redis.call('HDEL', KEYS[1], ARGV[i]) else redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
  -- A slow pace has put the next recipient far off.
  if ARGV[i] == 'perSecond' then redis.call('HDEL', KEYS[1], 'paceAt') end
end
redis.call('HSET', KEYS[1], 'updatedAt', at)
if state == 'running' or state == 'held' then redis.call('ZADD', KEYS[2], at, ARGV[1]) end
return {'applied', redis.call('HINCRBY', KEYS[1], 'rev', 1)}
`,
);
