import { defineScript } from './script.ts';

const HOLD = `
local function hold(at)
  whole(redis.call('HGET', KEYS[1], 'seq'), 0, 'seq')
  if redis.call('HSETNX', KEYS[1], 'held:' .. ARGV[3], at) == 0 then return 0 end
  redis.call('HSET', KEYS[1], 'probe:' .. ARGV[3], at)
  redis.call('SADD', KEYS[2], ARGV[1])
  emit(KEYS[3], KEYS[1], KEYS[4], ARGV[1], at, ARGV[1], 'account.held', ARGV[4])
  return 1
end
`;

/**
 * An account is held once per reason, whatever the number of operations that met the condition: one event, not a storm.
 * The event's operation is the account itself, so its sequence counts the account's own announcements.
 *
 * KEYS account, names of held accounts, events, counts
 * ARGV name, now, reason, event data · → 1 when this call changed something
 */
export const holdAccountScript = defineScript(
  'hold account',
  `
${HOLD}
return hold(clock(ARGV[2]))
`,
);

/**
 * One more of the failures that count only when they come in a row: the last of them holds the account. What lies
 * longer ago than the window began another row.
 *
 * KEYS as above · ARGV as above, then how many make a hold, window ms · → 1 when this one held the account
 */
export const countFailureScript = defineScript(
  'count failure',
  `
${HOLD}
local at = clock(ARGV[2])
local row, last = 'row:' .. ARGV[3], 'rowAt:' .. ARGV[3]
local r = redis.call('HMGET', KEYS[1], row, last, 'seq')
for i = 1, 3 do whole(r[i], 0, 'a count') end
if at - tonumber(r[2] or '0') > tonumber(ARGV[6]) then redis.call('HDEL', KEYS[1], row) end
redis.call('HSET', KEYS[1], last, at)
if redis.call('HINCRBY', KEYS[1], row, 1) < tonumber(ARGV[5]) then return 0 end
redis.call('HDEL', KEYS[1], row, last)
return hold(at)
`,
);

/** As above; the account leaves the list of held ones with its last reason. */
export const releaseAccountScript = defineScript(
  'release account',
  `
local at = clock(ARGV[2])
whole(redis.call('HGET', KEYS[1], 'seq'), 0, 'seq')
if redis.call('HDEL', KEYS[1], 'held:' .. ARGV[3]) == 0 then return 0 end
redis.call('HDEL', KEYS[1], 'probe:' .. ARGV[3])
local still = 0
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(field, 1, 5) == 'held:' then still = still + 1 end
end
if still == 0 then redis.call('SREM', KEYS[2], ARGV[1]) end
emit(KEYS[3], KEYS[1], KEYS[4], ARGV[1], at, ARGV[1], 'account.released', ARGV[4])
return 1
`,
);

/**
 * While a condition lasts, one operation per interval is let through to see whether it has cleared.
 *
 * KEYS account · ARGV now, interval ms, reason · → 1 for the one that may look
 */
export const probeAccountScript = defineScript(
  'probe account',
  `
local at = clock(ARGV[1])
local r = redis.call('HMGET', KEYS[1], 'held:' .. ARGV[3], 'probe:' .. ARGV[3])
if not r[1] then return 1 end
if at - tonumber(r[2] or '0') < tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], 'probe:' .. ARGV[3], at)
return 1
`,
);
