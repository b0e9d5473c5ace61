--- @include "tally"
-- XOF of the disbursements of an account that have still to leave, or are on their way, by withdraw mode.
local function fly(counts, account, mode, from, to, xof)
  if not mode or not xof then return end
  local flying = IN_FLIGHT
  if flying[from] == flying[to] then return end
  tally(counts, 'flight:' .. account .. ':' .. mode, flying[to] and xof or -xof)
end
