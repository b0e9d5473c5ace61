import { defineScript } from './script.ts';
import { SETTLE } from './settle.ts';
import { PACE_AHEAD_MS } from '../campaign-pace.ts';
import { OPEN_KEPT_MS, MARKS_KEPT_S, MARKS_PER_SLOT } from '../text-marks.ts';

/**
 * Adds to the bins of a campaign; `settled` is counted when a chunk is over, and the last one finishes the campaign.
 */
const CAMPAIGN = `
local function count_outcome(outcomes, to, n)
  if to == 'sent' or to == 'failed' or to == 'unknown' or to == 'expired' then redis.call('HINCRBY', outcomes, to, n) end
end
local function add_counts(campaign, outcomes, first, words)
  local cancelled = redis.call('HGET', campaign, 'state') == 'cancelled'
  for i = first, first + words - 1, 2 do
    local field, delta = ARGV[i], tonumber(ARGV[i + 1])
    -- What goes back to the queue of a cancelled campaign will never be sent.
    if cancelled and field == 't:queued' and delta > 0 then field = 't:cancelled' end
    redis.call('HINCRBY', campaign, field, delta)
    if delta > 0 and string.sub(field, 1, 2) == 't:' then count_outcome(outcomes, string.sub(field, 3), delta) end
  end
end
`;

/**
 * A campaign with a pace notes when the next recipient may leave. What was handed out and has not left is counted, so
 * that no more is handed out than soon leaves.
 */
const PACE = `
local function ahead_of_pace(campaign, now)
  local r = redis.call('HMGET', campaign, 'perSecond', 'paceAt')
  if not r[1] then return 0 end
  return math.ceil(tonumber(r[2] or '0') - now - ${PACE_AHEAD_MS})
end
local function keep_pace(campaign, at, first, words)
  local r = redis.call('HMGET', campaign, 'perSecond', 'paceAt')
  if not r[1] then return end
  for i = first, first + words - 1, 2 do
    if ARGV[i] == 't:sending' then
      local free = math.max(tonumber(r[2] or '0'), at)
      redis.call('HSET', campaign, 'paceAt', math.floor(free + tonumber(ARGV[i + 1]) * 1000 / tonumber(r[1])))
    end
  end
end
local function count_out(campaign, from, to)
  if from == to then return end
  if from == 'queued' then redis.call('HINCRBY', campaign, 'out', -1) end
  if to == 'queued' then redis.call('HINCRBY', campaign, 'out', 1) end
end
`;

/** A campaign is over when each of its chunks is, and nobody is still gathering those that go out again. */
export const FINISH = `
local function finish_if_over(campaign, at, events, counts, due, sets)
  local r = redis.call('HMGET', campaign, 'state', 'settled', 'chunks', 'id', 'account', 'reference', 'name', 'walk', 'retries')
  if r[1] ~= 'running' and r[1] ~= 'paused' and r[1] ~= 'held' then return end
  if tonumber(r[2] or '0') < tonumber(r[3]) or r[8] then return end
  redis.call('HSET', campaign, 'state', 'finished', 'since', at, 'updatedAt', at)
  redis.call('HINCRBY', campaign, 'rev', 1)
  redis.call('HINCRBY', counts, r[1], -1)
  redis.call('HINCRBY', counts, 'finished', 1)
  for _, set in ipairs(sets) do redis.call('ZREM', set, r[4]) end
  redis.call('ZREM', due, r[4])
  local totals = {}
  for _, bin in ipairs({'total', 'queued', 'held', 'sending', 'sent', 'failed', 'unknown', 'skipped', 'expired', 'cancelled'}) do
    totals[bin] = tonumber(redis.call('HGET', campaign, 't:' .. bin) or '0')
  end
  local data = {id = r[4], state = 'finished', name = r[7], totals = totals}
  if r[6] then data.reference = r[6] end
  if r[9] then data.retries = tonumber(r[9]) end
  emit(events, campaign, counts, r[4], at, r[5], 'campaign.finished', cjson.encode(data))
end
`;

/**
 * Settles a chunk, and in the same step the bins of its campaign or the messages that it carries.
 *
 * KEYS 1–7 as in settle, 8 campaign ('' key of none where the chunk has none), 9 parked, 10 counts of messages,
 *      11 counts of campaigns, 12 due set of campaigns, 13–15 the campaign's state sets, 16 outcomes counted over all
 *      recipients and messages, 17 open texts, 18 sent texts, then one key per message
 * ARGV 1–15 as in settle with its pairs; then: gate (1 = only while the campaign runs and no text is open elsewhere,
 *      2 = only while it is not cancelled), has a campaign (1/0), time at which the first of them expires ('' = never),
 *      how many marks of texts follow to open, to close and to count as sent, whether the last ones may be left out,
 *      number of words of counts and the field/delta pairs, the marks; then per message: state left, state entered,
 *      code, event type, event data
 * → as settle, or {'paced', wait in ms} | {'parked', campaign state} | {'cancelled'} | {'expiring', now} | {'busy', positions of the open ones}
 */
export const chunkScript = defineScript(
  'chunk',
  `${SETTLE}${CAMPAIGN}${PACE}${FINISH}
local p = 16 + tonumber(ARGV[15])
local gate, campaign, has_campaign = ARGV[p], KEYS[8], ARGV[p + 1] == '1'
local opens, closes, sent, words = tonumber(ARGV[p + 3]), tonumber(ARGV[p + 4]), tonumber(ARGV[p + 5]), tonumber(ARGV[p + 7])
local first = p + 8 + words
-- A script that was sent again after a lost reply must not find itself in its own way.
local mine = redis.call('HGET', KEYS[1], 'op') == ARGV[4]
if gate ~= '0' and has_campaign and not mine then
  local state = redis.call('HGET', campaign, 'state')
  if gate == '2' and state == 'cancelled' then return {'cancelled'} end
  if gate == '1' and state ~= 'running' then
    local r = redis.call('HMGET', KEYS[1], 'state', 'lease')
    if r[1] ~= ARGV[5] or r[2] ~= ARGV[3] then return {'not yours', r[1] or ''} end
    redis.call('HDEL', KEYS[1], 'lease', 'until')
    redis.call('ZREM', KEYS[6], ARGV[1])
    if state == 'cancelled' or state == 'finished' then return {'cancelled'} end
    redis.call('SADD', KEYS[9], ARGV[1])
    return {'parked', state}
  end
end
if gate == '1' and not mine then
  local now = clock(ARGV[2])
  if has_campaign then
    local ahead = ahead_of_pace(campaign, now)
    if ahead > 0 then return {'paced', ahead} end
  end
  if ARGV[p + 2] ~= '' and now >= tonumber(ARGV[p + 2]) then return {'expiring', now} end
  local busy = {'busy'}
  if opens > 0 then
    for i, since in ipairs(redis.call('ZMSCORE', KEYS[17], unpack(ARGV, first, first + opens - 1))) do
      if since and tonumber(since) > now - ${OPEN_KEPT_MS} then busy[#busy + 1] = i - 1 end
    end
  end
  if #busy > 1 then return busy end
end
local answer = settle()
if answer[1] ~= 'applied' then return answer end
local at = answer[4]
if has_campaign then
  count_out(campaign, ARGV[5], ARGV[6])
  if gate == '1' then keep_pace(campaign, at, p + 8, words) end
end
if opens > 0 then
  local open = {}
  for i = first, first + opens - 1 do open[#open + 1] = at; open[#open + 1] = ARGV[i] end
  redis.call('ZADD', KEYS[17], unpack(open))
end
if closes > 0 then redis.call('ZREM', KEYS[17], unpack(ARGV, first + opens, first + opens + closes - 1)) end
if sent > 0 and (ARGV[p + 6] == '0' or redis.call('SCARD', KEYS[18]) < ${MARKS_PER_SLOT}) then
  redis.call('SADD', KEYS[18], unpack(ARGV, first + opens + closes, first + opens + closes + sent - 1))
  redis.call('EXPIRE', KEYS[18], ${MARKS_KEPT_S})
end
if has_campaign then
  add_counts(campaign, KEYS[16], p + 8, words)
  if ARGV[6] == 'settled' then
    redis.call('HINCRBY', campaign, 'settled', 1)
    finish_if_over(campaign, at, KEYS[2], KEYS[11], KEYS[12], {KEYS[13], KEYS[14], KEYS[15]})
  end
end
local q = first + opens + closes + sent
for i = 19, #KEYS do
  local from, to, code, type, data = ARGV[q], ARGV[q + 1], ARGV[q + 2], ARGV[q + 3], ARGV[q + 4]
  q = q + 5
  if redis.call('HGET', KEYS[i], 'state') == from then
    local m = redis.call('HMGET', KEYS[i], 'id', 'account', 'reference')
    redis.call('HSET', KEYS[i], 'state', to, 'since', at, 'updatedAt', at)
    redis.call('HINCRBY', KEYS[i], 'rev', 1)
    if code ~= '' then redis.call('HSET', KEYS[i], 'code', code) end
    if to == 'sending' then redis.call('HSET', KEYS[i], 'sentAt', at) end
    redis.call('HINCRBY', KEYS[10], from, -1)
    redis.call('HINCRBY', KEYS[10], to, 1)
    if from ~= to then count_outcome(KEYS[16], to, 1) end
    -- A one-time password is forgotten as soon as its message is over; once the chunk is settled, so is every message.
    local over = to == 'sent' or to == 'failed' or to == 'expired' or ARGV[6] == 'settled'
    if over and redis.call('HGET', KEYS[i], 'lane') == 'otp' then
      redis.call('HSET', KEYS[i], 'text', '')
    end
    if type ~= '' then
      if m[3] then data = string.sub(data, 1, -2) .. ',"reference":' .. cjson.encode(m[3]) .. '}' end
      emit(KEYS[2], KEYS[i], KEYS[10], m[1], at, m[2], type, data)
    end
  end
end
return answer
`,
);
