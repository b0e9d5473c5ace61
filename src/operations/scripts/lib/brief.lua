--- @include "base36"
-- A record as it is stored: its names in their order, and by name.
local function read_record(record)
  local flat, names, by = redis.call('HGETALL', record), {}, {}
  for i = 1, #flat, 2 do
    names[#names + 1] = flat[i]
    by[flat[i]] = flat[i + 1]
  end
  return names, by
end
-- Writes a record that is over anew, in its brief form: as it was read, with what is set and without what is dropped. A
-- time before the acceptance (the clock of Redis was set back) stays as it is.
local function write_briefly(record, stored, r, set, drop)
  local gone, names, words = GONE_AT_THE_END, BRIEF_NAMES, BRIEF_WORDS
  for _, name in ipairs(drop) do
    if r[name] then r[name] = false end
  end
  for i = 1, #set, 2 do
    if r[set[i]] == nil then stored[#stored + 1] = set[i] end
    r[set[i]] = set[i + 1]
  end
  local accepted, changed, written = tonumber(r.createdAt), tonumber(r.updatedAt), {}
  for _, name in ipairs(stored) do
    local value = r[name]
    if name == 'since' and tonumber(value) == changed then value = nil
    elseif name == 'updatedAt' or name == 'since' then value = tonumber(value) - accepted
    elseif value and string.find(name, '^e%d+$') then
      local at, word, rest = string.match(value, '^(%w+)|([^|]*)(.*)$')
      local after = at and tonumber(at, 36) - accepted or -1
      if after >= 0 then value = COUNTED_FROM_ACCEPTANCE .. base36(after) .. '|' .. (words[word] or word) .. rest end
    end
    if value and not gone[name] then written[#written + 1] = names[name] or name; written[#written + 1] = value end
  end
  redis.call('DEL', record)
  redis.call('HSET', record, unpack(written))
end
