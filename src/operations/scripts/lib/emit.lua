--- @include "tally"
-- Announces something of `record`; its sequence counts its own announcements. `e` holds stream, counts, id, at,
-- account, type and data; place where the stream is to go on from there; seq where it is written with the record; trace
-- where it is told to one.
local function emit(record, e)
  local seq = e.seq or redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, EVENT_FIELD .. e.type, 1)
  local entry = {'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type, 'data', e.data}
  if e.trace then entry[#entry + 1] = 'trace'; entry[#entry + 1] = e.trace end
  redis.call('XADD', e.stream, e.place or '*', unpack(entry))
end
