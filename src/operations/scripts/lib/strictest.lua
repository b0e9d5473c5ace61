-- Which of two opinions lets less through.
local function looseness(name, value)
  if value == OFF then return math.huge end
  return STRICTER_IS_HIGHER[name] and -tonumber(value) or tonumber(value)
end
-- The one that holds, as it was written, or nil: no limit. A default holds only where neither the process nor Redis
-- has an opinion.
local function strictest(name, own, shared)
  local value = shared or own or LIMIT_FALLBACKS[name]
  if own and shared and looseness(name, own) < looseness(name, shared) then value = own end
  if value == OFF then return nil end
  return value
end
