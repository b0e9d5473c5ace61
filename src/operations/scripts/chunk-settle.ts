import { BRIEF_NAMES } from '../../kinds/disbursement-fields.ts';

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
