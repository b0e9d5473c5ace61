import { defineScript } from './script.ts';

/**
 * Writes a record that did not exist, or says which one already stands for this request.
 *
 * KEYS record, reference mapping, record that the reference alone would have, events, counts, index, state set, due set
 * ARGV id, now, fingerprint, claims reference (1/0), id the reference alone would give, state, xof, due in ms (or ''),
 *      not before (ms, or ''), event type (or ''), event data, account, then field/value pairs
 * → {'accepted', id, state, now} | {'duplicate', id, state} | {'conflict', existing id}
 */
export const acceptScript = defineScript(
  'accept',
  `
local id, at, fp = ARGV[1], clock(ARGV[2]), ARGV[3]
local found = redis.call('HMGET', KEYS[1], 'fp', 'state')
if found[1] then
  if found[1] == fp then return {'duplicate', id, found[2]} end
  return {'conflict', id}
end
if ARGV[4] == '1' then
  local owner = redis.call('GET', KEYS[2])
  if owner and owner ~= id then return {'conflict', owner} end
  if ARGV[5] ~= id then
    if redis.call('EXISTS', KEYS[3]) == 1 then return {'conflict', ARGV[5]} end
    redis.call('SET', KEYS[2], id)
  end
end
local state, xof = ARGV[6], ARGV[7]
local fields = {'id', id, 'state', state, 'fp', fp, 'rev', 1, 'seq', 0, 'createdAt', at, 'updatedAt', at, 'since', at, 'account', ARGV[12]}
for i = 13, #ARGV do fields[#fields + 1] = ARGV[i] end
redis.call('HSET', KEYS[1], unpack(fields))
move(KEYS[5], '', KEYS[7], id, at, '', state, xof)
redis.call('ZADD', KEYS[6], at, id)
if ARGV[8] ~= '' then
  local due = at + tonumber(ARGV[8])
  if ARGV[9] ~= '' and tonumber(ARGV[9]) > due then due = tonumber(ARGV[9]) end
  redis.call('ZADD', KEYS[8], due, id)
end
if ARGV[10] ~= '' then emit(KEYS[4], KEYS[1], id, at, ARGV[12], ARGV[10], ARGV[11]) end
return {'accepted', id, state, at}
`,
);
