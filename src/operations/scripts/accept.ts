import { IDENTITY } from './identity.ts';
import { defineScript } from './script.ts';

/**
 * Writes a record that did not exist, or says which one already stands for this request, or which limit it breaks.
 * Nothing is written unless everything is in order. The limits are read from Redis, where every process that has the
 * settings puts them, so that they hold through every door.
 *
 * KEYS record, reference mapping, record that the reference alone would have, counts, index, state set, due set,
 *      limits, what was accepted today, the same again, state set of those that await approval
 * ARGV id, now, fingerprint, claims reference (1/0), id the reference alone would give, state, xof, due in ms (or ''),
 *      not before (ms, or ''), account, beneficiary, the same again is meant (1/0), was approved already (1/0), then
 *      field/value pairs
 * → {'accepted', id, state, now} | {'duplicate', id, state} | {'conflict', existing id} | {'limited', setting, detail}
 */
export const acceptScript = defineScript(
  'accept',
  `${IDENTITY}
local id, at, fp = ARGV[1], clock(ARGV[2]), ARGV[3]
local mapping, other = ARGV[4] == '1' and KEYS[2] or '', ARGV[5] ~= id and KEYS[3] or ''
local known, detail = standing(id, fp, KEYS[1], mapping, other, ARGV[5])
if known == 'duplicate' then return {known, id, detail} end
if known then return {known, detail} end

local state, xof, account = ARGV[6], ARGV[7], ARGV[10]
local awaits = false
if xof ~= '' then
  local amount = tonumber(xof)
  local max = redis.call('HMGET', KEYS[8], 'MAX_DISBURSEMENT', 'MAX_PER_DAY', 'MAX_PER_BENEFICIARY_DAY', 'DUPLICATE_WINDOW', 'APPROVAL_ABOVE')
  if max[1] and amount > tonumber(max[1]) then return {'limited', 'MAX_DISBURSEMENT', max[1]} end
  local spent = redis.call('HMGET', KEYS[9], 'all', ARGV[11])
  if max[2] and tonumber(spent[1] or '0') + amount > tonumber(max[2]) then return {'limited', 'MAX_PER_DAY', max[2]} end
  if max[3] and tonumber(spent[2] or '0') + amount > tonumber(max[3]) then return {'limited', 'MAX_PER_BENEFICIARY_DAY', max[3]} end
  if max[4] and ARGV[12] ~= '1' then
    local same = redis.call('GET', KEYS[10])
    if same then return {'limited', 'DUPLICATE_WINDOW', same} end
  end
  awaits = max[5] and amount > tonumber(max[5]) and ARGV[13] ~= '1'
  if max[2] or max[3] then
    redis.call('HINCRBY', KEYS[9], 'all', xof)
    redis.call('HINCRBY', KEYS[9], ARGV[11], xof)
    redis.call('EXPIRE', KEYS[9], 172800)
  end
  if max[4] then redis.call('SET', KEYS[10], id, 'PX', max[4]) end
end
if awaits and state == 'queued' then state = 'awaiting_approval' end

claim_reference(id, mapping, other)
local fields = {'id', id, 'state', state, 'fp', fp, 'rev', 1, 'seq', 0, 'createdAt', at, 'updatedAt', at, 'since', at, 'account', account}
for i = 14, #ARGV do fields[#fields + 1] = ARGV[i] end
redis.call('HSET', KEYS[1], unpack(fields))
move(KEYS[4], '', state == 'awaiting_approval' and KEYS[11] or KEYS[6], id, at, '', state, xof)
if xof ~= '' then fly(KEYS[4], account, redis.call('HGET', KEYS[1], 'withdrawMode'), '', state, xof) end
redis.call('ZADD', KEYS[5], at, id)
if ARGV[8] ~= '' and state ~= 'awaiting_approval' then
  local due = at + tonumber(ARGV[8])
  if ARGV[9] ~= '' and tonumber(ARGV[9]) > due then due = tonumber(ARGV[9]) end
  redis.call('ZADD', KEYS[7], due, id)
end
return {'accepted', id, state, at}
`,
);
