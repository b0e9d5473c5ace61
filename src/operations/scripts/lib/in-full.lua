--- @include "base36"
-- Writes a record that is in its brief form in full again, for an attempt that looks at it once more. `accepted`: when
-- it was accepted, by its brief name.
local function in_full(id, record, accepted)
  accepted = tonumber(accepted)
  if not accepted then return end
  local names, words = FULL_NAMES, FULL_WORDS
  local stored, set, since = redis.call('HGETALL', record), {'id', id}, nil
  for i = 1, #stored, 2 do
    local name, value = names[stored[i]] or stored[i], stored[i + 1]
    if name == 'updatedAt' or name == 'since' then
      value = accepted + tonumber(value)
      if name == 'since' or not since then since = value end
    elseif string.sub(value, 1, 1) == COUNTED_FROM_ACCEPTANCE and string.find(name, '^e%d+$') then
      local after, word, rest = string.match(value, '^.(%w+)|([^|]*)(.*)$')
      value = base36(accepted + tonumber(after, 36)) .. '|' .. (words[word] or word) .. rest
    end
    set[#set + 1] = name; set[#set + 1] = value
  end
  set[#set + 1] = 'since'; set[#set + 1] = since
  redis.call('DEL', record)
  redis.call('HSET', record, unpack(set))
end
