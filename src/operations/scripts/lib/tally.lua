-- A counter of the whole that is damaged stays as it is: it must not stop what it counts half way. `counts` is the hash
-- they stand in, or a sheet of it: several that change in one step are gathered there and written together.
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
-- Answers which of them have come to nothing. In the same breath it reads whether history is kept (`history`).
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = HISTORY_FIELD
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
end
