import { GUARD, MEMORY_WORDS } from './heartbeat.ts';
import { IDENTITY } from './identity.ts';
import { defineScript } from './script.ts';

/** How many words of ARGV come before the messages, and how many each message has. */
export const MESSAGE_WORDS = { before: 7 + MEMORY_WORDS, each: 8 } as const;

/** How many keys come before those of the messages. */
export const MESSAGE_KEYS_BEFORE = 6;

/**
 * Accepts messages and puts them into the chunk that this process is filling, which is created with the first of them.
 * Each has a verdict of its own, in their order; the chunk is read once and written once for all of them, its items in
 * the form of chunk-items.ts.
 *
 * KEYS chunk, due set, counts of messages, counts of chunks, state set of queued chunks, heartbeat; then per message:
 *      record, and where it has a reference the reference mapping, and the record that the reference alone would have
 *      where that is another one
 * ARGV now, chunk id, account, lane, record version, most per chunk, due in ms, what this process remembers; then per
 *      message: id, fingerprint, reference (or ''), id the reference alone would give where that is another one (or ''),
 *      to, text, from (or ''), expires at (ms, 0 = never)
 * → {messages in the chunk; then per message: 'accepted', 'queued' | 'duplicate', state | 'conflict', existing id |
 *   'full', ''} | {'recovering'}
 */
export const acceptMessagesScript = defineScript(
  'accept messages',
  `${IDENTITY}${GUARD}
local shut = guard(KEYS[6], ARGV, 8)
if shut then return shut end
local at, chunk, account, lane, version, most = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])
local c = redis.call('HMGET', KEYS[1], 'state', 'lease', 'count', 'v', 'items')
local count = whole(c[3], 0, 'count')
local takes = not c[1] or (c[1] == 'queued' and not c[2] and c[4] == version and c[5])
local answer, items, k = {0}, {}, ${MESSAGE_KEYS_BEFORE + 1}

for a = ${MESSAGE_WORDS.before + 1}, #ARGV, ${MESSAGE_WORDS.each} do
  local id, fp, reference, other_id = ARGV[a], ARGV[a + 1], ARGV[a + 2], ARGV[a + 3]
  local record, mapping, other = KEYS[k], '', ''
  k = k + 1
  if reference ~= '' then mapping = KEYS[k]; k = k + 1 end
  if other_id ~= '' then other = KEYS[k]; k = k + 1 end
  local outcome, detail = standing(id, fp, record, mapping, other, other_id)
  if not outcome and takes and count + #items < most then
    outcome, detail = 'accepted', 'queued'
    claim_reference(id, mapping, other)
    local fields = {'id', id, 'kind', 'message', 'v', version, 'state', 'queued', 'fp', fp, 'rev', 1, 'createdAt', at,
      'updatedAt', at, 'since', at, 'account', account, 'lane', lane, 'chunk', chunk, 'to', ARGV[a + 4], 'text', ARGV[a + 5]}
    if ARGV[a + 6] ~= '' then fields[#fields + 1] = 'from'; fields[#fields + 1] = ARGV[a + 6] end
    if ARGV[a + 7] ~= '0' then fields[#fields + 1] = 'expiresAt'; fields[#fields + 1] = ARGV[a + 7] end
    if reference ~= '' then fields[#fields + 1] = 'reference'; fields[#fields + 1] = reference end
    redis.call('HSET', record, unpack(fields))
    items[#items + 1] = cjson.encode({id, ARGV[a + 4], ARGV[a + 6], ARGV[a + 5], tonumber(ARGV[a + 7])})
  end
  answer[#answer + 1] = outcome or 'full'
  answer[#answer + 1] = detail or ''
end

if #items > 0 then
  local packed, joined = table.concat(items, ','), count + #items
  tally(KEYS[3], 'queued', #items)
  if c[1] then
    redis.call('HSET', KEYS[1], 'count', joined, 'items', c[5] .. ',' .. packed)
  else
    redis.call('HSET', KEYS[1], 'id', chunk, 'kind', 'chunk', 'v', version, 'state', 'queued', 'rev', 1, 'createdAt', at,
      'updatedAt', at, 'since', at, 'account', account, 'lane', lane, 'count', joined, 'items', packed)
    redis.call('ZADD', KEYS[2], at + tonumber(ARGV[7]), chunk)
    tally(KEYS[4], 'queued', 1)
    redis.call('ZADD', KEYS[5], at, chunk)
  end
  count = joined
end
answer[1] = count
return answer
`,
);
