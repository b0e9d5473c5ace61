--- @include "contains"
--- @include "whole"
-- Takes the lease of one record for one attempt. Where it does, the caller pushes its due time to the end of it. `ask` holds id, lease,
-- leaseMs, lookedAt (states of this queue) and final; `r` what is known: state, lease, ends, version and nudged. Answers
-- why not, or nothing and when it ends.
local function take_lease(record, due, at, ask, r)
  if not r.state then
    redis.call('ZREM', due, ask.id)
    return {'none'}
  end
  -- Old and new workers run side by side in a deployment: nothing of a record that we do not understand is touched.
  if r.version ~= VERSION then return {'other version'} end
  if contains(ask.final, r.state) then
    redis.call('ZREM', due, ask.id)
    return {'final', r.state}
  end
  if not contains(ask.lookedAt, r.state) then return {'elsewhere', r.state} end
  local leased = r.lease and r.lease ~= '' and r.lease ~= ask.lease
  if leased and whole(r.ends, 0, 'until') > at then return {'leased', r.ends} end
  local ends = at + ask.leaseMs
  -- A nudge that came before it is answered by this attempt.
  if r.nudged then redis.call('HSET', record, 'lease', ask.lease, 'until', ends, 'hint', '')
  else redis.call('HSET', record, 'lease', ask.lease, 'until', ends) end
  return nil, ends
end
