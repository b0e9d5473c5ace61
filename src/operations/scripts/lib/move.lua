--- @include "tally"
-- Counts a record in another state, and moves it between the sets of the states. `m` holds counts, id, at, from,
-- to, left (the set of the state that it leaves), entered (nil: what is over stands in none), xof (nil: it moves no
-- money).
local function move(m)
  local from, to, xof = m.from, m.to, m.xof
  if from == to then return end
  if from then
    tally(m.counts, from, -1)
    if xof then tally(m.counts, 'xof:' .. from, -xof) end
    redis.call('ZREM', m.left, m.id)
  end
  tally(m.counts, to, 1)
  if xof then tally(m.counts, 'xof:' .. to, xof) end
  if m.entered then redis.call('ZADD', m.entered, m.at, m.id) end
end
