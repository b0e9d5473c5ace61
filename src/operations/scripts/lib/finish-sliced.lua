--- @include "emit"
--- @include "history"
--- @include "move"
-- A campaign is over when each of its slices is, and nobody is still gathering those that go out again. `keys` holds
-- campaign, events, counts, due, history and the sets of the states in which it may be. Whether it is by now.
local function finish_if_over(at, keys)
  local campaign = keys.campaign
  local state, settled, slices, id, account, reference, name, cursor, retries, trace = unpack(redis.call('HMGET', campaign,
    'state', 'settled', 'slices', 'id', 'account', 'reference', 'name', 'walk', 'retries',
    'trace'))
  local left = keys.sets[state]
  if not left or tonumber(settled or '0') < tonumber(slices) or cursor then return false end
  redis.call('HSET', campaign, 'state', 'finished', 'since', at, 'updatedAt', at)
  redis.call('HINCRBY', campaign, 'rev', 1)
  local counted = sheet(keys.counts)
  move({counts = counted, id = id, at = at, from = state, to = 'finished', left = left})
  redis.call('ZREM', keys.due, id)
  local totals = {}
  for _, bin in ipairs(CAMPAIGN_BINS) do totals[bin] = tonumber(redis.call('HGET', campaign, 't:' .. bin) or '0') end
  local data = {id = id, state = 'finished', name = name, totals = totals}
  if reference then data.reference = reference end
  if retries then data.retries = tonumber(retries) end
  emit(campaign, {stream = keys.events, counts = counted, id = id, at = at, account = account,
    type = 'campaign.finished', data = cjson.encode(data), trace = trace})
  write_sheet(counted)
  for_history(counted, keys.history, at, {id})
  return true
end
