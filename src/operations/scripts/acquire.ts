import { BRIEF_NAMES } from '../brief.ts';
import { IN_FULL } from './brief.ts';
import { defineScript } from './script.ts';

/**
 * The lease itself: KEYS and the first seven words of ARGV are as in `acquire`, `r` holds state, lease, until and version
 * of the record. Answers why not, or nothing.
 */
export const LEASE = `
local function take_lease(KEYS, ARGV, at, r)
  if not r[1] then
    redis.call('ZREM', KEYS[2], ARGV[1])
    return {'none'}
  end
  -- Old and new workers run side by side in a deployment: nothing of a record that we do not understand is touched.
  if r[4] ~= ARGV[7] then return {'other version'} end
  local here = ',' .. r[1] .. ','
  if string.find(ARGV[6], here, 1, true) then
    redis.call('ZREM', KEYS[2], ARGV[1])
    return {'final', r[1]}
  end
  if not string.find(ARGV[5], here, 1, true) then return {'elsewhere', r[1]} end
  if r[2] and r[2] ~= '' and r[2] ~= ARGV[3] and whole(r[3], 0, 'until') > at then return {'leased', r[3]} end
  local ends = at + tonumber(ARGV[4])
  redis.call('HSET', KEYS[1], 'lease', ARGV[3], 'until', ends)
  redis.call('ZADD', KEYS[2], ends, ARGV[1])
end
`;

/**
 * Takes the lease of a record for one attempt and pushes its due time to the end of the lease, so that a killed worker
 * is always followed by another look. Never creates a record.
 *
 * What stands in the way of the record's account is read in the same trip where the caller named the account: nearly
 * every attempt asks for it next.
 *
 * KEYS record, due set of this queue, then the accounts
 * ARGV id, now, lease, lease ms, states looked at in this queue (',a,b,'), final states (',a,b,'), record version, then
 *      the names of the accounts
 * → {'none'} | {'final', state} | {'elsewhere', state} | {'leased', until} | {'other version'} |
 *   {'acquired', now, fields of the account (nil: it was not named), fields of the record}
 */
export const acquireScript = defineScript(
  'acquire',
  `${LEASE}${IN_FULL}
local at = clock(ARGV[2])
local r = redis.call('HMGET', KEYS[1], 'state', 'lease', 'until', 'v', 'hint', 'account', '${BRIEF_NAMES.createdAt}')
local refusal = take_lease(KEYS, ARGV, at, r)
if refusal then return refusal end
if r[5] then redis.call('HDEL', KEYS[1], 'hint') end
if r[7] then in_full(ARGV[1], KEYS[1]) end
local standing = false
for i = 8, #ARGV do
  if ARGV[i] == r[6] then standing = redis.call('HGETALL', KEYS[i - 5]) end
end
return {'acquired', at, standing, redis.call('HGETALL', KEYS[1])}
`,
);
