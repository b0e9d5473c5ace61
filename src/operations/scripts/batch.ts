import { GUARD, MEMORY_WORDS } from './heartbeat.ts';
import { defineScript } from './script.ts';

/**
 * Writes the record of a batch together with its rows, or says which one stands for it already. One that was invalid is
 * judged again with the same bytes: a limit was raised or an account was added meanwhile. While a batch of the same
 * bytes is open under another name, there is no second one.
 *
 * KEYS record, counts, index, state set invalid, state set entered, due set, staged rows, rows, batch of these bytes,
 *      record of the batch that this named when it was read, heartbeat
 * ARGV id, now, fingerprint, state, due in ms (or ''), account, how many rows were staged, batch of these bytes as it was read (''
 *      = none), what this process remembers, then field/value pairs
 * → {'accepted', id, state} | {'duplicate', id, state} | {'conflict', id} | {'open', id of the other} |
 *   {'read again'} | {'unstaged'} (rows are missing) | {'recovering'}
 */
export const acceptBatchScript = defineScript(
  'accept batch',
  `${GUARD}
local shut = guard(KEYS[11], ARGV, 9)
if shut then return shut end
local id, at, fp, state = ARGV[1], clock(ARGV[2]), ARGV[3], ARGV[4]
if (redis.call('GET', KEYS[9]) or '') ~= ARGV[8] then return {'read again'} end
local found = redis.call('HMGET', KEYS[1], 'fp', 'state', 'v', 'rev')
local from = ''
if found[1] then
  if found[1] ~= fp then return {'conflict', id} end
  if found[2] ~= 'invalid' then return {'duplicate', id, found[2]} end
  same_version(found[3])
  whole(found[4], 0, 'rev')
  from = 'invalid'
end
-- A primary that took over may have fewer: written without them, these bytes could never be paid.
local rows = tonumber(ARGV[7])
if rows > 0 and redis.call('LLEN', KEYS[7]) ~= rows then return {'unstaged'} end
if ARGV[8] ~= '' and ARGV[8] ~= id then
  local other = redis.call('HGET', KEYS[10], 'state')
  if other == 'awaiting_approval' or other == 'running' then return {'open', ARGV[8]} end
end
if state ~= 'invalid' then redis.call('SET', KEYS[9], id) end
if from == '' then
  redis.call('HSET', KEYS[1], 'rev', 0, 'seq', 0, 'createdAt', at)
  redis.call('ZADD', KEYS[3], at, id)
end
local fields = {'id', id, 'state', state, 'fp', fp, 'updatedAt', at, 'since', at, 'account', ARGV[6]}
for i = ${9 + MEMORY_WORDS}, #ARGV do fields[#fields + 1] = ARGV[i] end
redis.call('HSET', KEYS[1], unpack(fields))
redis.call('HINCRBY', KEYS[1], 'rev', 1)
move(KEYS[2], KEYS[4], KEYS[5], id, at, from, state, '')
if rows > 0 then
  redis.call('RENAME', KEYS[7], KEYS[8])
  redis.call('PERSIST', KEYS[8])
end
if ARGV[5] ~= '' then redis.call('ZADD', KEYS[6], at + tonumber(ARGV[5]), id) end
return {'accepted', id, state}
`,
);
