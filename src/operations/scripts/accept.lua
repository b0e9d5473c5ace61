-- Writes a record that did not exist, or says which one already stands for this request, or which limit it breaks.
-- Nothing is written unless everything is in order. Of each limit the strictest holds, of what Redis has and what
-- the process asks for itself, so that they hold through every door. What counts towards a limit of the day says so
-- in the record, since it may have to be given back. The day is that of the clock of Redis, as all processes have it:
-- who has asked for another is told what time it is, and asks again.
-- @key record
-- @key mapping?  of its reference, where it claims one
-- @key other?  the record that the reference alone would have, where that is another one
-- @key stubs  @key otherStubs?  what is left of either where history alone has it
-- @key counts  @key entered  @key due  @key limits
-- @key listed  @key listedAwaiting  where lists find it
-- @key accounts  of which there are any
-- @key spent  what was accepted on that day
-- @key same  the same amount to the same beneficiary again
-- @key awaiting  the set of those that await approval
-- @key heartbeat  @key events
-- @key book  @key closedDays
-- @keys audit
-- @arg now at?
-- @arg id text  @arg otherId text  @arg fingerprint text  @arg state state  @arg account text
-- @arg stubName text  @arg otherStubName text?
-- @arg xof xof?  where it moves money
-- @arg unsent flag  it may have to wait with its account, unless it waits for an approval first
-- @arg dueInMs ms?  @arg notBefore at?
-- @arg beneficiary text
-- @arg meantAgain flag
-- @arg dryRun flag  only judged: nothing is written, and what would be is answered
-- @arg approval given|impossible?  absent: may be waited for
-- @arg day text  @arg dayBegan at
-- @arg member text  how it stands in a list
-- @arg memory Memory
-- @arg asked pairs  what the process itself asks for of each limit
-- @arg act text[]
-- @arg posts pairs  into the book of the day
-- @each names
--   @key bucket  @arg head text
-- @arg fields pairs
-- @arrow new -> state
-- @returns accepted {id, state, at} | duplicate {id, state} | conflict {id} | limited {limit, detail}
--   | another day {at} | recovering
--- @include "lib/audit"
--- @include "lib/book"
--- @include "lib/clock"
--- @include "lib/emit"
--- @include "lib/fly"
--- @include "lib/heartbeat"
--- @include "lib/identity"
--- @include "lib/move"
--- @include "lib/names"
--- @include "lib/stand"
--- @include "lib/strictest"

local shut = guard(heartbeat, memory)
if shut then return shut end
local at = clock(now)
local who = {id = id, fingerprint = fingerprint, record = record, mapping = mapping, other = other, otherId = otherId,
  stubs = stubs, stubName = stubName, otherStubs = otherStubs, otherStubName = otherStubName}
local known, detail = standing(who)
if known == 'duplicate' then return {known, id, detail} end
if known then return {known, detail} end

local own = {}
for i = 1, #asked, 2 do own[asked[i]] = asked[i + 1] end
local max, shared = {}, redis.call('HMGET', limits, unpack(MONEY_LIMITS))
for i, name in ipairs(MONEY_LIMITS) do max[name] = strictest(name, own[name], shared[i]) end
local function over(name, sum) return max[name] and sum > tonumber(max[name]) end
local function spend()
  local counted = max.MAX_PER_DAY or max.MAX_PER_BENEFICIARY_DAY
  if counted then
    local all, his = unpack(redis.call('HMGET', spent, 'all', beneficiary))
    whole(all, 0, 'the sum of the day')
    whole(his, 0, 'the sum of the day')
    if over('MAX_PER_DAY', tonumber(all or '0') + xof) then return {'limited', 'MAX_PER_DAY', max.MAX_PER_DAY} end
    if over('MAX_PER_BENEFICIARY_DAY', tonumber(his or '0') + xof) then
      return {'limited', 'MAX_PER_BENEFICIARY_DAY', max.MAX_PER_BENEFICIARY_DAY}
    end
  end
  if max.DUPLICATE_WINDOW and not meantAgain then
    local before = redis.call('GET', same)
    if before then return {'limited', 'DUPLICATE_WINDOW', before} end
  end
  if max.DUPLICATE_WINDOW then whole(max.DUPLICATE_WINDOW, 0, 'DUPLICATE_WINDOW') end
  if dryRun then return nil end
  if counted then
    redis.call('HINCRBY', spent, 'all', xof)
    redis.call('HINCRBY', spent, beneficiary, xof)
    redis.call('EXPIRE', spent, SUMS_KEPT_S)
  end
  if max.DUPLICATE_WINDOW then redis.call('SET', same, id, 'PX', max.DUPLICATE_WINDOW) end
  return nil, counted
end
local counted, told
if xof then
  if at < dayBegan or at >= dayBegan + DAY_MS then return {'another day', at} end
  if over('MAX_DISBURSEMENT', xof) then return {'limited', 'MAX_DISBURSEMENT', max.MAX_DISBURSEMENT} end
  local awaits = over('APPROVAL_ABOVE', xof) and approval ~= 'given'
  if awaits and approval == 'impossible' then return {'limited', 'APPROVAL_ABOVE', max.APPROVAL_ABOVE} end
  local limited
  limited, counted = spend()
  if limited then return limited end
  if awaits and state == 'queued' then
    state, entered, listed, told = 'awaiting_approval', awaiting, listedAwaiting, true
  end
end

if dryRun then return {'accepted', id, state, at} end

claim_reference(who)
local set = {'id', id, 'state', state, 'fp', fingerprint, 'rev', 1, 'seq', 0, 'createdAt', at, 'updatedAt', at, 'since', at,
  'account', account}
if counted then set[#set + 1] = 'counted'; set[#set + 1] = day .. ' ' .. beneficiary end
local asked_for = {}
for i = 1, #fields, 2 do
  set[#set + 1] = fields[i]; set[#set + 1] = fields[i + 1]
  asked_for[fields[i]] = fields[i + 1]
end
redis.call('HSET', record, unpack(set))
local counted_in = sheet(counts)
move({counts = counted_in, id = id, at = at, to = state, entered = entered, xof = xof})
if xof then fly(counted_in, account, asked_for.withdrawMode, nil, state, xof) end
if unsent and state ~= 'awaiting_approval' then
  stand({counts = counted_in, account = account, at = at, entered = 'unsent', xof = xof})
end
write_standing(counted_in)
redis.call('ZADD', listed, at, member)
redis.call('SADD', accounts, account)
add_names(names, at, id)
post(book, closedDays, at, posts)
if told then
  local words = {'reference', 'withdrawMode', 'disburseId'}
  for i, name in ipairs(words) do words[i] = asked_for[name] and cjson.encode(asked_for[name]) or 'null' end
  emit(record, {stream = events, counts = counts, id = id, at = at, account = account,
    type = 'disbursement.awaiting_approval', trace = asked_for.trace,
    data = EVENT_LIST .. string.format('[%s,%.0f,%s,%s]', words[1], xof, words[2], words[3])})
end
if dueInMs and state ~= 'awaiting_approval' then redis.call('ZADD', due, math.max(at + dueInMs, notBefore or 0), id) end
audit_line(audit, act, at, nil, audit_word('state', state))
return {'accepted', id, state, at}
