import { IDENTITY } from './identity.ts';
import { defineScript } from './script.ts';

/**
 * Accepts one message and puts it into the chunk that this process is filling, which it creates with the first one.
 *
 * KEYS message, reference mapping, record that the reference alone would have, counts of messages, chunk, due set,
 *      counts of chunks, state set of queued chunks
 * ARGV id, now, fingerprint, claims reference (1/0), id the reference alone would give, account, chunk id, most per
 *      chunk, due in ms, packed item, lane, record version, then field/value pairs of the message
 * → {'accepted', id, 'queued', count} | {'duplicate', id, state} | {'conflict', existing id} | {'full'}
 */
export const acceptMessageScript = defineScript(
  'accept message',
  `${IDENTITY}
local id, at, fp, account, chunk = ARGV[1], clock(ARGV[2]), ARGV[3], ARGV[6], ARGV[7]
local answer = standing()
if answer then return answer end
local c = redis.call('HMGET', KEYS[5], 'state', 'lease', 'count', 'items')
if c[1] and (c[1] ~= 'queued' or c[2] or tonumber(c[3]) >= tonumber(ARGV[8])) then return {'full'} end
claim_reference()

local fields = {'id', id, 'kind', 'message', 'v', ARGV[12], 'state', 'queued', 'fp', fp, 'rev', 1, 'createdAt', at,
  'updatedAt', at, 'since', at, 'account', account, 'lane', ARGV[11], 'chunk', chunk}
for i = 13, #ARGV do fields[#fields + 1] = ARGV[i] end
redis.call('HSET', KEYS[1], unpack(fields))
redis.call('HINCRBY', KEYS[4], 'queued', 1)

local count = 1
if c[1] then
  count = redis.call('HINCRBY', KEYS[5], 'count', 1)
  redis.call('HSET', KEYS[5], 'items', c[4] .. ',' .. ARGV[10])
else
  redis.call('HSET', KEYS[5], 'id', chunk, 'kind', 'chunk', 'v', ARGV[12], 'state', 'queued', 'rev', 1, 'createdAt', at,
    'updatedAt', at, 'since', at, 'account', account, 'lane', ARGV[11], 'count', 1, 'items', ARGV[10])
  redis.call('ZADD', KEYS[6], at + tonumber(ARGV[9]), chunk)
  redis.call('HINCRBY', KEYS[7], 'queued', 1)
  redis.call('ZADD', KEYS[8], at, chunk)
end
return {'accepted', id, 'queued', count}
`,
);
