import { FINISH } from './chunk.ts';
import { defineScript } from './script.ts';

/** Keys of requests to retry that are remembered: each of them starts one retry, whenever it is asked again. */
const KEYS_KEPT = 20;

/**
 * Lets a finished campaign run again for those who failed, and where that is asked for, those who are unknown. From
 * here on `walk` is the place of the next chunk to be looked through; while it is there the campaign is not over.
 *
 * KEYS campaign, counts of campaigns, state set running, due set of campaigns
 * ARGV id, now, key of the request ('' = none), those who are unknown too (1/0)
 * → {'applied', rev} | {'replayed'} | {'under way'} (the same retry) | {'nobody'} | {'refused', state}
 */
export const retryScript = defineScript(
  'retry campaign',
  `
local id, at = ARGV[1], clock(ARGV[2])
local r = redis.call('HMGET', KEYS[1], 'state', 'retryKeys', 't:failed', 't:unknown', 't:sent', 'retries', 'retryUnknown', 'v', 'rev')
if r[1] then same_version(r[8]) end
for _, i in ipairs({3, 4, 5, 6, 9}) do whole(r[i], 0, 'a count') end
local decoded, known = pcall(cjson.decode, r[2] or '[]')
if not decoded or type(known) ~= 'table' then refuse('retryKeys') end
for _, key in ipairs(known) do if ARGV[3] ~= '' and key == ARGV[3] then return {'replayed'} end end
if r[1] == 'running' and r[6] and (r[7] or '0') == ARGV[4] then return {'under way'} end
if r[1] ~= 'finished' then return {'refused', r[1] or ''} end
if tonumber(r[3] or '0') + (ARGV[4] == '1' and tonumber(r[4] or '0') or 0) == 0 then return {'nobody'} end
if ARGV[3] ~= '' then
  known[#known + 1] = ARGV[3]
  if #known > ${KEYS_KEPT} then table.remove(known, 1) end
  redis.call('HSET', KEYS[1], 'retryKeys', cjson.encode(known))
end
redis.call('HSET', KEYS[1], 'state', 'running', 'since', at, 'updatedAt', at, 'walk', 0, 'walkUnknown', ARGV[4],
  'retryUnknown', ARGV[4], 'extra', 0)
-- What failed or is in doubt before it is retried is not held against it again.
local over = tonumber(r[5] or '0') + tonumber(r[3] or '0') + tonumber(r[4] or '0')
redis.call('HSET', KEYS[1], 'judgedFailed', tonumber(r[3] or '0'), 'judgedUnknown', tonumber(r[4] or '0'), 'judgedOver', over)
redis.call('HINCRBY', KEYS[1], 'retries', 1)
move(KEYS[2], KEYS[3], KEYS[3], id, at, 'finished', 'running', '')
redis.call('ZADD', KEYS[4], at, id)
return {'applied', redis.call('HINCRBY', KEYS[1], 'rev', 1)}
`,
);

/**
 * Opens a chunk that is over again, for some of its recipients: once in each retry, whoever asks and however often.
 *
 * KEYS chunk, campaign, counts of chunks, state set queued, due set of chunks
 * ARGV chunk id, now, which retry, revision of the chunk as it was read, outcome and `again` as they become, then the
 *      fields of the campaign and by how much each changes
 * → {'opened'} | {'done'} (there is nothing to open) | {'stopped'} (the retry does not go on at this moment) |
 *   {'changed'} (it is not as it was read)
 */
export const reopenScript = defineScript(
  'reopen chunk',
  `
local at = clock(ARGV[2])
local c = redis.call('HMGET', KEYS[2], 'state', 'retries', 'walk', 'v', 'settled', 'out', 'judgedFailed', 'judgedUnknown', 'judgedOver')
if c[1] ~= 'running' or c[2] ~= ARGV[3] or not c[3] then return {'stopped'} end
local r = redis.call('HMGET', KEYS[1], 'state', 'rev', 'retry', 'v')
if r[1] ~= 'settled' or r[3] == ARGV[3] then return {'done'} end
if r[2] ~= ARGV[4] then return {'changed'} end
same_version(r[4])
same_version(c[4])
whole(r[2], 0, 'rev')
for i = 5, 9 do whole(c[i], 0, 'a count') end
for i = 7, #ARGV, 2 do whole(redis.call('HGET', KEYS[2], ARGV[i]), 0, ARGV[i]) end
redis.call('HSET', KEYS[1], 'state', 'queued', 'since', at, 'updatedAt', at, 'retry', ARGV[3], 'outcome', ARGV[5])
if ARGV[6] == '' then redis.call('HDEL', KEYS[1], 'again') else redis.call('HSET', KEYS[1], 'again', ARGV[6]) end
redis.call('HDEL', KEYS[1], 'plan', 'refusedAs', 'looks', 'resends', 'tries', 'firstSentAt', 'restored')
redis.call('HINCRBY', KEYS[1], 'rev', 1)
move(KEYS[3], KEYS[4], KEYS[4], ARGV[1], at, 'settled', 'queued', '')
redis.call('ZADD', KEYS[5], at, ARGV[1])
redis.call('HINCRBY', KEYS[2], 'settled', -1)
redis.call('HINCRBY', KEYS[2], 'out', 1)
for i = 7, #ARGV, 2 do
  redis.call('HINCRBY', KEYS[2], ARGV[i], ARGV[i + 1])
  -- Those who go out again are no longer among those that were judged.
  if ARGV[i] == 't:failed' then redis.call('HINCRBY', KEYS[2], 'judgedFailed', ARGV[i + 1]) end
  if ARGV[i] == 't:unknown' then redis.call('HINCRBY', KEYS[2], 'judgedUnknown', ARGV[i + 1]) end
  if ARGV[i] == 't:failed' or ARGV[i] == 't:unknown' then redis.call('HINCRBY', KEYS[2], 'judgedOver', ARGV[i + 1]) end
end
return {'opened'}
`,
);

/**
 * Notes how far the chunks have been looked through. After the last one the campaign is over as soon as they are.
 *
 * KEYS campaign, due set of campaigns, events, counts of campaigns, state set running
 * ARGV id, now, which retry, place it was read at, place it becomes, again in ms
 */
export const walkedScript = defineScript(
  'walked',
  `${FINISH}
local at = clock(ARGV[2])
local r = redis.call('HMGET', KEYS[1], 'state', 'retries', 'walk', 'chunks', 'v', 'account', 'id', 'settled', 'rev', 'seq')
if r[1] ~= 'running' or r[2] ~= ARGV[3] or r[3] ~= ARGV[4] then return 0 end
same_version(r[5])
if not (r[4] and r[6] and r[7]) then refuse('chunks, account or id') end
for _, i in ipairs({4, 8, 9, 10}) do whole(r[i], 0, 'a count') end
redis.call('ZADD', KEYS[2], at + tonumber(ARGV[6]), ARGV[1])
if tonumber(ARGV[5]) < tonumber(r[4]) then
  redis.call('HSET', KEYS[1], 'walk', ARGV[5])
else
  redis.call('HDEL', KEYS[1], 'walk', 'walkUnknown')
  finish_if_over(KEYS[1], at, KEYS[3], KEYS[4], KEYS[2], {KEYS[5]})
end
return 1
`,
);
