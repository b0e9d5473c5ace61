import { defineScript } from './script.ts';
import { SETTLE } from './settle.ts';

/**
 * Adds to the bins of a campaign; `settled` is counted when a chunk is over, and the last one finishes the campaign.
 */
const CAMPAIGN = `
local function count_outcome(outcomes, to, n)
  if to == 'sent' or to == 'failed' or to == 'unknown' or to == 'expired' then redis.call('HINCRBY', outcomes, to, n) end
end
local function add_bins(campaign, outcomes, first, words)
  local cancelled = redis.call('HGET', campaign, 'state') == 'cancelled'
  for i = first, first + words - 1, 2 do
    local bin = ARGV[i]
    -- What goes back to the queue of a cancelled campaign will never be sent.
    if cancelled and bin == 'queued' and tonumber(ARGV[i + 1]) > 0 then bin = 'cancelled' end
    redis.call('HINCRBY', campaign, 't:' .. bin, ARGV[i + 1])
    if tonumber(ARGV[i + 1]) > 0 then count_outcome(outcomes, bin, ARGV[i + 1]) end
  end
end
local function finish_if_over(campaign, at, events, counts, due, sets)
  local r = redis.call('HMGET', campaign, 'state', 'settled', 'chunks', 'id', 'account', 'reference', 'name')
  if r[1] ~= 'running' and r[1] ~= 'paused' and r[1] ~= 'held' then return end
  if tonumber(r[2] or '0') < tonumber(r[3]) then return end
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
  emit(events, campaign, r[4], at, r[5], 'campaign.finished', cjson.encode(data))
end
`;

/**
 * Settles a chunk, and in the same step the bins of its campaign or the messages that it carries.
 *
 * KEYS 1–7 as in settle, 8 campaign ('' key of none where the chunk has none), 9 parked, 10 counts of messages,
 *      11 counts of campaigns, 12 due set of campaigns, 13–15 the campaign's state sets, 16 outcomes counted over all
 *      recipients and messages, then one key per message
 * ARGV 1–15 as in settle with its pairs; then: gate (1 = only while the campaign runs), number of words of bins and
 *      the bin/delta pairs; then per message: state left, state entered, code, event type, event data
 * → as settle, or {'parked', campaign state} | {'cancelled'}
 */
export const chunkScript = defineScript(
  'chunk',
  `${SETTLE}${CAMPAIGN}
local p = 16 + tonumber(ARGV[15])
local campaign, has_campaign = KEYS[8], ARGV[p + 1] == '1'
if ARGV[p] == '1' and has_campaign then
  local state = redis.call('HGET', campaign, 'state')
  if state ~= 'running' then
    local r = redis.call('HMGET', KEYS[1], 'state', 'lease')
    if r[1] ~= ARGV[5] or r[2] ~= ARGV[3] then return {'not yours', r[1] or ''} end
    redis.call('HDEL', KEYS[1], 'lease', 'until')
    redis.call('ZREM', KEYS[6], ARGV[1])
    if state == 'cancelled' or state == 'finished' then return {'cancelled'} end
    redis.call('SADD', KEYS[9], ARGV[1])
    return {'parked', state}
  end
end
local answer = settle()
if answer[1] ~= 'applied' then return answer end
local at, words = answer[4], tonumber(ARGV[p + 2])
if has_campaign then
  add_bins(campaign, KEYS[16], p + 3, words)
  if ARGV[6] == 'settled' then
    redis.call('HINCRBY', campaign, 'settled', 1)
    finish_if_over(campaign, at, KEYS[2], KEYS[11], KEYS[12], {KEYS[13], KEYS[14], KEYS[15]})
  end
end
local q = p + 3 + words
for i = 17, #KEYS do
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
      emit(KEYS[2], KEYS[i], m[1], at, m[2], type, data)
    end
  end
end
return answer
`,
);
