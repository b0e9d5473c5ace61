--- @include "whole"
-- What a process remembers of Redis. Its own mark tells a loss that others have made up for since: they raise the
-- counter, and not that.
-- @struct Memory
--   @arg epoch text?  @arg counter int  @arg name text?  @arg mark int

-- Whether nothing may be accepted or leave: what to answer then; otherwise nothing, and what `raise` needs.
local function guard(heartbeat, memory)
  local h = redis.call('HMGET', heartbeat, 'recovering', 'epoch', 'counter', MARK .. (memory.name or ''))
  local now = whole(h[3], 0, 'counter of the heartbeat')
  if h[1] then return {'recovering'} end
  local behind = memory.epoch
    and (h[2] ~= memory.epoch or now < memory.counter or whole(h[4], 0, 'mark of the heartbeat') < memory.mark)
  if behind then return {'recovering'} end
  return nil, {counter = now, name = memory.name}
end
-- By one for each effect that is let through.
local function raise(heartbeat, known, effects)
  local counter = known.counter + (effects or 1)
  if known.name then redis.call('HSET', heartbeat, 'counter', counter, MARK .. known.name, counter)
  else redis.call('HSET', heartbeat, 'counter', counter) end
  return counter
end
