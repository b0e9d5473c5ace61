-- Ends a hold; the account leaves the list of held ones with its last reason. Answers whether this call changed
-- something.
-- @key account
-- @key held  names of held accounts
-- @key events  @key counts
-- @keys audit
-- @arg now at?  @arg name text  @arg reason text  @arg data json
-- @arg act text[]
-- @returns flag
--- @include "lib/audit"
--- @include "lib/clock"
--- @include "lib/hold"

local at = clock(now)
whole(redis.call('HGET', account, 'seq'), 0, 'seq')
if redis.call('HDEL', account, 'held:' .. reason) == 0 then return 0 end
redis.call('HDEL', account, 'probe:' .. reason)
local still = 0
for _, field in ipairs(redis.call('HKEYS', account)) do
  if string.sub(field, 1, 5) == 'held:' then still = still + 1 end
end
if still == 0 then redis.call('SREM', held, name) end
announce({account = account, events = events, counts = counts, name = name, data = data}, at, 'account.released')
audit_line(audit, act, at, audit_word('held', reason))
return 1
