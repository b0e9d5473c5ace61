--- @include "emit"
--- @include "whole"
-- Announces something of the account itself, whose sequence counts its own announcements.
local function announce(h, at, type)
  emit(h.account, {stream = h.events, counts = h.counts, id = h.name, at = at, account = h.name, type = type,
    data = h.data})
end
-- An account is held once per reason, whatever the number of operations that met the condition: one event, not a
-- storm. `h` holds the keys account, held (names of held accounts), events, counts, and name, reason, data (of the
-- event).
local function hold(at, h)
  whole(redis.call('HGET', h.account, 'seq'), 0, 'seq')
  if redis.call('HSETNX', h.account, 'held:' .. h.reason, at) == 0 then return 0 end
  redis.call('HSET', h.account, 'probe:' .. h.reason, at)
  redis.call('SADD', h.held, h.name)
  announce(h, at, 'account.held')
  return 1
end
