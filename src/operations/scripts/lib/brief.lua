--- @include "base36"
-- Writes a record that is over anew, in its brief form. A time before the acceptance (the clock of Redis was set
-- back) stays as it is.
local function brief(record)
  local gone, names, words = GONE_AT_THE_END, BRIEF_NAMES, BRIEF_WORDS
  local full, set, accepted = redis.call('HGETALL', record), {}, nil
  for i = 1, #full, 2 do
    if full[i] == 'createdAt' then accepted = tonumber(full[i + 1]) end
  end
  if not accepted then return end
  local changed = redis.call('HGET', record, 'updatedAt')
  for i = 1, #full, 2 do
    local name, value = full[i], full[i + 1]
    if name == 'since' and value == changed then
      name = nil
    elseif name == 'updatedAt' or name == 'since' then
      value = tonumber(value) - accepted
    elseif string.find(name, '^e%d+$') then
      local at, word, rest = string.match(value, '^(%w+)|([^|]*)(.*)$')
      local after = at and tonumber(at, 36) - accepted or -1
      if after >= 0 then value = COUNTED_FROM_ACCEPTANCE .. base36(after) .. '|' .. (words[word] or word) .. rest end
    end
    if name and not gone[name] then set[#set + 1] = names[name] or name; set[#set + 1] = value end
  end
  redis.call('DEL', record)
  redis.call('HSET', record, unpack(set))
end
