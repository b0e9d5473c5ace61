-- Takes the lease of a record for one attempt and pushes its due time to the end of the lease, so that a killed
-- worker is always followed by another look. Never creates a record. What stands in the way of the record's account
-- is read in the same trip where the caller named the account: nearly every attempt asks for it next.
-- @key record  @key due
-- @keys accounts
-- @arg now at?  @arg id text  @arg lease text  @arg leaseMs ms
-- @arg lookedAt state[]  in this queue
-- @arg final state[]  @arg names text[]
-- @returns acquired {at, standing hash?, fields hash} | final {state} | elsewhere {state} | leased {until at} | none
--   | other version
--- @include "lib/clock"
--- @include "lib/in-full"
--- @include "lib/lease"

local at = clock(now)
local state, leased, ends, version, nudged, account, brief_since = unpack(redis.call('HMGET', record, 'state', 'lease',
  'until', 'v', 'hint', 'account', BRIEF_CREATED_AT))
local ask = {id = id, lease = lease, leaseMs = leaseMs, lookedAt = lookedAt, final = final}
local refusal = take_lease(record, due, at, ask, {state = state, lease = leased, ends = ends, version = version})
if refusal then return refusal end
if nudged then redis.call('HDEL', record, 'hint') end
if brief_since then in_full(id, record) end
local standing = false
for i, name in ipairs(names) do
  if name == account then standing = redis.call('HGETALL', accounts[i]) end
end
return {'acquired', at, standing, redis.call('HGETALL', record)}
