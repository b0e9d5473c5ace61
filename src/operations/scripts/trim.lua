-- Takes a record out of Redis that history has as it is, with all by which it was found, and leaves a stub: its
-- identity is taken for as long as that stands. The caller has read it back from history just now; `digest` is of the record as
-- it was compared there. What has still to be copied, is looked at once more, or is held by an attempt stays.
-- @key record  @key stubs
-- @key waiting  what waits for history
-- @key due  where it would be looked at
-- @key listed  @key callback
-- @key mapping?  of its reference, where that may not be the identity
-- @key trimmed  how far each kind was taken out
-- @arg now at?
-- @arg id text  @arg kind text
-- @arg digest text  SHA-1 of its fields and values in the order of HGETALL, each behind its length
-- @arg stubName text  @arg letter text  of its state
-- @arg keepDays int  the stub
-- @arg member text  how it stands in the list
-- @each names
--   @key bucket  @arg head text
-- @returns trimmed | changed | gone
--- @include "lib/brief"
--- @include "lib/clock"
--- @include "lib/names"

local at = clock(now)
local stored, r = read_record(record)
if #stored == 0 then return {'gone'} end
local pieces = {}
local function piece(word) pieces[#pieces + 1] = #word .. ':' .. word end
for _, name in ipairs(stored) do piece(name); piece(r[name]) end
if redis.sha1hex(table.concat(pieces)) ~= digest then return {'changed'} end
local leased = r.lease and r.lease ~= '' and tonumber(r['until'] or '0') > at
if leased or redis.call('ZSCORE', waiting, id) or redis.call('ZSCORE', due, id) then return {'changed'} end

-- Without a fingerprint that tells one request from another it could not be known again.
if #(r.fp or '') < STUB_PRINT then return {'changed'} end
local created = tonumber(r[BRIEF_CREATED_AT] or r.createdAt)
local last = base36(math.floor(at / DAY_MS) + keepDays)
local furthest = math.max(created, tonumber(redis.call('HGET', trimmed, kind) or '0'))
redis.call('HSET', stubs, stubName, string.sub(r.fp, 1, STUB_PRINT) .. letter .. last)
redis.call('DEL', record, callback)
redis.call('ZREM', listed, member)
remove_names(names, created, id)
if mapping then redis.call('EXPIRE', mapping, keepDays * 86400) end
redis.call('HSET', trimmed, kind, string.format('%.0f', furthest))
return {'trimmed'}
