-- Places of the stream of events, `ms-seq`.
local function place_parts(place)
  local ms, seq = string.match(place or '', '^(%d+)-(%d+)$')
  return tonumber(ms or '0'), tonumber(seq or '0')
end
local function is_after(one, other)
  local ms, seq = place_parts(one)
  local other_ms, other_seq = place_parts(other)
  return ms > other_ms or (ms == other_ms and seq > other_seq)
end
