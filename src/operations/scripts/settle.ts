import { BRIEF_NAMES } from '../brief.ts';
import { BRIEF, IN_FULL } from './brief.ts';
import { AS_IT_WAS, GUARD, MEMORY_WORDS } from './heartbeat.ts';
import { defineScript } from './script.ts';

/**
 * The only way a record of ours changes state: compare, then set the state, its evidence, the next due time and the
 * event that announces it, in one step.
 *
 * A script that was sent again after a lost reply finds its own operation id in the record and answers `mine`.
 *
 * KEYS 1–7 record, events, counts, state set left, state set entered, due set left, due set entered
 * ARGV id, now, lease ('' = nobody's: a person's doing), op, from, to, due in ms ('' = nothing due), keep the lease for
 *      ms ('' = let go), event type ('' = none), event data, xof, evidence ('' = none), earliest look after a hint
 * (ms),
 *      enters a state set (1/0), number of words that follow as field/value pairs: a value '' deletes
 *      the field, a name that begins with @ takes the value as ms from now
 * → {'none'} | {'mine', state} | {'not yours', state} | {'applied', to, rev, now}
 */
export const SETTLE = `
local function settle(KEYS, ARGV, first)
  local id, at = ARGV[1], clock(ARGV[2])
  local r = redis.call('HMGET', KEYS[1], 'state', 'lease', 'op', 'hint', 'account', 'withdrawMode', 'rev', 'en', '${BRIEF_NAMES.createdAt}',
    'v', 'seq')
  if not r[1] then return {'none'} end
  if r[3] == ARGV[4] then return {'mine', r[1]} end
  if r[1] ~= ARGV[5] or (ARGV[3] ~= '' and r[2] ~= ARGV[3]) then return {'not yours', r[1]} end
  same_version(r[10])
  local rev = whole(r[7], 0, 'rev') + 1
  whole(r[8], 0, 'en')
  if ARGV[9] ~= '' then
    whole(r[11], 0, 'seq')
    if not (r[5] or r[9]) then refuse('account') end
  end
  local stop = first and first()
  if stop then return stop end
  if r[9] then
    in_full(id, KEYS[1])
    r[5], r[6] = unpack(redis.call('HMGET', KEYS[1], 'account', 'withdrawMode'))
  end

  local from, to = ARGV[5], ARGV[6]
  local set, drop = {'state', to, 'op', ARGV[4], 'updatedAt', at}, {}
  if from ~= to then
    set[#set + 1] = 'since'; set[#set + 1] = at
    drop[#drop + 1] = 'tries'
  end
  for i = 16, 15 + tonumber(ARGV[15]), 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if string.sub(name, 1, 1) == '@' then name = string.sub(name, 2); value = at + tonumber(value) end
    if value == '' then drop[#drop + 1] = name else set[#set + 1] = name; set[#set + 1] = value end
  end
  if ARGV[8] == '' then
    drop[#drop + 1] = 'lease'; drop[#drop + 1] = 'until'; drop[#drop + 1] = 'hint'
  else
    set[#set + 1] = 'until'; set[#set + 1] = at + tonumber(ARGV[8])
  end
  if #drop > 0 then redis.call('HDEL', KEYS[1], unpack(drop)) end
  set[#set + 1] = 'rev'; set[#set + 1] = rev
  -- One write for all of it: each call costs the one thread of Redis as much as the rest of a small script.
  evidence_fields(at, ARGV[12], r[8], set)
  redis.call('HSET', KEYS[1], unpack(set))
  move(KEYS[3], KEYS[4], ARGV[14] == '1' and KEYS[5] or '', id, at, from, to, ARGV[11])
  fly(KEYS[3], r[5], r[6], from, to, ARGV[11])

  if KEYS[6] ~= KEYS[7] then redis.call('ZREM', KEYS[6], id) end
  local due, after = ARGV[7] ~= '' and at + tonumber(ARGV[7]) or nil, tonumber(ARGV[13])
  if ARGV[8] == '' and r[4] then
    if due then due = math.min(due, at + after)
    -- Nothing more was to be asked, but what came meanwhile may say otherwise, and nobody has heard it yet.
    elseif after > 0 and not string.find(r[4], ',' .. to .. ',', 1, true) then due = at + after end
  end
  if due then redis.call('ZADD', KEYS[7], due, id) else redis.call('ZREM', KEYS[7], id) end
  if ARGV[9] ~= '' then emit(KEYS[2], KEYS[1], KEYS[3], id, at, r[5], ARGV[9], ARGV[10]) end
  return {'applied', to, rev, at}
end
`;

/** Words after the pairs that come before those of the sums. */
const RECOUNT_AT = 4 + MEMORY_WORDS;

/**
 * What upstream named is claimed for so long. A token is used within a day and asked about for three; after that only
 * its disburse_id tells whose it is.
 */
const CLAIM_KEPT_S = 7 * 86_400;

/**
 * As above, with some wishes more.
 *
 * KEYS 8 account, 9 what was last posted about the operation, 10 heartbeat, 11 whose what upstream named is (the
 *      record: nothing is claimed), 12 the sums of the day in which it was counted, where they change by this step
 * ARGV after the pairs: nothing is changed while the account is held so (`area.reason`, '' = whatever holds it), forget
 *      what was posted (1/0), unless more was posted since the record was read that says otherwise; keep the record in
 *      its brief form (1/0); what leaves after it has an effect (1/0; 2: only in a recovery and as it was read, whose revision
 *      follows), what this process remembers; then, with key 12,
 *      its beneficiary and by how much the sums change
 * → as above, or {'held'} | {'recovering'} | {'recovered'} | {'claimed', id of the operation that has it}; before an effect also its
 *   counter
 */
export const settleScript = defineScript(
  'settle',
  `${IN_FULL}${SETTLE}${BRIEF}${GUARD}${AS_IT_WAS}
local p = 16 + tonumber(ARGV[15])
-- A script that was sent again after a lost reply tells what it did the first time.
local function is_again() return redis.call('HGET', KEYS[1], 'op') == ARGV[4] end
local shut, known
if ARGV[p + 3] == '1' then shut, known = guard(KEYS[10], ARGV, p + 4) end
if ARGV[p + 3] == '2' then shut = not_as_it_was(KEYS[10], KEYS[1], ARGV[p + 4]) end
if shut and not is_again() then return shut end
if ARGV[p] ~= '' and redis.call('HEXISTS', KEYS[8], 'held:' .. ARGV[p]) == 1 and not is_again() then return {'held'} end
-- What came after the record was read may say otherwise, and nobody has heard it yet.
local forgets = false
if ARGV[p + 1] == '1' then
  local hint = redis.call('HGET', KEYS[1], 'hint')
  forgets = not hint or string.find(hint, ',' .. ARGV[6] .. ',', 1, true)
end
-- A day whose sums are forgotten stays so, and no sum is less than nothing, whatever Redis has lost in between.
local function recount(beneficiary, xof)
  local sums = redis.call('HMGET', KEYS[12], 'all', beneficiary)
  if not sums[1] then return end
  local function after(sum) return string.format('%.0f', math.max(0, tonumber(sum or '0') + xof)) end
  redis.call('HSET', KEYS[12], 'all', after(sums[1]), beneficiary, after(sums[2]))
end
if KEYS[12] then
  for _, sum in ipairs(redis.call('HMGET', KEYS[12], 'all', ARGV[p + ${RECOUNT_AT}])) do whole(sum, 0, 'the sum of the day') end
end
-- Claimed also where the change is not ours to make: nobody else should ever be given the same.
local function claim()
  if KEYS[11] == KEYS[1] or redis.call('SET', KEYS[11], ARGV[1], 'NX', 'EX', ${CLAIM_KEPT_S}) then return end
  local owner = redis.call('GET', KEYS[11])
  if owner ~= ARGV[1] then return {'claimed', owner} end
end
local answer = settle(KEYS, ARGV, claim)
if answer[1] ~= 'applied' and answer[1] ~= 'claimed' then answer = claim() or answer end
if answer[1] == 'applied' then
  if forgets then redis.call('DEL', KEYS[9]) end
  if ARGV[p + 2] == '1' then brief(KEYS[1]) end
  if KEYS[12] then recount(ARGV[p + ${RECOUNT_AT}], tonumber(ARGV[p + ${RECOUNT_AT + 1}])) end
  if known then answer[5] = raise(KEYS[10], known) end
end
return answer
`,
);
