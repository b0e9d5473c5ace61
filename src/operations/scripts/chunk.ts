import { defineScript } from './script.ts';
import { SETTLE } from './settle.ts';
import { PACE_AHEAD_MS } from '../campaign-pace.ts';
import { MARK_LENGTH, MARKS_KEPT_S, MARKS_PER_SLOT, OPEN_KEPT_MS } from '../text-marks.ts';

/**
 * What a campaign counts, read once and written once, however much of it changes: its bins, the chunks that are out and
 * those that are over, and at a pace, when the next recipient may leave.
 */
const CAMPAIGN = `
local function count_outcome(outcomes, to, n)
  if to == 'sent' or to == 'failed' or to == 'unknown' or to == 'expired' then redis.call('HINCRBY', outcomes, to, n) end
end
local function read_campaign(campaign, first, words)
  local names = {'state', 'perSecond', 'paceAt', 'out', 'settled', 'chunks'}
  for i = first, first + words - 1, 2 do names[#names + 1] = ARGV[i] end
  local r = redis.call('HMGET', campaign, unpack(names))
  local c = {state = r[1], per_second = tonumber(r[2] or ''), pace_at = tonumber(r[3] or '0'), out = tonumber(r[4] or '0'),
    settled = tonumber(r[5] or '0'), chunks = tonumber(r[6] or '0'), counted = {}}
  for i = 7, #names do c.counted[names[i]] = tonumber(r[i] or '0') end
  return c
end
local function ahead_of_pace(c, now)
  if not c.per_second then return 0 end
  return math.ceil(c.pace_at - now - ${PACE_AHEAD_MS})
end
local function write_campaign(campaign, outcomes, c, at, first, words, from, to, gate)
  local set, never = {}, 0
  for i = first, first + words - 1, 2 do
    local field, delta = ARGV[i], tonumber(ARGV[i + 1])
    local bin = string.sub(field, 1, 2) == 't:' and string.sub(field, 3)
    if c.state == 'cancelled' and bin == 'queued' then
      -- What waits in a cancelled campaign, or goes back to its queue, will never be sent and is counted so.
      never = never + delta
    else
      set[#set + 1] = field; set[#set + 1] = c.counted[field] + delta
    end
    -- What was queued in a cancelled campaign goes back to what was counted before.
    local known = c.state == 'cancelled' and from == 'queued'
    if bin and delta > 0 and not known then count_outcome(outcomes, bin, delta) end
    if gate == '1' and c.per_second and bin == 'sending' then
      set[#set + 1] = 'paceAt'; set[#set + 1] = math.floor(math.max(c.pace_at, at) + delta * 1000 / c.per_second)
    end
  end
  local out = c.out
  if from ~= to and from == 'queued' then out = out - 1 elseif from ~= to and to == 'queued' then out = out + 1 end
  if out ~= c.out then set[#set + 1] = 'out'; set[#set + 1] = out end
  if to == 'settled' then c.settled = c.settled + 1; set[#set + 1] = 'settled'; set[#set + 1] = c.settled end
  if #set > 0 then redis.call('HSET', campaign, unpack(set)) end
  if never ~= 0 then redis.call('HINCRBY', campaign, 't:cancelled', never) end
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

const MARKS = `
local function marks_in(word)
  local marks = {}
  for i = 1, #word, ${MARK_LENGTH} do marks[#marks + 1] = string.sub(word, i, i + ${MARK_LENGTH - 1}) end
  return marks
end
`;

/**
 * Settles a chunk, and in the same step the bins of its campaign or the messages that it carries.
 *
 * KEYS 1–7 as in settle, 8 campaign ('' key of none where the chunk has none), 9 parked, 10 counts of messages,
 *      11 counts of campaigns, 12 due set of campaigns, 13–15 the campaign's state sets, 16 outcomes counted over all
 *      recipients and messages, 17 open texts, 18 sent texts, then the lists of opt-outs that nobody has looked into
 *      for these recipients, then one key per message
 * ARGV 1–15 as in settle with its pairs; then: gate (1 = only while the campaign runs, nobody may have opted out and no
 *      text is open elsewhere, 2 = only while it is not cancelled), has a campaign (1/0), time at which the first of
 *      them expires ('' = never), marks of texts to open, to close and to count as sent, each in one word ('=': those
 *      that are closed), whether the last ones may be left out, how many lists of opt-outs, number of words of counts
 *      and the field/delta pairs; then per message: state left, state entered, code, event type, event data
 * → as settle, or {'paced', wait in ms} | {'parked', campaign state} | {'cancelled'} | {'expiring', now} |
 *   {'opt-outs'} (there are some) | {'busy', positions of the open ones}
 */
export const chunkScript = defineScript(
  'chunk',
  `${SETTLE}${CAMPAIGN}${FINISH}${MARKS}
local p = 16 + tonumber(ARGV[15])
local gate, campaign, has_campaign = ARGV[p], KEYS[8], ARGV[p + 1] == '1'
local opens, closes = marks_in(ARGV[p + 3]), marks_in(ARGV[p + 4])
local sent = ARGV[p + 5] == '=' and closes or marks_in(ARGV[p + 5])
local lists, words = tonumber(ARGV[p + 7]), tonumber(ARGV[p + 8])
local c = has_campaign and read_campaign(campaign, p + 9, words)
-- A script that was sent again after a lost reply must not find itself in its own way.
local mine = gate ~= '0' and redis.call('HGET', KEYS[1], 'op') == ARGV[4]
if gate ~= '0' and c and not mine then
  if gate == '2' and c.state == 'cancelled' then return {'cancelled'} end
  if gate == '1' and c.state ~= 'running' then
    local r = redis.call('HMGET', KEYS[1], 'state', 'lease')
    if r[1] ~= ARGV[5] or r[2] ~= ARGV[3] then return {'not yours', r[1] or ''} end
    redis.call('HDEL', KEYS[1], 'lease', 'until')
    if c.state == 'cancelled' then
      -- Whoever takes it next writes down what is known of those who are in it.
      redis.call('ZADD', KEYS[6], clock(ARGV[2]), ARGV[1])
      return {'cancelled'}
    end
    redis.call('ZREM', KEYS[6], ARGV[1])
    if c.state == 'finished' then return {'cancelled'} end
    redis.call('SADD', KEYS[9], ARGV[1])
    return {'parked', c.state}
  end
end
if gate == '1' and not mine then
  local now = clock(ARGV[2])
  local ahead = c and ahead_of_pace(c, now) or 0
  if ahead > 0 then return {'paced', ahead} end
  if ARGV[p + 2] ~= '' and now >= tonumber(ARGV[p + 2]) then return {'expiring', now} end
  if lists > 0 and redis.call('EXISTS', unpack(KEYS, 19, 18 + lists)) > 0 then return {'opt-outs'} end
  local busy = {'busy'}
  if #opens > 0 then
    for i, since in ipairs(redis.call('HMGET', KEYS[17], unpack(opens))) do
      if since and tonumber(since) > now - ${OPEN_KEPT_MS} then busy[#busy + 1] = i - 1 end
    end
  end
  if #busy > 1 then return busy end
end
local answer = settle()
if answer[1] ~= 'applied' then return answer end
local at = answer[4]
if #opens > 0 then
  local open = {}
  for i, mark in ipairs(opens) do open[2 * i - 1] = mark; open[2 * i] = at end
  redis.call('HSET', KEYS[17], unpack(open))
end
if #closes > 0 then redis.call('HDEL', KEYS[17], unpack(closes)) end
if #sent > 0 then
  local known = redis.call('SCARD', KEYS[18])
  if ARGV[p + 6] == '0' or known < ${MARKS_PER_SLOT} then
    redis.call('SADD', KEYS[18], unpack(sent))
    if known == 0 then redis.call('EXPIRE', KEYS[18], ${MARKS_KEPT_S}) end
  end
end
if c then
  write_campaign(campaign, KEYS[16], c, at, p + 9, words, ARGV[5], ARGV[6], gate)
  if ARGV[6] == 'settled' and c.settled >= c.chunks then
    finish_if_over(campaign, at, KEYS[2], KEYS[11], KEYS[12], {KEYS[13], KEYS[14], KEYS[15]})
  end
end
local q = p + 9 + words
for i = 19 + lists, #KEYS do
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
