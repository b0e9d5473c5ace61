import { AS_IT_WAS, GUARD } from './chunk-guard.ts';
import { defineScript } from './script.ts';
import { SETTLE } from './chunk-settle.ts';
import { TOGETHER } from './together.ts';
import { PACE_AHEAD_MS } from '../campaign-pace.ts';
import { MARK_LENGTH, MARKS_KEPT_S, MARKS_PER_SLOT, OPEN_KEPT_MS } from '../text-marks.ts';

/**
 * What a campaign counts, read once and written once for all chunks of a script, however much of it changes: its bins,
 * the chunks that are out and those that are over, and at a pace, when the next recipient may leave.
 */
const CAMPAIGN = `
local BINS = {'total', 'queued', 'held', 'sending', 'sent', 'failed', 'unknown', 'skipped', 'expired', 'cancelled'}
local function count_outcome(outcomes, to, n)
  if to == 'sent' or to == 'failed' or to == 'unknown' or to == 'expired' then tally(outcomes, to, n) end
end
local function read_campaign(campaign, first, words)
  local names = {'state', 'perSecond', 'paceAt', 'out', 'settled', 'chunks', 'v', 'account', 'rev', 'seq', 'retries', 'id'}
  for _, bin in ipairs(BINS) do names[#names + 1] = 't:' .. bin end
  local own = #names
  for i = first, first + words - 1, 2 do names[#names + 1] = ARGV[i] end
  local r = redis.call('HMGET', campaign, unpack(names))
  if not r[1] then return {key = campaign, state = false, chunks = 0, changed = {}, value = {paceAt = 0, out = 0, settled = 0}} end
  same_version(r[7])
  if not (r[6] and r[8] and r[12]) then refuse('chunks, account or id') end
  for i = 2, #names do if i < 7 or (i > 8 and i ~= 12) then whole(r[i], 0, names[i]) end end
  local c = {key = campaign, state = r[1], per_second = tonumber(r[2] or ''), chunks = tonumber(r[6] or '0'), changed = {},
    value = {paceAt = tonumber(r[3] or '0'), out = tonumber(r[4] or '0'), settled = tonumber(r[5] or '0')}}
  for i = own + 1, #names do c.value[names[i]] = tonumber(r[i] or '0') end
  return c
end
local function put(c, field, value)
  c.value[field] = value
  c.changed[field] = true
end
local function count(c, field, delta)
  if not c.value[field] then c.value[field] = tonumber(redis.call('HGET', c.key, field) or '0') end
  put(c, field, c.value[field] + delta)
end
local function write_campaign(c)
  local set = {}
  for field in pairs(c.changed) do set[#set + 1] = field; set[#set + 1] = c.value[field] end
  c.changed = {}
  if #set > 0 then redis.call('HSET', c.key, unpack(set)) end
end
local function ahead_of_pace(c, now)
  if not c.per_second then return 0 end
  return math.ceil(c.value.paceAt - now - ${PACE_AHEAD_MS})
end
local function count_chunk(c, outcomes, at, first, words, from, to, gate)
  for i = first, first + words - 1, 2 do
    local field, delta = ARGV[i], tonumber(ARGV[i + 1])
    local bin = string.sub(field, 1, 2) == 't:' and string.sub(field, 3)
    -- What waits in a cancelled campaign, or goes back to its queue, will never be sent and is counted so.
    count(c, c.state == 'cancelled' and bin == 'queued' and 't:cancelled' or field, delta)
    -- What was queued in a cancelled campaign goes back to what was counted before.
    local known = c.state == 'cancelled' and from == 'queued'
    if bin and delta > 0 and not known then count_outcome(outcomes, bin, delta) end
    if gate == '1' and c.per_second and bin == 'sending' then
      put(c, 'paceAt', math.floor(math.max(c.value.paceAt, at) + delta * 1000 / c.per_second))
    end
  end
  if from ~= to and from == 'queued' then count(c, 'out', -1) elseif from ~= to and to == 'queued' then count(c, 'out', 1) end
  if to == 'settled' then count(c, 'settled', 1) end
end
`;

/** A campaign is over when each of its chunks is, and nobody is still gathering those that go out again. */
const FINISH = `
local function finish_if_over(campaign, at, events, counts, due, sets)
  local r = redis.call('HMGET', campaign, 'state', 'settled', 'chunks', 'id', 'account', 'reference', 'name', 'walk', 'retries')
  if r[1] ~= 'running' and r[1] ~= 'paused' and r[1] ~= 'held' then return end
  if tonumber(r[2] or '0') < tonumber(r[3]) or r[8] then return end
  redis.call('HSET', campaign, 'state', 'finished', 'since', at, 'updatedAt', at)
  redis.call('HINCRBY', campaign, 'rev', 1)
  tally(counts, r[1], -1)
  tally(counts, 'finished', 1)
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

/** One chunk: what stands in its way, then its own step, the marks of its texts, its campaign and its messages. */
const STEP = `
local shared_words = tonumber(ARGV[3])
local now, from, to, due, keep, evidence, hint, enters, gate, has_campaign, lists = unpack(ARGV, 4, 3 + shared_words)
lists = tonumber(lists)
local heartbeat = KEYS[shared_keys]
local shut, known, counter
if gate == '1' then shut, known = guard(heartbeat, ARGV, 15) end
-- As settle takes them: the keys of all, and before them the record of this one.
local keys = {''}
for i = 1, shared_keys do keys[i + 1] = KEYS[i] end
local events, campaign, parked, messages, campaigns, due_campaigns = keys[2], keys[8], keys[9], keys[10], keys[11], keys[12]
local outcomes, open_texts, sent_texts = keys[16], keys[17], keys[18]
-- What is known of the campaign, once it was asked for.
local c = false

local function stop_before_gate(id, lease)
  if shut then return shut end
  if not c then return end
  if gate == '2' and c.state == 'cancelled' then return {'cancelled'} end
  if gate ~= '1' or c.state == 'running' then return end
  local r = redis.call('HMGET', keys[1], 'state', 'lease')
  if r[1] ~= from or r[2] ~= lease then return {'not yours', r[1] or ''} end
  redis.call('HDEL', keys[1], 'lease', 'until')
  if c.state == 'cancelled' then
    -- Whoever takes it next writes down what is known of those who are in it.
    redis.call('ZADD', keys[6], clock(now), id)
    return {'cancelled'}
  end
  redis.call('ZREM', keys[6], id)
  if c.state == 'finished' then return {'cancelled'} end
  redis.call('SADD', parked, id)
  return {'parked', c.state}
end

local function stop_at_gate(expires, opens)
  local at = clock(now)
  local ahead = c and ahead_of_pace(c, at) or 0
  if ahead > 0 then return {'paced', ahead} end
  if expires ~= '' and at >= tonumber(expires) then return {'expiring', at} end
  if lists > 0 and redis.call('EXISTS', unpack(keys, 19, 18 + lists)) > 0 then return {'opt-outs'} end
  if #opens == 0 then return end
  local busy = {'busy'}
  for i, since in ipairs(redis.call('HMGET', open_texts, unpack(opens))) do
    if since and tonumber(since) > at - ${OPEN_KEPT_MS} then busy[#busy + 1] = i - 1 end
  end
  if #busy > 1 then return busy end
end

local function mark_texts(at, opens, closes, sent)
  if #opens > 0 then
    -- As text, or Redis would write the number out for each of them.
    local open, since = {}, string.format('%d', at)
    for i, mark in ipairs(opens) do open[2 * i - 1] = mark; open[2 * i] = since end
    redis.call('HSET', open_texts, unpack(open))
  end
  if #closes > 0 then redis.call('HDEL', open_texts, unpack(closes)) end
  if #sent == 0 then return end
  local known = redis.call('SCARD', sent_texts)
  if has_campaign == '0' or known < ${MARKS_PER_SLOT} then
    redis.call('SADD', sent_texts, unpack(sent))
    if known == 0 then redis.call('EXPIRE', sent_texts, ${MARKS_KEPT_S}) end
  end
end

local function settle_messages(at, q)
  for i = shared_keys + records + 1, #KEYS do
    local record = KEYS[i]
    local left, entered, code, type, data = ARGV[q], ARGV[q + 1], ARGV[q + 2], ARGV[q + 3], ARGV[q + 4]
    q = q + 5
    -- A message that cannot be read is left alone, and its neighbours go on: the chunk says what became of it.
    local m = redis.call('HMGET', record, 'id', 'account', 'reference', 'state', 'v', 'rev', 'seq')
    local readable = m[5] == VERSION and m[1] and m[2] and pcall(function() whole(m[6], 0, 'rev'); whole(m[7], 0, 'seq') end)
    if m[4] == left and readable then
      redis.call('HSET', record, 'state', entered, 'since', at, 'updatedAt', at)
      redis.call('HINCRBY', record, 'rev', 1)
      if code ~= '' then redis.call('HSET', record, 'code', code) end
      if entered == 'sending' then redis.call('HSET', record, 'sentAt', at) end
      tally(messages, left, -1)
      tally(messages, entered, 1)
      if left ~= entered then count_outcome(outcomes, entered, 1) end
      -- A one-time password is forgotten when its message is over; once the chunk is settled, so is every message.
      local over = entered == 'sent' or entered == 'failed' or entered == 'expired' or to == 'settled'
      if over and redis.call('HGET', record, 'lane') == 'otp' then
        redis.call('HSET', record, 'text', '')
      end
      if type ~= '' then
        if m[3] then data = string.sub(data, 1, -2) .. ',"reference":' .. cjson.encode(m[3]) .. '}' end
        emit(events, record, messages, m[1], at, m[2], type, data)
      end
    end
  end
end

local function step(record, o)
  keys[1] = record
  local id, lease, op, expires, given = ARGV[o], ARGV[o + 1], ARGV[o + 2], ARGV[o + 3], tonumber(ARGV[o + 7])
  local opens, closes = marks_in(ARGV[o + 4]), marks_in(ARGV[o + 5])
  local sent = ARGV[o + 6] == '=' and closes or marks_in(ARGV[o + 6])
  local q = o + 8 + given
  local words = tonumber(ARGV[q])
  if has_campaign == '1' and not c then c = read_campaign(campaign, q + 1, words) end
  -- A script that was sent again after a lost reply must not find itself in its own way.
  if gate == '3' and redis.call('HGET', record, 'op') ~= op then
    local stop = not_as_it_was(heartbeat, record, expires)
    if stop then return stop end
  elseif gate ~= '0' and redis.call('HGET', record, 'op') ~= op then
    local stop = stop_before_gate(id, lease) or (gate == '1' and stop_at_gate(expires, opens))
    if stop then return stop end
  end
  local change = {id, now, lease, op, from, to, due, keep, '', '', '', evidence, hint, enters, given}
  for i = 1, given do change[15 + i] = ARGV[o + 7 + i] end
  local answer = settle(keys, change)
  if answer[1] ~= 'applied' then return answer end
  local at = answer[4]
  mark_texts(at, opens, closes, sent)
  if c then
    count_chunk(c, outcomes, at, q + 1, words, from, to, gate)
    if to == 'settled' and c.value.settled >= c.chunks then
      write_campaign(c)
      finish_if_over(campaign, at, events, campaigns, due_campaigns, {keys[13], keys[14], keys[15]})
      c = false
    end
  end
  settle_messages(at, q + 1 + words)
  if known then
    counter = counter or raise(heartbeat, known)
    answer[5] = counter
  end
  return answer
end
`;

/**
 * Settles chunks, and in the same step the bins of their campaign, or the messages that the only one carries.
 *
 * Shared: KEYS 1–6 events, counts, state sets and due sets as in settle, 7 campaign (that of none where they have
 *         none), 8 parked, 9 counts of messages, 10 counts of campaigns, 11 due set of campaigns, 12–14 the campaign's
 *         state sets, 15 outcomes counted over all recipients and messages, 16 open texts, 17 sent texts, then the
 *         lists of opt-outs that nobody has looked into for these recipients, heartbeat
 *         words now, from, to, due in ms, keep the lease for ms, evidence, earliest look after a hint, enters a state
 *         set, gate (1 = only while the campaign runs, nobody may have opted out and no text is open elsewhere, 2 =
 *         only while it is not cancelled, 3 = only in a recovery and as it was read: its revision stands in the place
 *         of the time at which one expires), has a campaign (1/0), how many lists of opt-outs, what this process
 *         remembers
 * Of each: KEYS record; more: one per message
 *          words id, lease, op, time at which the first of them expires ('' = never), marks of texts to open, to close
 *          and to count as sent, each in one word ('=': those that are closed), the number of words of field/value
 *          pairs and the pairs, as in settle, the number of words of counts and the field/delta pairs; then per message:
 *          state left, state entered, code, event type, event data
 * → {'', for each as settle, or {'paced', wait in ms} | {'parked', campaign state} | {'cancelled'} | {'expiring', now} |
 *   {'opt-outs'} (there are some) | {'busy', positions of the open ones} | {'recovering'}}; at gate 1 also the counter of
 *   effects
 */
export const chunkScript = defineScript(
  'chunk',
  `${SETTLE}${TOGETHER}${GUARD}${AS_IT_WAS}${CAMPAIGN}${FINISH}${MARKS}${STEP}
local answers, refused = each(step)
if c then write_campaign(c) end
if refused then return {err = refused} end
return {'', answers}
`,
);
