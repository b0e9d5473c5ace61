-- Takes the lease of a slice as acquire does, and answers in the same step all that may stand in its way: whether its
-- account is held, and what its campaign says. Never creates a record.
-- @key slice  @key due  @key heldAccounts
-- @key campaign?  absent: it carries single messages
-- @arg now at?  @arg id text  @arg lease text  @arg leaseMs ms
-- @arg lookedAt state[]  in this queue
-- @arg final state[]  @arg fields text[]
-- @returns acquired {at, fields hash, held flag, campaign text[]} | final {state} | elsewhere {state}
--   | leased {until at} | none | other version
--- @include "lib/clock"
--- @include "lib/lease"

local at = clock(now)
local state, leased, ends, version, account = unpack(redis.call('HMGET', slice, 'state', 'lease', 'until', 'v',
  'account'))
local ask = {id = id, lease = lease, leaseMs = leaseMs, lookedAt = lookedAt, final = final}
local refusal, until_then = take_lease(slice, due, at, ask,
  {state = state, lease = leased, ends = ends, version = version})
if refusal then return refusal end
redis.call('ZADD', due, until_then, id)
local held, known = redis.call('SISMEMBER', heldAccounts, account or ''), {}
if campaign then known = redis.call('HMGET', campaign, unpack(fields)) end
for i = 1, #fields do known[i] = known[i] or '' end
return {'acquired', at, redis.call('HGETALL', slice), held, known}
