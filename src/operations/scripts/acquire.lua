-- Takes the leases of records, each for one attempt, and pushes their due times to the end of the lease, so that a
-- killed worker is always followed by another look. Never creates a record. What stands in the way of the accounts
-- that the caller names is read in the same trip: nearly every attempt asks for it next. Each has an answer of its own,
-- in their order, and one that cannot be read stops none of the others.
-- @key due
-- @keys accounts
-- @arg now at?  @arg leaseMs ms
-- @arg lookedAt state[]  in this queue
-- @arg final state[]  @arg names text[]  of the accounts
-- @each records
--   @key record  @arg id text  @arg lease text
-- @type Lease acquired {fields hash} | final {state} | elsewhere {state} | leased {until at} | none | other version
--   | failed {why}
-- @returns {at, standings hash[], leases Lease[]}
--- @include "lib/clock"
--- @include "lib/lease"
--- @include "lib/why"

local at, places, asked_for = clock(now), {}, {}
local function stored_in(record)
  local stored, r = redis.call('HGETALL', record), {}
  for i = 1, #stored, 2 do r[stored[i]] = stored[i + 1] end
  return stored, r
end
-- As it stands after the lease, without reading it again.
local function put(stored, name, value)
  for i = 1, #stored, 2 do
    if stored[i] == name then
      stored[i + 1] = value
      return
    end
  end
  stored[#stored + 1] = name; stored[#stored + 1] = value
end
local function acquire(one)
  local stored, r = stored_in(one.record)
  local ask = {id = one.id, lease = one.lease, leaseMs = leaseMs, lookedAt = lookedAt, final = final}
  local nudged = r.hint and r.hint ~= ''
  local refusal, ends = take_lease(one.record, due, at, ask, {state = r.state, lease = r.lease, ends = r['until'],
    version = r.v, nudged = nudged})
  if refusal then return refusal end
  places[#places + 1] = ends; places[#places + 1] = one.id
  if r.account then asked_for[r.account] = true end
  put(stored, 'lease', one.lease)
  put(stored, 'until', string.format('%.0f', ends))
  if nudged then put(stored, 'hint', '') end
  return {'acquired', stored}
end

local leases, standings = {}, {}
for i, one in ipairs(records) do
  local done, answer = pcall(acquire, one)
  leases[i] = done and answer or {'failed', why_of(answer)}
end
if #places > 0 then redis.call('ZADD', due, unpack(places)) end
for i, name in ipairs(names) do
  standings[i] = asked_for[name] and redis.call('HGETALL', accounts[i]) or {}
end
return {at, standings, leases}
