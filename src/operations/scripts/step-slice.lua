-- One step of a slice, by the attempt that has its lease: what came back of requests, who waits again, and which
-- requests are about to leave; with the bins of the campaign, or with the messages that it carries. What came back is
-- written in any case; what is about to leave only while nothing stands in its way, as many as may, and what that is is
-- answered. Each request that changes is compared with what was read of it, a new one takes the next number, which must
-- be the one that was read, and the step before it must still be the last: a step that comes late, or once more, or
-- after one that Redis has lost since, changes nothing.
-- @key slice
-- @key campaign?  absent: it carries single messages
-- @key dueToSend  @key dueToLook
-- @key counts  of slices
-- @key left  @key entered?  state sets
-- @key parked  @key outcomes  @key events
-- @key messageCounts
-- @key openTexts  @key sentTexts  marks of the texts of single messages
-- @key campaignCounts  @key dueCampaigns
-- @key running  @key paused  @key held  sets of campaigns
-- @key heartbeat  @key heldAccounts
-- @key book  @key closedDays
-- @key limits
-- @key history  what waits for it
-- @key textsCost  hundredths of XOF that the texts of the account were counted for in a month, in all and by day
-- @keys optOuts  lists that nobody has looked into for those who are about to leave
-- @arg now at?  @arg id text  @arg lease text
-- @arg op text  how the record knows this very step again
-- @arg follows text?  the step before it, as the attempt knows it
-- @arg from state  @arg to state
-- @arg keepLeaseMs ms?  absent: let go
-- @arg sendInMs ms?  @arg sendAsItIs flag
-- @arg lookInMs ms?  @arg lookAsItIs flag
-- @arg tried flag  an account that is held is tried all the same
-- @arg inRecovery flag  only while one is under way
-- @arg eventsLost int  @arg revisionsLost int  so many may have been given since a copy was made, at the most
-- @arg recounted flag  the outcomes were counted before
-- @arg next int  the number of the first request that is opened or leaves
-- @arg memory Memory
-- @arg day text  in which the texts that leave are counted
-- @arg charged int  hundredths of XOF besides: of texts that may have left, or, below 0, of what has not
-- @arg asked pairs  what the process itself asks for of each limit
-- @each changed
--   @arg number int  @arg read text  @arg becomes text
-- @arg opened text[]
-- @each leaving
--   @arg becomes text
--   @arg carries int
--   @arg cost int?  hundredths of XOF; absent: nobody has reckoned it
--   @arg expiresAt at?  when the first of its people must not get it any more
--   @arg opens text?  marks of its texts
-- @arg closes text?  marks of texts that are no longer open
-- @arg sent text?  marks of texts that are counted as sent
-- @each lists
--   @key set  where lists find the messages of a state
--   @arg state state
-- @each messages
--   @key record
--   @arg leavesWith int  the place of its request among those that leave; 0: it changes in any case
--   @arg left state  @arg entered state
--   @arg code text?
--   @arg eventType text?  @arg eventData json?
--   @arg toldAs int?  the number of the event, where it was told before, and its data are whole
--   @arg sentAt at?  where that is known from then
--   @arg forgets flag  what it said
-- @arg fields pairs
-- @arg posts pairs  into the book of the day
-- @arg deltas pairs  fields of the campaign, and by how much they change
-- @arrow campaign running, paused, held -> finished
-- @returns applied {leave int, why text, waitMs ms, rev int, counter int, spare int, counted flag, busy text?}
--   | mine {leave int} | not yours {state} | none | recovered
--- @include "lib/book"
--- @include "lib/clock"
--- @include "lib/finish-sliced"
--- @include "lib/follow"
--- @include "lib/heartbeat"
--- @include "lib/history"
--- @include "lib/marks"
--- @include "lib/move"
--- @include "lib/strictest"
--- @include "lib/tally"
--- @include "lib/version"

local names = {'lease', 'op', 'n', 'v', 'rev', 'account', 'state'}
local known = #names
for _, request in ipairs(changed) do names[#names + 1] = 'r' .. request.number end
local read = redis.call('HMGET', slice, unpack(names))
local leased, last, numbers, version, rev, account, state = unpack(read, 1, known)
if not state then return {'none'} end
local last_op, last_leave = string.match(last or '', '^(%S+) (%d+)$')
if last_op == op then return {'mine', tonumber(last_leave)} end
if last_op ~= follows then return {'not yours', state} end
if state ~= from or leased ~= lease or whole(numbers, 0, 'n') ~= next then return {'not yours', state} end
for i, request in ipairs(changed) do
  if read[known + i] ~= request.read then return {'not yours', state} end
end
same_version(version)
if inRecovery and redis.call('HEXISTS', heartbeat, 'recovering') == 0 then return {'recovered'} end
rev = whole(rev, 0, 'rev') + 1 + revisionsLost
local at = clock(now)

-- What the campaign counts, read once and written once.
local goes, per_second, campaign_id, value, put = 'running', nil, nil, {}, {}
local function read_campaign()
  local asked = {'account', 'v', 'id', 'perSecond', 'state'}
  for _, field in ipairs({'paceAt', 'rev', 'seq', 'slices', 'settled', 'out', 't:queued', 't:cancelled', 't:sending'}) do
    asked[#asked + 1] = field
  end
  for i = 1, #deltas, 2 do asked[#asked + 1] = deltas[i] end
  local c = redis.call('HMGET', campaign, unpack(asked))
  if not c[5] then refuse('a campaign without a record') end
  same_version(c[2])
  if not (c[1] and c[3] and c[9]) then refuse('slices, account or id') end
  goes, per_second, campaign_id = c[5], tonumber(c[4] or ''), c[3]
  for i = 6, #asked do value[asked[i]] = whole(c[i], 0, asked[i]) end
end
local function count(field, delta)
  if delta == 0 or not campaign then return end
  value[field] = value[field] + delta
  put[field] = true
end
if campaign then read_campaign() end

local leave, why, wait, busy, beat = #leaving, '', 0, '', nil
local function stop(reason) leave, why = 0, reason end
local function pace()
  for i = 1, leave do
    local request = leaving[i]
    local ahead = math.ceil(value.paceAt - at - PACE_AHEAD_MS)
    if ahead > 0 then
      leave, why, wait = i - 1, 'paced', ahead
      return
    end
    value.paceAt = math.floor(math.max(value.paceAt, at) + request.carries * 1000 / per_second)
    put.paceAt = true
  end
end
-- A budget stops to the text: what is left of it is answered, and a smaller request may come.
local spent_day, spent_all, budgets, budgeted, spare = 0, 0, {}, false, 0
local function read_spent()
  local of_day, of_month = unpack(redis.call('HMGET', textsCost, day, 'all'))
  spent_day, spent_all = whole(of_day, 0, 'the cost of the day'), whole(of_month, 0, 'the cost of the month')
end
local function read_budgets()
  local own, shared = {}, redis.call('HMGET', limits, unpack(TEXT_LIMITS))
  for i = 1, #asked, 2 do own[asked[i]] = asked[i + 1] end
  for i, name in ipairs(TEXT_LIMITS) do
    budgets[name] = tonumber(strictest(name, own[name], shared[i] or nil) or '')
    budgeted = budgeted or budgets[name] ~= nil
  end
end
local function keep_to_budget()
  if charged == 0 then read_spent() end
  spare = math.max(0, math.min((budgets.SMS_BUDGET_DAY or math.huge) * 100 - spent_day - charged,
    (budgets.SMS_BUDGET_MONTH or math.huge) * 100 - spent_all - charged))
  for i, request in ipairs(leaving) do
    if not request.cost or request.cost > spare then
      leave, why = i - 1, request.cost and 'budget' or 'uncounted'
      return
    end
    spare = spare - request.cost
  end
end
local function expires()
  for _, request in ipairs(leaving) do
    if request.expiresAt and at >= request.expiresAt then return true end
  end
end
-- The same text to the same number is on its way, or in doubt.
local function find_busy()
  local own = {}
  for _, mark in ipairs(marks_in(closes)) do own[mark] = true end
  for _, request in ipairs(leaving) do busy = busy .. open_elsewhere(openTexts, marks_in(request.opens), own, at) end
  return busy ~= ''
end
if charged ~= 0 then read_spent() end
if #leaving > 0 then
  local shut
  shut, beat = guard(heartbeat, memory)
  if shut then stop('recovering')
  elseif goes == 'cancelled' or goes == 'finished' then stop('cancelled')
  elseif goes ~= 'running' then stop('parked')
  elseif not tried and redis.call('SISMEMBER', heldAccounts, account or '') == 1 then stop('held')
  elseif #optOuts > 0 and redis.call('EXISTS', unpack(optOuts)) > 0 then stop('opt-outs')
  elseif expires() then stop('expiring')
  elseif find_busy() then stop('busy')
  else
    read_budgets()
    if budgeted then keep_to_budget() end
    if per_second then pace() end
  end
end

for i = 1, #deltas, 2 do
  local field, delta = deltas[i], tonumber(deltas[i + 1])
  -- What waits in a cancelled campaign, or goes back to its queue, will never be sent and is counted so.
  count(goes == 'cancelled' and field == 't:queued' and 't:cancelled' or field, delta)
  local bin = string.sub(field, 1, 2) == 't:' and string.sub(field, 3)
  if not recounted and delta > 0 and (bin == 'sent' or bin == 'failed' or bin == 'unknown' or bin == 'expired') then
    tally(outcomes, bin, delta)
  end
end
local cost = charged
if budgeted then for i = 1, leave do cost = cost + leaving[i].cost end end
if cost ~= 0 then
  redis.call('HSET', textsCost, day, math.max(0, spent_day + cost), 'all', math.max(0, spent_all + cost))
  redis.call('EXPIRE', textsCost, COSTS_KEPT_S)
end
local set = {'op', op .. ' ' .. leave, 'n', next + #opened + leave, 'rev', rev, 'updatedAt', at}
local function add(field, text) set[#set + 1] = field; set[#set + 1] = text end
add('state', to)
for _, request in ipairs(changed) do add('r' .. request.number, request.becomes) end
for i, becomes in ipairs(opened) do add('r' .. (next + i - 1), becomes) end
for i = 1, leave do
  add('r' .. (next + #opened + i - 1), leaving[i].becomes)
  count('t:queued', -leaving[i].carries)
  count('t:sending', leaving[i].carries)
end
for i = 1, #fields, 2 do add(fields[i], fields[i + 1]) end
if from ~= to then add('since', at) end
if keepLeaseMs then add('until', at + keepLeaseMs) else redis.call('HDEL', slice, 'lease', 'until') end
redis.call('HSET', slice, unpack(set))
local counted, messages_counted = sheet(counts), sheet(messageCounts)
move({counts = counted, id = id, at = at, from = from, to = to, left = left, entered = entered})
write_sheet(counted)
post(book, closedDays, at, posts)
unmark(openTexts, marks_in(closes))
for i = 1, leave do mark_open(openTexts, marks_in(leaving[i].opens), at) end
mark_sent(sentTexts, marks_in(sent))
local places = {left = {}, entered = {}, kept = {}}
for _, message in ipairs(messages) do
  if message.leavesWith <= leave then
    follow(message, at, {counts = messages_counted, outcomes = outcomes, events = events, eventsLost = eventsLost,
      revisionsLost = revisionsLost}, places)
  end
end
write_sheet(messages_counted)
for_history(messages_counted, history, at, places.kept)
for _, list in ipairs(lists) do
  if places.left[list.state] then redis.call('ZREM', list.set, unpack(places.left[list.state])) end
  if places.entered[list.state] then redis.call('ZADD', list.set, unpack(places.entered[list.state])) end
end

if from ~= to then
  if from == 'queued' then count('out', -1) elseif to == 'queued' then count('out', 1) end
  if to == 'settled' then count('settled', 1) end
end
local write = {}
for field in pairs(put) do write[#write + 1] = field; write[#write + 1] = value[field] end
if #write > 0 then redis.call('HSET', campaign, unpack(write)) end
-- What a campaign that is over counts goes on to change until the last of its slices is over too.
if campaign and to == 'settled' then
  for_history(counted, history, at, (goes == 'cancelled' or goes == 'finished') and {id, campaign_id} or {id})
end
if campaign and to == 'settled' and value.settled >= value.slices then
  finish_if_over(at, {campaign = campaign, events = events, counts = campaignCounts, due = dueCampaigns,
    history = history, sets = {running = running, paused = paused, held = held}})
end

local function due(set_of, in_ms)
  if in_ms then redis.call('ZADD', set_of, at + in_ms, id) else redis.call('ZREM', set_of, id) end
end
-- Nothing of a campaign that rests is due: resuming it finds its slices among the parked.
local rests = not keepLeaseMs and sendInMs and goes ~= 'running'
if rests and goes == 'cancelled' then due(dueToSend, 0)
elseif rests then
  due(dueToSend)
  if goes ~= 'finished' then redis.call('SADD', parked, id) end
elseif not sendAsItIs then due(dueToSend, sendInMs) end
if not lookAsItIs then due(dueToLook, lookInMs) end
return {'applied', leave, why, wait, rev, leave > 0 and raise(heartbeat, beat) or 0, spare, budgeted and 1 or 0, busy}
