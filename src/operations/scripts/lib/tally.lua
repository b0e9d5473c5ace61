-- A counter of the whole that is damaged stays as it is: it must not stop what it counts half way.
local function tally(key, field, delta)
  redis.pcall('HINCRBY', key, field, delta)
end
