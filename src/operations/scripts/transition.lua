-- Changes the state of a record, and in the same step all that may stand in the way of it.
-- @key record  @key events  @key counts
-- @key left  the set of the state that it leaves
-- @key entered?  the set of the state that it enters; what is over stands in none
-- @key listedLeft?  @key listedEntered?  where lists find it
-- @key dueLeft  @key dueEntered
-- @key history  what waits for it
-- @key account?  nothing is changed while it is held as `unlessHeld` says
-- @key callback?  what was last posted about it, to be forgotten, unless more was posted since the record was read
-- @key heartbeat
-- @key book  @key closedDays
-- @key claimed?  whose it is, what upstream named
-- @key sums?  of the day in which it was counted, where they change by this step
-- @keys audit
-- @arg now at?
-- @arg change Change
-- @arg unlessHeld text?  `area.reason`
-- @arg hasEffect flag  what leaves after it has an effect: refused while a recovery is under way, and counted
-- @arg memory Memory
-- @arg inRecovery int?  only in a recovery, and while the record has this revision
-- @arg beneficiary text?  of the sums
-- @arg recounted xof?  by how much they change
-- @arg act text[]
-- @arg posts pairs  into the book of the day
-- @each names
--   @key bucket  @arg head text
-- @arg fields pairs  a value '' deletes the field; a name that begins with @ takes the value as ms from now
-- @arrow from -> to
-- @returns applied {to, rev int, at, counter int?} | mine {state} | not yours {state} | none | held | recovering
--   | recovered | claimed {by}
--- @include "lib/as-it-was"
--- @include "lib/audit"
--- @include "lib/book"
--- @include "lib/change"
--- @include "lib/clock"
--- @include "lib/heartbeat"
--- @include "lib/names"

-- A script that was sent again after a lost reply tells what it did the first time.
local function is_again() return redis.call('HGET', record, 'op') == change.op end
local shut, known
if hasEffect then shut, known = guard(heartbeat, memory) end
if inRecovery then shut = not_as_it_was(heartbeat, record, inRecovery) end
if shut and not is_again() then return shut end
if account and redis.call('HEXISTS', account, 'held:' .. unlessHeld) == 1 and not is_again() then return {'held'} end
-- A day whose sums are forgotten stays so, and no sum is less than nothing, whatever Redis has lost in between.
local function recount()
  local all, own = unpack(redis.call('HMGET', sums, 'all', beneficiary))
  if not all then return end
  local function after(sum) return string.format('%.0f', math.max(0, tonumber(sum or '0') + recounted)) end
  redis.call('HSET', sums, 'all', after(all), beneficiary, after(own))
end
if sums then
  for _, sum in ipairs(redis.call('HMGET', sums, 'all', beneficiary)) do whole(sum, 0, 'the sum of the day') end
end
-- Claimed also where the change is not ours to make: nobody else should ever be given the same.
local function claim()
  if not claimed or redis.call('SET', claimed, change.id, 'NX', 'EX', CLAIM_KEPT_S) then return end
  local owner = redis.call('GET', claimed)
  if owner ~= change.id then return {'claimed', owner} end
end

local keys = {record = record, events = events, counts = counts, left = left, entered = entered, listedLeft = listedLeft,
  listedEntered = listedEntered, dueLeft = dueLeft, dueEntered = dueEntered, history = history}
local answer = change_record(clock(now), keys, change, fields, claim)
if answer[1] ~= 'applied' and answer[1] ~= 'claimed' then answer = claim() or answer end
if answer[1] == 'applied' then
  -- What came after the record was read may say otherwise, and nobody has heard it yet.
  local agrees = not keys.nudged or string.find(keys.nudged, ',' .. change.to .. ',', 1, true)
  if callback and agrees then redis.call('DEL', callback) end
  add_names(names, keys.created, change.id)
  if sums then recount() end
  post(book, closedDays, answer[4], posts)
  if known then answer[5] = raise(heartbeat, known) end
  audit_line(audit, act, answer[4], audit_word('state', change.from), audit_word('state', change.to))
end
return answer
