-- Changes the state of records, and in the same step all that may stand in the way of it. Those that are changed
-- together are alike: of one kind and account, from one state to another. Each has an answer of its own, in their
-- order, and one that cannot be changed stops none of the others.
-- @key events  @key counts
-- @key left  the set of the state that they leave
-- @key entered?  the set of the state that they enter; what is over stands in none
-- @key listedLeft?  @key listedEntered?  where lists find them
-- @key dueLeft  @key dueEntered
-- @key history  what waits for it
-- @key account?  nothing is changed while it is held as `unlessHeld` says
-- @key heartbeat
-- @key book  @key closedDays
-- @keys audit
-- @arg now at?
-- @arg step Step
-- @arg unlessHeld text?  `area.reason`
-- @arg hasEffect flag  what leaves after it has an effect: refused while a recovery is under way, and counted
-- @arg memory Memory
-- @arg act text[]  of one that is changed alone
-- @each changes
--   @key record
--   @key callback?  what was last posted about it, to be forgotten, unless more was posted since the record was read
--   @key claimed?  whose it is, what upstream named
--   @key sums?  of the day in which it was counted, where they change by this step
--   @keys buckets  of its names
--   @arg id text
--   @arg lease text?  nobody's: a person's doing
--   @arg op text  how the record knows this very change again
--   @arg dueInMs ms?  when to look next; absent: nothing is due
--   @arg keepLeaseMs ms?  absent: let go
--   @arg nudgeAfterMs ms  a nudge that came during the attempt makes the next look due after so long
--   @arg inRecovery int?  only in a recovery, and while the record has this revision
--   @arg eventType text?
--   @arg eventData json?
--   @arg toldAs int?  the number of the event, where it was told before; the record goes on from its own
--   @arg trace text?  to which the event belongs
--   @arg xof xof?
--   @arg evidence text?
--   @arg member text  how it stands in a list
--   @arg beneficiary text?  of the sums
--   @arg recounted xof?  by how much they change
--   @arg heads text[]  of its names
--   @arg posts pairs  into the book of the day
--   @arg fields pairs  a value '' deletes the field; a name that begins with @ takes the value as ms from now
-- @arrow from -> to
-- @type Changed applied {to, rev int, at, counter int?} | mine {state} | not yours {state} | none | held | recovering
--   | recovered | claimed {by} | failed {why}
-- @returns Changed[]
--- @include "lib/as-it-was"
--- @include "lib/audit"
--- @include "lib/book"
--- @include "lib/change"
--- @include "lib/clock"
--- @include "lib/heartbeat"
--- @include "lib/names"
--- @include "lib/why"

local shut, known
if hasEffect then shut, known = guard(heartbeat, memory) end
local isHeld = account and redis.call('HEXISTS', account, 'held:' .. unlessHeld) == 1
local all = begin_changes(clock(now), {events = events, counts = counts, left = left, entered = entered,
  listedLeft = listedLeft, listedEntered = listedEntered, dueLeft = dueLeft, dueEntered = dueEntered,
  history = history}, step)
local forgotten, posted, sums_of, applied = {}, {}, {}, 0

-- A script that was sent again after a lost reply tells what it did the first time.
local function refusal(c)
  local why = shut or (c.inRecovery and not_as_it_was(heartbeat, c.record, c.inRecovery)) or (isHeld and {'held'})
  if why and redis.call('HGET', c.record, 'op') ~= c.op then return why end
end
-- Claimed also where the change is not ours to make: nobody else should ever be given the same.
local function claim(c)
  if not c.claimed or redis.call('SET', c.claimed, c.id, 'NX', 'EX', CLAIM_KEPT_S) then return end
  local owner = redis.call('GET', c.claimed)
  if owner ~= c.id then return {'claimed', owner} end
end
-- A day whose sums are forgotten stays so, and no sum is less than nothing, whatever Redis has lost in between.
local function recount(c)
  local sum, own = unpack(redis.call('HMGET', c.sums, 'all', c.beneficiary))
  if not sum then return end
  local function after(before) return string.format('%.0f', math.max(0, tonumber(before or '0') + c.recounted)) end
  redis.call('HSET', c.sums, 'all', after(sum), c.beneficiary, after(own))
end
local function add_own_names(c, created)
  local names = {}
  for i, bucket in ipairs(c.buckets) do names[i] = {bucket = bucket, head = c.heads[i]} end
  add_names(names, created, c.id)
end
-- Into the book with what the others post.
local function gather(posts)
  for i = 1, #posts, 2 do
    local name, by = posts[i], tonumber(posts[i + 1])
    local place = sums_of[name]
    if place then posted[place] = posted[place] + by
    else
      pair(posted, name, by)
      sums_of[name] = #posted
    end
  end
end
local function transition(c)
  local refused = refusal(c)
  if refused then return refused end
  if c.sums then
    for _, sum in ipairs(redis.call('HMGET', c.sums, 'all', c.beneficiary)) do whole(sum, 0, 'the sum of the day') end
  end
  local answer, created, nudged = change_record(all, c, claim)
  if answer[1] == 'claimed' then return answer end
  if answer[1] ~= 'applied' then return claim(c) or answer end
  if known then
    applied = applied + 1
    answer[5] = known.counter + applied
  end
  gather(c.posts)
  -- What came after the record was read may say otherwise, and nobody has heard it yet.
  local agrees = not nudged or string.find(nudged, ',' .. step.to .. ',', 1, true)
  if c.callback and agrees then forgotten[#forgotten + 1] = c.callback end
  add_own_names(c, created)
  if c.sums then recount(c) end
  return answer
end

local answers = {}
for i, c in ipairs(changes) do
  local done, answer = pcall(transition, c)
  answers[i] = done and answer or {'failed', why_of(answer)}
end
end_changes(all)
if #forgotten > 0 then redis.call('DEL', unpack(forgotten)) end
post(book, closedDays, all.at, posted)
if applied > 0 then raise(heartbeat, known, applied) end
if all.made > 0 then
  audit_line(audit, act, all.at, audit_word('state', step.from), audit_word('state', step.to))
end
return answers
