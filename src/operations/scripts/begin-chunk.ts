import { defineScript } from './script.ts';

/**
 * Takes the lease of a chunk as `acquire` does, and answers in the same step all that may stand in the way of sending
 * it: whether its account is held, and what its campaign says. Never creates a record.
 *
 * A chunk that nobody was woken for is begun only where it was handed out, and nobody has tried it yet: another attempt
 * may be at it, and what waits has a reason to.
 *
 * KEYS chunk, due set of this queue, names of held accounts, campaign
 * ARGV id, now, lease, lease ms, states looked at in this queue (',a,b,'), final states (',a,b,'), record version,
 *      only where nobody has tried it (1/0), then the fields of the campaign
 * → {'none'} | {'final', state} | {'elsewhere', state} | {'leased', until} | {'other version'} | {'tried'} | {'not out'} |
 *   {'acquired', now, {field, value, …} of the chunk, the account is held (1/0), {value, …} of the campaign}
 */
export const beginChunkScript = defineScript(
  'begin chunk',
  `
local at = clock(ARGV[2])
local r = redis.call('HMGET', KEYS[1], 'state', 'lease', 'until', 'v', 'rev', 'account')
if ARGV[8] == '1' then
  if r[1] and (r[5] ~= '1' or r[2]) then return {'tried'} end
  if not r[1] or not redis.call('ZSCORE', KEYS[2], ARGV[1]) then return {'not out'} end
end
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
if r[2] and r[2] ~= '' and r[2] ~= ARGV[3] and tonumber(r[3] or '0') > at then return {'leased', r[3]} end
local ends = at + tonumber(ARGV[4])
redis.call('HSET', KEYS[1], 'lease', ARGV[3], 'until', ends)
redis.call('ZADD', KEYS[2], ends, ARGV[1])
local chunk, campaign = redis.call('HGETALL', KEYS[1]), {}
if #ARGV > 8 then campaign = redis.call('HMGET', KEYS[4], unpack(ARGV, 9)) end
local held = redis.call('SISMEMBER', KEYS[3], r[6] or '')
return {'acquired', at, chunk, held, campaign}
`,
);
