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
 * What was posted is kept, also about what we do not know; not where it says what the state says.
 *
 * KEYS record, due set, what was last posted
 * ARGV id, now, evidence, interval ms, states looked at in that queue (',a,b,'), what was posted ('' = nothing to keep),
 *      states that it agrees with (',a,b,'), s to keep it
 * → {'none'} | {'noted', state} (nothing to look at here, or a look is already on its way) | {'look', state, rev};
 *   the latter two with the field and the value of the evidence, where the record could be read
 */
export const hintScript = defineScript(
  'hint',
  `
local at = clock(ARGV[2])
local r = redis.call('HMGET', KEYS[1], 'state', 'lease', 'until', 'hintedAt', 'en', 'rev', 'v')
local here = ',' .. (r[1] or '') .. ','
if ARGV[6] ~= '' and not string.find(ARGV[7], here, 1, true) then
  redis.call('SET', KEYS[3], ARGV[6], 'EX', ARGV[8])
end
if not r[1] then return {'none'} end
-- What was posted is kept, and nothing else is touched: whoever can read the record asks upstream by itself.
local readable = r[7] == VERSION and pcall(function()
  for i, name in ipairs({'until', 'hintedAt', 'en', 'rev'}) do whole(r[i + 2], 0, name) end
end)
if not readable then return {'noted', r[1]} end
-- With what it says, if it is kept: an attempt that ends so meanwhile need not keep it.
local set, rev = {'hint', ARGV[6] ~= '' and ARGV[7] or ','}, nil
evidence_fields(at, ARGV[3], r[5], set)
local leased = r[2] and r[2] ~= '' and tonumber(r[3] or '0') > at
-- What it ended as is told once more: nothing is to be found out.
local known = string.find(ARGV[7], here, 1, true)
if string.find(ARGV[5], here, 1, true) and not leased and not known then
  local wait = math.max(0, tonumber(r[4] or '0') + tonumber(ARGV[4]) - at)
  local due = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or math.huge)
  if due > at + wait then
    set[#set + 1] = 'hintedAt'; set[#set + 1] = at + wait
    if wait == 0 then
      rev = tonumber(r[6] or '0') + 1
      set[#set + 1] = 'rev'; set[#set + 1] = rev
    end
    redis.call('ZADD', KEYS[2], wait == 0 and math.min(due, at + ${HINT_WAKE_GRACE_MS}) or at + wait, ARGV[1])
  end
end
redis.call('HSET', KEYS[1], unpack(set))
return {rev and 'look' or 'noted', r[1], rev or 0, set[3], set[4]}
`,
);
