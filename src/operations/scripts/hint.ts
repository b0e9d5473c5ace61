import { defineScript } from './script.ts';

/**
 * Whoever is told to look adds a wake-up at once; the due index looks after this if it was lost. Due at once, the
 * sweeper would add a second one: seen at every fourth disbursement.
 */
export const HINT_WAKE_GRACE_MS = 2_000;

/**
 * Somebody may know more (a callback came): keep what was said as evidence and make the next look due, at most one per
 * operation and interval. Changes no state.
 *
 * KEYS record, due set
 * ARGV id, now, evidence, interval ms, states looked at in that queue (',a,b,')
 * → {'none'} | {'noted', state} (nothing to look at here, or a look is already on its way) | {'look', state, rev}
 */
export const hintScript = defineScript(
  'hint',
  `
local at = clock(ARGV[2])
local r = redis.call('HMGET', KEYS[1], 'state', 'lease', 'until', 'hintedAt')
if not r[1] then return {'none'} end
add_evidence(KEYS[1], at, ARGV[3])
if not string.find(ARGV[5], ',' .. r[1] .. ',', 1, true) then
  redis.call('HSET', KEYS[1], 'hint', at)
  return {'noted', r[1]}
end
local last = tonumber(r[4] or '0')
local wait = math.max(0, last + tonumber(ARGV[4]) - at)
redis.call('HSET', KEYS[1], 'hint', at)
if r[2] and r[2] ~= '' and tonumber(r[3] or '0') > at then return {'noted', r[1]} end
local due = redis.call('ZSCORE', KEYS[2], ARGV[1])
if due and tonumber(due) <= at + wait then return {'noted', r[1]} end
redis.call('HSET', KEYS[1], 'hintedAt', at + wait)
local look = at + wait
if wait == 0 then look = math.min(due and tonumber(due) or math.huge, at + ${HINT_WAKE_GRACE_MS}) end
redis.call('ZADD', KEYS[2], look, ARGV[1])
if wait > 0 then return {'noted', r[1]} end
local rev = redis.call('HINCRBY', KEYS[1], 'rev', 1)
return {'look', r[1], rev}
`,
);
