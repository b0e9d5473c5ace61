import { defineScript } from './script.ts';

/**
 * Replaces the recipients of a chunk that nobody works on, as it was read. Those who were waiting are left out from
 * now on, and counted so.
 *
 * KEYS chunk, campaign
 * ARGV now, state, items and outcome as they were read, items and outcome as they become, how many were waiting
 * → 1 when it was done
 */
export const purgeChunkScript = defineScript(
  'purge chunk',
  `
local r = redis.call('HMGET', KEYS[1], 'state', 'items', 'outcome', 'until', 'v', 'rev')
if r[1] ~= ARGV[2] or r[2] ~= ARGV[3] or (r[3] or '') ~= ARGV[4] then return 0 end
if r[5] ~= VERSION or (r[4] and whole(r[4], 0, 'until') > clock(ARGV[1])) then return 0 end
whole(r[6], 0, 'rev')
local waiting = tonumber(ARGV[7])
if waiting > 0 then
  local c = redis.call('HMGET', KEYS[2], 'v', 't:queued', 't:skipped')
  same_version(c[1])
  whole(c[2], 0, 't:queued')
  whole(c[3], 0, 't:skipped')
end
redis.call('HSET', KEYS[1], 'items', ARGV[5])
if ARGV[6] ~= ARGV[4] then redis.call('HSET', KEYS[1], 'outcome', ARGV[6]) end
-- Whoever has read the numbers before must not go on with them: neither an attempt whose lease has ended, nor a retry.
redis.call('HDEL', KEYS[1], 'lease', 'until')
redis.call('HINCRBY', KEYS[1], 'rev', 1)
if waiting > 0 then
  redis.call('HINCRBY', KEYS[2], 't:queued', -waiting)
  redis.call('HINCRBY', KEYS[2], 't:skipped', waiting)
end
return 1
`,
);

/**
 * KEYS message · ARGV state and number as they were read, number as it becomes · → 1 when it was done
 */
export const purgeMessageScript = defineScript(
  'purge message',
  `
local r = redis.call('HMGET', KEYS[1], 'state', 'to', 'v')
if r[1] ~= ARGV[1] or r[2] ~= ARGV[2] or r[3] ~= VERSION then return 0 end
redis.call('HSET', KEYS[1], 'to', ARGV[3], 'text', '')
return 1
`,
);
