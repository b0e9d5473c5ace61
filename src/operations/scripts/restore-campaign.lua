-- Holds a campaign that stood in a copy of Redis that was put back. Where it may have been sent since, every slice
-- of it counts as handed out from here on, a retry that was under way is over, and nothing is left to be released.
-- Answers whether it was held by this: not where there was nothing to do, or no recovery is under way.
-- @key campaign  @key events
-- @key counts  of campaigns
-- @key due  of campaigns
-- @key parked
-- @key held  the set of that state
-- @key heartbeat
-- @key history  what waits for it
-- @keys left  the sets of the states of `from`
-- @arg now at?  @arg id text
-- @arg from state[]  the states that it may be left from
-- @arg reason text  why it is held
-- @arg mayHaveBeenSent flag  since
-- @arg since at  when the recovery began
-- @arg eventsLost int  @arg revisionsLost int  so many may have been given in the lost time, at the most
-- @arrow campaign ready, awaiting_approval, scheduled, running, paused -> held
-- @arrow campaign held -> finished
-- @returns flag
--- @include "lib/clock"
--- @include "lib/finish-sliced"

if redis.call('HEXISTS', heartbeat, 'recovering') == 0 then return 0 end
local at = clock(now)
local state, account, reference, name, held_for, all, fed, cursor = unpack(redis.call('HMGET', campaign, 'state', 'account',
  'reference', 'name', 'reason', 'slices', 'fed', 'walk'))
local set
for i, one in ipairs(from) do if one == state then set = left[i] end end
if not set then return 0 end
-- Once in each recovery, also where a copy shows what an earlier one made of it.
if redis.call('HGET', campaign, 'beyond') ~= string.format('%.0f', since) then
  redis.call('HSET', campaign, 'beyond', string.format('%.0f', since))
  redis.call('HINCRBY', campaign, 'rev', revisionsLost)
  redis.call('HINCRBY', campaign, 'seq', eventsLost)
end
local slices, handed_out = tonumber(all or '0'), tonumber(fed or '0')
local is_held = state == 'held' and held_for == reason
if is_held and (not mayHaveBeenSent or (handed_out >= slices and not cursor)) then return 0 end

redis.call('HSET', campaign, 'state', 'held', 'reason', reason, 'updatedAt', at)
if state ~= 'held' then redis.call('HSET', campaign, 'since', at) end
redis.call('HINCRBY', campaign, 'rev', 1)
move({counts = counts, id = id, at = at, from = state, to = 'held', left = set, entered = held})
if not is_held then
  local data = {id = id, state = 'held', name = name, reason = reason}
  if reference then data.reference = reference end
  emit(campaign, {stream = events, counts = counts, id = id, at = at, account = account, type = 'campaign.held',
    data = cjson.encode(data)})
end
local is_over = false
if mayHaveBeenSent then
  redis.call('HDEL', campaign, 'walk', 'walkUnknown')
  redis.call('HSET', campaign, 'fed', slices)
  redis.call('HINCRBY', campaign, 'out', math.max(0, slices - handed_out))
  local keys = {campaign = campaign, events = events, counts = counts, due = due, history = history, sets = {held = held}}
  is_over = slices > 0 and finish_if_over(at, keys)
end
-- Last, and once: with its last member a set is gone, and a script that touches it then, while a slot moves, is broken
-- off.
if not is_over then redis.call('ZREM', due, id) end
redis.call('DEL', parked)
return 1
