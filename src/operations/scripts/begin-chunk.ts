import { LEASE } from './chunk-lease.ts';
import { defineScript } from './script.ts';
import { TOGETHER } from './together.ts';

/**
 * Takes the leases of chunks of one campaign as `acquire` does, and answers in the same step all that may stand in the
 * way of sending them: whether their account is held, and what their campaign says. Never creates a record.
 *
 * A chunk that nobody was woken for is begun only where it was handed out, and nobody has tried it yet: another attempt
 * may be at it, and what waits has a reason to.
 *
 * Shared: KEYS due set of this queue, names of held accounts, campaign
 *         words now, lease ms, states looked at in this queue (',a,b,'), final states (',a,b,'), record version, then
 *         the fields of the campaign
 * Of each: KEYS chunk
 *          words id, lease, only where nobody has tried it (1/0)
 * → {{value, …} of the campaign, for each {'none'} | {'final', state} | {'elsewhere', state} | {'leased', until} |
 *   {'other version'} | {'tried'} | {'not out'} | {'acquired', now, {field, value, …} of the chunk, the account is held
 *   (1/0)}}
 */
export const beginChunkScript = defineScript(
  'begin chunk',
  `${LEASE}${TOGETHER}
local at, shared_words = clock(ARGV[4]), tonumber(ARGV[3])
local keys, words = {'', KEYS[1]}, {'', ARGV[4], '', ARGV[5], ARGV[6], ARGV[7], ARGV[8]}
local answers, refused = each(function(chunk, first)
  keys[1], words[1], words[3] = chunk, ARGV[first], ARGV[first + 1]
  local r = redis.call('HMGET', chunk, 'state', 'lease', 'until', 'v', 'rev', 'account')
  if ARGV[first + 2] == '1' then
    if r[1] and (r[5] ~= '1' or r[2]) then return {'tried'} end
    if not r[1] or not redis.call('ZSCORE', KEYS[1], words[1]) then return {'not out'} end
  end
  local refusal = take_lease(keys, words, at, r)
  if refusal then return refusal end
  return {'acquired', at, redis.call('HGETALL', chunk), redis.call('SISMEMBER', KEYS[2], r[6] or '')}
end)
if refused then return {err = refused} end
local campaign = {}
if shared_words > 5 then campaign = redis.call('HMGET', KEYS[3], unpack(ARGV, 9, 3 + shared_words)) end
return {campaign, answers}
`,
);
