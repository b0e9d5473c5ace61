--- @include "tally"
-- Two counters by what an operation that moves money stands in: with an account, those that may have to wait for it
-- (`unsent`); and by the time at which it began, the XOF that are in doubt (`doubt`). `s` holds counts, account, at,
-- since (when it entered the state that it leaves), left and entered (`unsent`, `doubt` or nil), xof.
local function stand(s)
  if not s.xof or (not s.left and not s.entered) then return end
  local function slot(at) return string.format('%s%.0f', DOUBT_FIELD, math.floor(at / DOUBT_SLOT_MS)) end
  local function doubt(field, xof)
    -- One that has come to nothing goes, or there would be one more for each span of time.
    if redis.pcall('HINCRBY', s.counts, field, xof) == 0 then redis.call('HDEL', s.counts, field) end
  end
  local function wait(by)
    tally(s.counts, UNSENT_FIELD .. s.account, by)
    tally(s.counts, UNSENT_XOF_FIELD .. s.account, by * s.xof)
  end
  local began = s.left == 'doubt' and slot(tonumber(s.since) or s.at)
  local begins = s.entered == 'doubt' and slot(s.at)
  if began ~= begins then
    if began then doubt(began, -s.xof) end
    if begins then doubt(begins, s.xof) end
  end
  if s.left ~= s.entered then
    if s.left == 'unsent' then wait(-1) end
    if s.entered == 'unsent' then wait(1) end
  end
end
