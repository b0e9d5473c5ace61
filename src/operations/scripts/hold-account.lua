-- Holds an account for a reason. Answers whether this call changed something.
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
local begun = hold(at, {account = account, held = held, events = events, counts = counts, name = name, reason = reason,
  data = data})
if begun == 1 then audit_line(audit, act, at, nil, audit_word('held', reason)) end
return begun
