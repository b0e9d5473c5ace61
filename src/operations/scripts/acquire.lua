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
local stored = redis.call('HGETALL', record)
local r = {}
for i = 1, #stored, 2 do r[stored[i]] = stored[i + 1] end
local ask = {id = id, lease = lease, leaseMs = leaseMs, lookedAt = lookedAt, final = final}
local nudged = r.hint and r.hint ~= ''
local refusal = take_lease(record, due, at, ask, {state = r.state, lease = r.lease, ends = r['until'], version = r.v,
  nudged = nudged})
if refusal then return refusal end
-- As it stands now, without reading it again.
local function put(name, value)
  for i = 1, #stored, 2 do
    if stored[i] == name then stored[i + 1] = value return end
  end
  stored[#stored + 1] = name; stored[#stored + 1] = value
end
put('lease', lease)
put('until', string.format('%.0f', at + leaseMs))
if nudged then put('hint', '') end
if r[BRIEF_CREATED_AT] then
  in_full(id, record)
  stored = redis.call('HGETALL', record)
end
local standing = false
for i, name in ipairs(names) do
  if name == r.account then standing = redis.call('HGETALL', accounts[i]) end
end
return {'acquired', at, standing, stored}
