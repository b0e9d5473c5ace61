-- An act that is no single script of ours: told in a step of its own.
-- @keys audit
-- @arg now at?  @arg act text[]
-- @returns flag
--- @include "lib/audit"
--- @include "lib/clock"

audit_line(audit, act, clock(now))
return 1
