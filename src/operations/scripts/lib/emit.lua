--- @include "tally"
-- Announces something of `record`; its sequence counts its own announcements. `e` holds stream, counts, id, at,
-- account, type and data, and place where the stream is to go on from there.
local function emit(record, e)
  local seq = redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, EVENT_FIELD .. e.type, 1)
  redis.call('XADD', e.stream, e.place or '*', 'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type,
    'data', e.data)
end
