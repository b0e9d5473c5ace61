--- @include "tally"
-- Two counters by what an operation that moves money stands in: with an account, those that may have to wait for it
-- (`unsent`); and by the time at which it began, the XOF that are in doubt (`doubt`). `s` holds counts (a sheet),
-- account, at, since (when it entered the state that it leaves), left and entered (`unsent`, `doubt` or nil), xof.
local function stand(s)
  if not s.xof or (not s.left and not s.entered) then return end
  local function slot(at) return string.format('%s%.0f', DOUBT_FIELD, math.floor(at / DOUBT_SLOT_MS)) end
  local function wait(by)
    tally(s.counts, UNSENT_FIELD .. s.account, by)
    tally(s.counts, UNSENT_XOF_FIELD .. s.account, by * s.xof)
  end
  local began = s.left == 'doubt' and slot(tonumber(s.since) or s.at)
  local begins = s.entered == 'doubt' and slot(s.at)
  if began ~= begins then
    if began then tally(s.counts, began, -s.xof) end
    if begins then tally(s.counts, begins, s.xof) end
  end
  if s.left ~= s.entered then
    if s.left == 'unsent' then wait(-1) end
    if s.entered == 'unsent' then wait(1) end
  end
end
-- What is in doubt and has come to nothing goes, or there would be one more for each span of time.
local function write_standing(counts)
  local gone = {}
  for _, name in ipairs(write_sheet(counts)) do
    if string.sub(name, 1, #DOUBT_FIELD) == DOUBT_FIELD then gone[#gone + 1] = name end
  end
  if #gone > 0 then redis.call('HDEL', counts.key, unpack(gone)) end
end
