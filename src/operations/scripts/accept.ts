import { moneyLimits } from '../limits.ts';
import { GUARD, MEMORY_WORDS } from './heartbeat.ts';
import { IDENTITY } from './identity.ts';
import { STRICTEST } from './limits.ts';
import { defineScript } from './script.ts';

/** What comes before the opinions of the process, one for each limit, and the fields of the record. */
const WORDS_BEFORE = 14;
const MEMORY_AT = WORDS_BEFORE + 1 + moneyLimits.length;
const names = moneyLimits.map((name) => `'${name}'`).join(', ');

/**
 * Writes a record that did not exist, or says which one already stands for this request, or which limit it breaks.
 * Nothing is written unless everything is in order. Of each limit the strictest holds, of what Redis has and what the
 * process asks for itself, so that they hold through every door. What counts towards a limit of the day says so in the
 * record, since it may have to be given back.
 *
 * KEYS record, reference mapping, record that the reference alone would have, counts, index, state set, due set,
 *      limits, what was accepted today, the same again, state set of those that await approval, heartbeat
 * ARGV id, now, fingerprint, claims reference (1/0), id the reference alone would give, state, xof, due in ms (or ''),
 *      not before (ms, or ''), account, beneficiary, the same again is meant (1/0), approval ('' = may be waited for,
 *      'given', 'impossible'), day of what was accepted today, what the process itself asks for of each limit ('' = no
 *      opinion), what this process remembers, then field/value pairs
 * → {'accepted', id, state, now} | {'duplicate', id, state} | {'conflict', existing id} | {'limited', setting, detail}
 *   | {'recovering'}
 */
export const acceptScript = defineScript(
  'accept',
  `${IDENTITY}${STRICTEST}${GUARD}
local shut = guard(KEYS[12], ARGV, ${MEMORY_AT})
if shut then return shut end
local id, at, fp = ARGV[1], clock(ARGV[2]), ARGV[3]
local mapping, other = ARGV[4] == '1' and KEYS[2] or '', ARGV[5] ~= id and KEYS[3] or ''
local known, detail = standing(id, fp, KEYS[1], mapping, other, ARGV[5])
if known == 'duplicate' then return {known, id, detail} end
if known then return {known, detail} end

local state, xof, account = ARGV[6], ARGV[7], ARGV[10]
local awaits, counted = false, false
if xof ~= '' then
  local amount = tonumber(xof)
  local max, shared = {}, redis.call('HMGET', KEYS[8], ${names})
  for at, name in ipairs({${names}}) do max[name] = strictest(name, ARGV[${WORDS_BEFORE} + at], shared[at]) end
  local function over(name, sum) return max[name] and sum > tonumber(max[name]) end
  if over('MAX_DISBURSEMENT', amount) then return {'limited', 'MAX_DISBURSEMENT', max.MAX_DISBURSEMENT} end
  awaits = over('APPROVAL_ABOVE', amount) and ARGV[13] ~= 'given'
  if awaits and ARGV[13] == 'impossible' then return {'limited', 'APPROVAL_ABOVE', max.APPROVAL_ABOVE} end
  counted = max.MAX_PER_DAY or max.MAX_PER_BENEFICIARY_DAY
  if counted then
    local spent = redis.call('HMGET', KEYS[9], 'all', ARGV[11])
    whole(spent[1], 0, 'the sum of the day')
    whole(spent[2], 0, 'the sum of the day')
    if over('MAX_PER_DAY', tonumber(spent[1] or '0') + amount) then return {'limited', 'MAX_PER_DAY', max.MAX_PER_DAY} end
    if over('MAX_PER_BENEFICIARY_DAY', tonumber(spent[2] or '0') + amount) then
      return {'limited', 'MAX_PER_BENEFICIARY_DAY', max.MAX_PER_BENEFICIARY_DAY}
    end
  end
  if max.DUPLICATE_WINDOW and ARGV[12] ~= '1' then
    local same = redis.call('GET', KEYS[10])
    if same then return {'limited', 'DUPLICATE_WINDOW', same} end
  end
  if max.DUPLICATE_WINDOW then whole(max.DUPLICATE_WINDOW, 0, 'DUPLICATE_WINDOW') end
  if counted then
    redis.call('HINCRBY', KEYS[9], 'all', xof)
    redis.call('HINCRBY', KEYS[9], ARGV[11], xof)
    redis.call('EXPIRE', KEYS[9], 172800)
  end
  if max.DUPLICATE_WINDOW then redis.call('SET', KEYS[10], id, 'PX', max.DUPLICATE_WINDOW) end
end
if awaits and state == 'queued' then state = 'awaiting_approval' end

claim_reference(id, mapping, other)
local fields = {'id', id, 'state', state, 'fp', fp, 'rev', 1, 'seq', 0, 'createdAt', at, 'updatedAt', at, 'since', at, 'account', account}
if counted then fields[#fields + 1] = 'counted'; fields[#fields + 1] = ARGV[14] .. ' ' .. ARGV[11] end
for i = ${MEMORY_AT + MEMORY_WORDS}, #ARGV do fields[#fields + 1] = ARGV[i] end
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
