--- @include "base36"
-- Adds lines of evidence to the fields that are to be set. The first and the last are kept, and the intent of each
-- send.
local function evidence_fields(at, lines, count, set)
  if not lines or lines == '' then return end
  local n = tonumber(count or '0')
  for line in string.gmatch(lines, '[^' .. LINE_END .. ']+') do
    n = n + 1
    local slot = n
    local send, rest = string.match(line, '^(%d)!(.*)$')
    if send then line = rest end
    if n > EVIDENCE_FIRST then
      if send then slot = EVIDENCE_FIRST + EVIDENCE_LAST + send
      else slot = EVIDENCE_FIRST + 1 + (n - EVIDENCE_FIRST - 1) % EVIDENCE_LAST end
    end
    set[#set + 1] = 'e' .. slot; set[#set + 1] = base36(at) .. '|' .. line
  end
  set[#set + 1] = 'en'; set[#set + 1] = n
end
