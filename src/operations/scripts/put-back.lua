-- Puts back what history has of the time that a Redis has lost: accepted since the copy was made, and over by now, or
-- left to a person. What is over leaves a stub, so that its identity is taken; what a person has still to settle, or
-- the service may still speak of, is there again as history has it, and is looked at. Only in a recovery, and never
-- over what is there. What was told of it was lost with the stream, and a reader that was not there yet would never
-- hear it: it is told again, under the numbers that it had. What is there only as a draft gives way: filled anew, it
-- would be sent once more.
-- @key record  @key stubs
-- @key counts  of its kind
-- @key trimmed  how far each kind was taken out
-- @key listed  where lists find it
-- @key entered?  the set of its state, where it is not over
-- @key drafts?  the set of those that have nobody to be sent to yet
-- @key due?  where it is looked at
-- @key mapping?  of its reference, where that is not the identity itself
-- @key spent?  of the day in which it was counted, while anybody asks for its sums
-- @key heartbeat  @key events
-- @key book  @key closedDays
-- @key history  what waits for it
-- @arg now at?
-- @arg id text  @arg kind text  @arg account text  @arg state text
-- @arg created at  @arg member text
-- @arg xof xof?  where it moves money
-- @arg inDoubt flag
-- @arg stubName text  @arg stub text  the beginning of its fingerprint, and the letter of its state
-- @arg keepDays int  the stub
-- @arg store text  the database that has it, by its name
-- @arg beneficiary text?  of the sums of the day
-- @arg posts pairs  into the book of the day: that of then is closed, or was lost
-- @each names
--   @key bucket  @arg head text
-- @each told
--   @arg seq int  @arg at at  @arg type text  @arg data json
-- @arg fields pairs  the record, where it is looked at; none: a stub stands for it
-- @returns put back | there | recovered
--- @include "lib/base36"
--- @include "lib/book"
--- @include "lib/clock"
--- @include "lib/emit"
--- @include "lib/history"
--- @include "lib/move"
--- @include "lib/names"
--- @include "lib/stand"

if redis.call('HEXISTS', heartbeat, 'recovering') == 0 then return {'recovered'} end
local stood, accepted = unpack(redis.call('HMGET', record, 'state', 'createdAt'))
local is_draft = drafts and stood == 'draft' and tonumber(accepted) == created
if redis.call('HEXISTS', stubs, stubName) == 1 then return {'there'} end
if redis.call('EXISTS', record) == 1 and not is_draft then return {'there'} end
local at = clock(now)
redis.call('HSETNX', trimmed, 'store', store)
if mapping then redis.call('SET', mapping, id, 'NX', 'EX', keepDays * 86400) end
local counted = sheet(counts)
move({counts = counted, id = id, at = at, from = is_draft and stood, to = state, left = drafts, entered = entered,
  xof = xof})
if is_draft then
  redis.call('UNLINK', record)
  redis.call('ZREM', listed, member)
end
if inDoubt then stand({counts = counted, account = account, at = at, entered = 'doubt', xof = xof}) end
for _, e in ipairs(told) do
  emit(record, {stream = events, counts = counted, id = id, seq = e.seq, at = e.at, account = account, type = e.type,
    data = e.data})
end
write_standing(counted)
post(book, closedDays, at, posts)
if spent then
  redis.call('HINCRBY', spent, 'all', xof)
  redis.call('HINCRBY', spent, beneficiary, xof)
  redis.call('EXPIRE', spent, SUMS_KEPT_S)
end
if #fields > 0 then
  redis.call('HSET', record, unpack(fields))
  redis.call('ZADD', listed, created, member)
  if due then redis.call('ZADD', due, at, id) end
  add_names(names, created, id)
  for_history(counted, history, at, {id})
else
  redis.call('HSET', stubs, stubName, stub .. base36(math.floor(at / DAY_MS) + keepDays))
  local furthest = math.max(created, tonumber(redis.call('HGET', trimmed, kind) or '0'))
  redis.call('HINCRBY', trimmed, LEFT_FIELD .. kind, 1)
  redis.call('HSET', trimmed, kind, string.format('%.0f', furthest))
end
return {'put back'}
