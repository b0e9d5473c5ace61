import { OFF, declarationOf, moneyLimits } from '../limits.ts';
import { OF_ANOTHER } from '../stamp.ts';
import { defineScript } from './script.ts';

const higher = moneyLimits.filter((name) => declarationOf(name).stricter === 'higher');
const fallbacks = moneyLimits.flatMap((name) => {
  const { fallback } = declarationOf(name);
  return fallback === undefined ? [] : [`${name} = '${fallback}'`];
});

/**
 * Which of two opinions lets less through. `strictest` answers the one that holds as it was written, or nil: no limit.
 * A default holds only where neither the process nor Redis has an opinion.
 */
const STRICTEST = `
local stricter_is_higher = {${higher.map((name) => `${name} = true`).join(', ')}}
local fallback_of = {${fallbacks.join(', ')}}
local function looseness(name, value)
  if value == '${OFF}' then return math.huge end
  return stricter_is_higher[name] and -tonumber(value) or tonumber(value)
end
local function strictest(name, own, shared)
  local value = shared or (own == '' and fallback_of[name] or own)
  if own ~= '' and shared and looseness(name, own) < looseness(name, shared) then value = own end
  if not value or value == '' or value == '${OFF}' then return nil end
  return value
end
`;

/** The members of the hash that belong to one limit, besides its value. */
const MEMBERS = `
local function forget_asked(name)
  redis.call('HDEL', KEYS[1], name .. '.asked', name .. '.askedBy', name .. '.askedAt')
end
-- '.settings': nobody but settings has said anything about it since there was no opinion.
local function put(name, value, by, at, op, was)
  redis.call('HSET', KEYS[1], name, value, name .. '.by', by, name .. '.since', at)
  redis.call('HSET', KEYS[1], name .. '.op', op, name .. '.was', was)
  redis.call('HDEL', KEYS[1], name .. '.settings')
  forget_asked(name)
end
`;

/**
 * What a process that starts is told to keep to. Where it is stricter than what holds, it holds for all from now on;
 * where it is looser, nothing is changed.
 *
 * A process that runs tells its settings again once Redis may have lost them: only where Redis has no opinion, or none
 * but that of settings. What people have said meanwhile stays, also where it is looser.
 *
 * Sent again after a lost reply, it tells what it did the first time.
 *
 * KEYS limits, stamp
 * ARGV now, who says so, how this start is known again, '1' where it runs already, which deployment it is of, then
 *      name/value pairs
 * → for each that is not what holds already: name, 'lowered' or 'looser', what was asked for before ('' = nobody had an
 *   opinion)
 */
export const publishLimitsScript = defineScript(
  'publish-limits',
  `${STRICTEST}${MEMBERS}${OF_ANOTHER}
local at, told, runs = clock(ARGV[1]), {}, ARGV[4] == '1'
if of_another(KEYS[2], ARGV[5]) then return told end
for i = 6, #ARGV, 2 do
  local name, value = ARGV[i], ARGV[i + 1]
  local found = redis.call('HMGET', KEYS[1], name, name .. '.op', name .. '.was', name .. '.settings')
  local shared, did = found[1], nil
  local only_settings = not shared or found[4]
  if found[2] == ARGV[3] then
    did, shared = 'lowered', found[3]
  elseif (not shared or looseness(name, value) < looseness(name, shared)) and (only_settings or not runs) then
    did = 'lowered'
    put(name, value, ARGV[2], at, ARGV[3], shared or '')
    if only_settings then redis.call('HSET', KEYS[1], name .. '.settings', 1) end
  elseif looseness(name, value) > looseness(name, shared) and not runs then
    did = 'looser'
  end
  if did then
    told[#told + 1] = name; told[#told + 1] = did; told[#told + 1] = shared or ''
  end
end
return told
`,
);

/**
 * A person sets a limit. Stricter: it holds. Looser: it is asked for, and holds once another has asked for the same
 * within that time. What holds already: whatever was asked for is taken back.
 *
 * Whoever says the same once more, because the answer was lost, is told what it did: so long, and while nobody has
 * changed it since. What was asked for meanwhile is taken back all the same.
 *
 * KEYS limits
 * ARGV now, who, name, value, how long what was asked waits (ms), how this act is known again
 * → 'in force' | 'waits' | 'unchanged', what held before, '1': it was told of before
 */
export const setLimitScript = defineScript(
  'set-limit',
  `${STRICTEST}${MEMBERS}
local at, by, name, value = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
local found = redis.call('HMGET', KEYS[1], name, name .. '.asked', name .. '.askedBy', name .. '.askedAt', name .. '.op',
  name .. '.was', name .. '.since')
if found[5] == ARGV[6] and at - tonumber(found[7]) <= tonumber(ARGV[5]) then
  forget_asked(name)
  return {'in force', found[6], '1'}
end
local held = found[1] or fallback_of[name] or '${OFF}'
local wanted, now = looseness(name, value), looseness(name, held)
if wanted < now or (wanted == now and not found[1]) then
  put(name, value, by, at, ARGV[6], held)
  return {'in force', held}
end
if wanted == now then
  forget_asked(name)
  return {'unchanged', held}
end
local another = found[2] == value and found[3] ~= by
if another and at - tonumber(found[4]) <= tonumber(ARGV[5]) then
  put(name, value, found[3] .. ' and ' .. by, at, ARGV[6], held)
  return {'in force', held}
end
redis.call('HSET', KEYS[1], name .. '.asked', value, name .. '.askedBy', by, name .. '.askedAt', at)
return {'waits', held}
`,
);
