-- Writes records that did not exist: of those that are asked for in the same moment, up to fifty of one kind, account
-- and state. Each has a verdict of its own, in their order, as if it had been asked for alone after those before it:
-- which one already stands for this request, or which limit it breaks. One that cannot be judged stops none of the
-- others. Of each limit the strictest holds, of what Redis has and what the process asks for itself, so that they hold
-- through every door. What counts towards a limit of the day says so in the record, since it may have to be given back.
-- The day is that of the clock of Redis, as all processes have it: who has asked for another is told what time it is,
-- and asks again.
-- @key counts  @key entered  @key due  @key limits
-- @key listed  @key listedAwaiting  where lists find them
-- @key accounts  of which there are any
-- @key spent  what was accepted on that day
-- @key awaiting  the set of those that await approval
-- @key heartbeat  @key events
-- @key book  @key closedDays
-- @keys audit
-- @arg now at?
-- @arg state state  @arg account text
-- @arg unsent flag  they may have to wait with their account, unless they wait for an approval first
-- @arg dueInMs ms?
-- @arg dryRun flag  only judged, each for itself: nothing is written, and what would be is answered
-- @arg day text  @arg dayBegan at
-- @arg memory Memory
-- @arg asked pairs  what the process itself asks for of each limit
-- @arg common pairs  fields that all of them have alike
-- @each acts
--   @arg words text[]  what all lines of one request begin with
-- @each books
--   @arg counted text[]  sums of the book of the day that count them  @arg summed text[]  and their XOF
-- @each operations
--   @key record
--   @key mapping?  of its reference, where it claims one
--   @key other?  the record that the reference alone would have, where that is another one
--   @key stubs  @key otherStubs?  what is left of either where history alone has it
--   @key same?  the same amount to the same beneficiary again
--   @arg id text  @arg otherId text?  @arg fingerprint text
--   @arg stubName text  @arg otherStubName text?
--   @arg xof xof?  where it moves money
--   @arg notBefore at?
--   @arg beneficiary text
--   @arg meantAgain flag
--   @arg approval given|impossible?  absent: may be waited for
--   @arg member text  how it stands in a list
--   @arg asker int  which of the acts; 0: nobody's  @arg facts text?  @arg mark text?
--   @arg posted int  in which of the books; 0: in none
--   @arg fields pairs
-- @each names
--   @key bucket  @arg head text  @arg of int  which of the operations
-- @arrow new -> state
-- @type Verdict accepted {state} | duplicate {state} | conflict {id} | limited {limit, detail} | failed {why}
-- @returns judged {at, verdicts Verdict[]} | another day {at} | recovering
--- @include "lib/audit"
--- @include "lib/book"
--- @include "lib/clock"
--- @include "lib/emit"
--- @include "lib/fly"
--- @include "lib/heartbeat"
--- @include "lib/identity"
--- @include "lib/names"
--- @include "lib/stand"
--- @include "lib/strictest"
--- @include "lib/why"

local shut = guard(heartbeat, memory)
if shut then return shut end
local at = clock(now)
local own, max, paid_to = {}, {}, {'all'}
for _, o in ipairs(operations) do
  if o.xof then paid_to[#paid_to + 1] = o.beneficiary end
end
if #paid_to > 1 and (at < dayBegan or at >= dayBegan + DAY_MS) then return {'another day', at} end

for i = 1, #asked, 2 do own[asked[i]] = asked[i + 1] end
local shared = redis.call('HMGET', limits, unpack(MONEY_LIMITS))
for i, name in ipairs(MONEY_LIMITS) do max[name] = strictest(name, own[name], shared[i]) end
local function over(name, sum) return max[name] and sum > tonumber(max[name]) end
-- What those before in this step have raised of the sums of the day, paid, begun and claimed counts as written.
local counted = max.MAX_PER_DAY or max.MAX_PER_BENEFICIARY_DAY
local sums, raised, paid, begun, claimed = {}, {}, {}, {}, {}
if counted and #paid_to > 1 then
  local read = redis.call('HMGET', spent, unpack(paid_to))
  for i, name in ipairs(paid_to) do sums[name] = read[i] end
end
local function spend(o)
  local all, his
  if counted then
    all = (raised.all or whole(sums.all, 0, 'the sum of the day')) + o.xof
    his = (raised[o.beneficiary] or whole(sums[o.beneficiary], 0, 'the sum of the day')) + o.xof
    if over('MAX_PER_DAY', all) then return {'limited', 'MAX_PER_DAY', max.MAX_PER_DAY} end
    if over('MAX_PER_BENEFICIARY_DAY', his) then
      return {'limited', 'MAX_PER_BENEFICIARY_DAY', max.MAX_PER_BENEFICIARY_DAY}
    end
  end
  if max.DUPLICATE_WINDOW then
    local before = not o.meantAgain and (paid[o.same] or redis.call('GET', o.same))
    if before then return {'limited', 'DUPLICATE_WINDOW', before} end
    whole(max.DUPLICATE_WINDOW, 0, 'DUPLICATE_WINDOW')
  end
  if dryRun then return nil end
  if counted then raised.all, raised[o.beneficiary] = all, his end
  if max.DUPLICATE_WINDOW then paid[o.same] = o.id end
end
local function judge(o)
  local before = begun[o.record]
  if before and before.fingerprint == o.fingerprint then return {'duplicate', before.state} end
  if before then return {'conflict', o.id} end
  local known, detail = standing(o)
  if known then return {known, detail} end
  local owner = o.mapping and claimed[o.mapping]
  if owner and owner ~= o.id then return {'conflict', owner} end
  if o.other and begun[o.other] then return {'conflict', o.otherId} end
  o.state = state
  if o.xof then
    if over('MAX_DISBURSEMENT', o.xof) then return {'limited', 'MAX_DISBURSEMENT', max.MAX_DISBURSEMENT} end
    local awaits = over('APPROVAL_ABOVE', o.xof) and o.approval ~= 'given'
    if awaits and o.approval == 'impossible' then return {'limited', 'APPROVAL_ABOVE', max.APPROVAL_ABOVE} end
    local limited = spend(o)
    if limited then return limited end
    if awaits and state == 'queued' then o.state = 'awaiting_approval' end
  end
  if not dryRun then
    begun[o.record] = o
    if o.other and o.mapping then claimed[o.mapping] = o.id end
  end
  return {'accepted', o.state}
end

local verdicts, accepted = {}, {}
for i, o in ipairs(operations) do
  local done, verdict = pcall(judge, o)
  verdicts[i] = done and verdict or {'failed', why_of(verdict)}
  if begun[o.record] == o then accepted[#accepted + 1] = o end
end
if #accepted == 0 then return {'judged', at, verdicts} end

local counted_in, places, posts, lines = sheet(counts), {}, sheet(book), {}
local function put(key, score, member)
  local list = places[key] or {}
  list[#list + 1] = score; list[#list + 1] = member
  places[key] = list
end
local function write(o)
  claim_reference(o)
  local told = o.state ~= state
  local set = {'id', o.id, 'state', o.state, 'fp', o.fingerprint, 'rev', 1, 'seq', told and 1 or 0, 'createdAt', at,
    'updatedAt', at, 'since', at, 'account', account}
  if counted and o.xof then set[#set + 1] = 'counted'; set[#set + 1] = day .. ' ' .. o.beneficiary end
  local asked_for = {}
  for _, some in ipairs({common, o.fields}) do
    for i = 1, #some, 2 do
      set[#set + 1] = some[i]; set[#set + 1] = some[i + 1]
      asked_for[some[i]] = some[i + 1]
    end
  end
  redis.call('HSET', o.record, unpack(set))
  if o.xof and max.DUPLICATE_WINDOW then redis.call('SET', o.same, o.id, 'PX', max.DUPLICATE_WINDOW) end
  tally(counted_in, o.state, 1)
  if o.xof then
    tally(counted_in, 'xof:' .. o.state, o.xof)
    fly(counted_in, account, asked_for.withdrawMode, nil, o.state, o.xof)
  end
  if unsent and not told then
    stand({counts = counted_in, account = account, at = at, entered = 'unsent', xof = o.xof})
  end
  put(told and awaiting or entered, at, o.id)
  put(told and listedAwaiting or listed, at, o.member)
  if dueInMs and not told then put(due, math.max(at + dueInMs, o.notBefore or 0), o.id) end
  local sums_in = books[o.posted]
  if sums_in then
    for _, name in ipairs(sums_in.counted) do tally(posts, name, 1) end
    for _, name in ipairs(sums_in.summed) do tally(posts, name, o.xof) end
  end
  local act = acts[o.asker]
  if act then
    local words = {unpack(act.words)}
    words[7], words[8], words[9] = o.id, o.facts or '', o.mark or ''
    lines[#lines + 1] = {act = words, after = audit_word('state', o.state)}
  end
  if not told then return end
  local words = {'reference', 'withdrawMode', 'disburseId'}
  for i, name in ipairs(words) do words[i] = asked_for[name] and cjson.encode(asked_for[name]) or 'null' end
  emit(o.record, {stream = events, counts = counted_in, id = o.id, at = at, account = account, seq = 1,
    type = 'disbursement.awaiting_approval', trace = asked_for.trace,
    data = EVENT_LIST .. string.format('[%s,%.0f,%s,%s]', words[1], o.xof, words[2], words[3])})
end
for _, o in ipairs(accepted) do write(o) end

if raised.all then
  local set = {}
  for name, sum in pairs(raised) do set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum) end
  redis.call('HSET', spent, unpack(set))
  redis.call('EXPIRE', spent, SUMS_KEPT_S)
end
write_standing(counted_in)
for key, list in pairs(places) do redis.call('ZADD', key, unpack(list)) end
redis.call('SADD', accounts, account)
local moment = moment_of(at)
for _, name in ipairs(names) do
  local o = operations[name.of]
  if begun[o.record] == o then redis.call('ZADD', name.bucket, 0, name.head .. moment .. o.id) end
end
local changes = {}
for _, name in ipairs(posts.names) do changes[#changes + 1] = name; changes[#changes + 1] = posts.by[name] end
post(book, closedDays, at, changes)
audit_lines(audit, lines, at)
return {'judged', at, verdicts}
