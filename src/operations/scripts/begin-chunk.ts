import { LEASE } from './acquire.ts';
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
  `${LEASE}
local at = clock(ARGV[2])
local r = redis.call('HMGET', KEYS[1], 'state', 'lease', 'until', 'v', 'rev', 'account')
if ARGV[8] == '1' then
  if r[1] and (r[5] ~= '1' or r[2]) then return {'tried'} end
  if not r[1] or not redis.call('ZSCORE', KEYS[2], ARGV[1]) then return {'not out'} end
end
local refusal = take_lease(at, r)
if refusal then return refusal end
local chunk, campaign = redis.call('HGETALL', KEYS[1]), {}
if #ARGV > 8 then campaign = redis.call('HMGET', KEYS[4], unpack(ARGV, 9)) end
local held = redis.call('SISMEMBER', KEYS[3], r[6] or '')
return {'acquired', at, chunk, held, campaign}
`,
);
