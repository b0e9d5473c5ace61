-- Holds an account for a reason. Answers whether this call changed something.
-- @key account
-- @key held  names of held accounts
-- @key events  @key counts
-- @arg now at?  @arg name text  @arg reason text  @arg data json
-- @returns flag
--- @include "lib/clock"
--- @include "lib/hold"

return hold(clock(now), {account = account, held = held, events = events, counts = counts, name = name, reason = reason,
  data = data})
