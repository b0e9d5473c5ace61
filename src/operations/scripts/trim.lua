-- Takes a record out of Redis that history has as it is, with all by which it was found, and leaves a stub: its
-- identity is taken for as long as that stands. The caller has read it back from history just now; `digest` is of the
-- record as it was compared there. What has still to be copied, is looked at once more, or is held by an attempt stays.
-- A campaign leaves with all of its slices, or not at all, and a batch with all of its rows.
-- @key record  @key stubs
-- @key waiting  what waits for history
-- @keys due  where it, or one of its slices, would be looked at
-- @key listed  @key callback
-- @key mapping?  of its reference, where that may not be the identity
-- @key named?  what leads to it, while it does
-- @key trimmed  how far each kind was taken out
-- @keys beside  what nobody needs once it is gone
-- @arg now at?
-- @arg id text  @arg kind text
-- @arg digest text  SHA-1 of its fields and values in the order of HGETALL, each behind its length
-- @arg stubName text  @arg letter text  of its state
-- @arg keepDays int  the stub
-- @arg member text  how it stands in the list
-- @arg over state[]  in which its slices are over
-- @each slices
--   @key slice  @key own
--   @arg sliceId text  @arg rev int  as it was compared
-- @each lists
--   @key list  @arg length int  as it was compared with what history has of it
-- @each hashes
--   @key hash  @arg size int  as it was compared with what history has of it: its values never change
-- @each names
--   @key bucket  @arg head text
-- @returns trimmed | changed | gone
--- @include "lib/base36"
--- @include "lib/clock"
--- @include "lib/contains"
--- @include "lib/names"

local at = clock(now)
local stored, r = redis.call('HGETALL', record), {}
if #stored == 0 then return {'gone'} end
local pieces = {}
local function piece(word) pieces[#pieces + 1] = #word .. ':' .. word end
for i = 1, #stored, 2 do
  piece(stored[i]); piece(stored[i + 1])
  r[stored[i]] = stored[i + 1]
end
if redis.sha1hex(table.concat(pieces)) ~= digest then return {'changed'} end
local function is_needed(one, lease, ends)
  if lease and lease ~= '' and tonumber(ends or '0') > at then return true end
  if redis.call('ZSCORE', waiting, one) then return true end
  for _, set in ipairs(due) do
    if redis.call('ZSCORE', set, one) then return true end
  end
  return false
end
if is_needed(id, r.lease, r['until']) then return {'changed'} end
for _, one in ipairs(slices) do
  local rev, state, lease, ends = unpack(redis.call('HMGET', one.slice, 'rev', 'state', 'lease', 'until'))
  if tonumber(rev or '') ~= one.rev or not contains(over, state) then return {'changed'} end
  if is_needed(one.sliceId, lease, ends) then return {'changed'} end
end
for _, one in ipairs(lists) do
  if redis.call('LLEN', one.list) ~= one.length then return {'changed'} end
end
for _, one in ipairs(hashes) do
  if redis.call('HLEN', one.hash) ~= one.size then return {'changed'} end
end

-- Without a fingerprint that tells one request from another it could not be known again.
if #(r.fp or '') < STUB_PRINT then return {'changed'} end
local created = tonumber(r.createdAt)
local last = base36(math.floor(at / DAY_MS) + keepDays)
local furthest = math.max(created, tonumber(redis.call('HGET', trimmed, kind) or '0'))
redis.call('HSET', stubs, stubName, string.sub(r.fp, 1, STUB_PRINT) .. letter .. last)
redis.call('UNLINK', record, callback)
for _, one in ipairs(slices) do redis.call('UNLINK', one.slice, one.own) end
for _, one in ipairs(lists) do redis.call('UNLINK', one.list) end
for _, one in ipairs(hashes) do redis.call('UNLINK', one.hash) end
if named and redis.call('GET', named) == id then redis.call('UNLINK', named) end
for _, one in ipairs(beside) do redis.call('UNLINK', one) end
redis.call('ZREM', listed, member)
remove_names(names, created, id)
if mapping then redis.call('EXPIRE', mapping, keepDays * 86400) end
redis.call('HINCRBY', trimmed, LEFT_FIELD .. kind, 1)
redis.call('HSET', trimmed, kind, string.format('%.0f', furthest))
return {'trimmed'}
