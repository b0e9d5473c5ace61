import { FINISH } from './chunk.ts';
import { defineScript } from './script.ts';

/**
 * Holds a campaign that stood in a copy of Redis that was put back. Where it may have been sent since, every chunk of
 * it counts as handed out from here on, a retry that was under way is over, and nothing is left to be released.
 *
 * KEYS campaign, events, counts of campaigns, due set of campaigns, parked, state set held, heartbeat, then the
 *      sets of the states in ARGV order
 * ARGV id, now, why it is held, may have been sent since (1/0), how many events may have been told since, then the states
 *      it may be left from
 * → 1 when it was held by this, 0 when there was nothing to do, or no recovery is under way
 */
export const restoreCampaignScript = defineScript(
  'restore campaign',
  `${FINISH}
if redis.call('HEXISTS', KEYS[7], 'recovering') == 0 then return 0 end
local id, at, reason = ARGV[1], clock(ARGV[2]), ARGV[3]
local r = redis.call('HMGET', KEYS[1], 'state', 'account', 'reference', 'name', 'reason', 'chunks', 'fed', 'walk')
local from, set = nil, nil
for i = 6, #ARGV do if ARGV[i] == r[1] then from = r[1]; set = KEYS[i + 2] end end
if not from then return 0 end
local chunks, fed = tonumber(r[6] or '0'), tonumber(r[7] or '0')
local is_held = from == 'held' and r[5] == reason
if is_held and (ARGV[4] == '0' or (fed >= chunks and not r[8])) then return 0 end

redis.call('ZREM', KEYS[4], id)
redis.call('DEL', KEYS[5])
redis.call('HSET', KEYS[1], 'state', 'held', 'reason', reason, 'updatedAt', at)
if from ~= 'held' then redis.call('HSET', KEYS[1], 'since', at) end
redis.call('HINCRBY', KEYS[1], 'rev', 1)
move(KEYS[3], set, KEYS[6], id, at, from, 'held', '')
if not is_held then
  redis.call('HINCRBY', KEYS[1], 'seq', ARGV[5])
  local data = {id = id, state = 'held', name = r[4], reason = reason}
  if r[3] then data.reference = r[3] end
  emit(KEYS[2], KEYS[1], KEYS[3], id, at, r[2], 'campaign.held', cjson.encode(data))
end
if ARGV[4] == '1' then
  redis.call('HDEL', KEYS[1], 'walk', 'walkUnknown')
  redis.call('HSET', KEYS[1], 'fed', chunks)
  redis.call('HINCRBY', KEYS[1], 'out', math.max(0, chunks - fed))
  if chunks > 0 then finish_if_over(KEYS[1], at, KEYS[2], KEYS[3], KEYS[4], {KEYS[6]}) end
end
return 1
`,
);
