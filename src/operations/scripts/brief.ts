import { BRIEF_NAMES, BRIEF_WORDS, COUNTED_FROM_ACCEPTANCE, GONE_AT_THE_END, inverse } from '../brief.ts';

function table(entries: Readonly<Record<string, string | true>>): string {
  const pairs = Object.entries(entries).map(([name, value]) => `["${name}"] = ${JSON.stringify(value)}`);
  return `{${pairs.join(', ')}}`;
}

/**
 * Writes a record that is over anew, in its brief form. A time before the acceptance (the clock of Redis was set back)
 * stays as it is.
 */
export const BRIEF = `
local function brief(record)
  local gone = ${table(Object.fromEntries(GONE_AT_THE_END.map((name) => [name, true])))}
  local names = ${table(BRIEF_NAMES)}
  local words = ${table(BRIEF_WORDS)}
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
      if after >= 0 then value = '${COUNTED_FROM_ACCEPTANCE}' .. base36(after) .. '|' .. (words[word] or word) .. rest end
    end
    if name and not gone[name] then set[#set + 1] = names[name] or name; set[#set + 1] = value end
  end
  redis.call('DEL', record)
  redis.call('HSET', record, unpack(set))
end
`;

/** Writes a record that is in its brief form in full again, for an attempt that looks at it once more. */
export const IN_FULL = `
local function in_full(id, record)
  local accepted = tonumber(redis.call('HGET', record, '${BRIEF_NAMES.createdAt}'))
  if not accepted then return end
  local names = ${table(inverse(BRIEF_NAMES))}
  local words = ${table(inverse(BRIEF_WORDS))}
  local stored, set, since = redis.call('HGETALL', record), {'id', id}, nil
  for i = 1, #stored, 2 do
    local name, value = names[stored[i]] or stored[i], stored[i + 1]
    if name == 'updatedAt' or name == 'since' then
      value = accepted + tonumber(value)
      if name == 'since' or not since then since = value end
    elseif string.sub(value, 1, 1) == '${COUNTED_FROM_ACCEPTANCE}' and string.find(name, '^e%d+$') then
      local after, word, rest = string.match(value, '^.(%w+)|([^|]*)(.*)$')
      value = base36(accepted + tonumber(after, 36)) .. '|' .. (words[word] or word) .. rest
    end
    set[#set + 1] = name; set[#set + 1] = value
  end
  set[#set + 1] = 'since'; set[#set + 1] = since
  redis.call('DEL', record)
  redis.call('HSET', record, unpack(set))
end
`;
