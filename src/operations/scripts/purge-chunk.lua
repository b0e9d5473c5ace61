-- Replaces the recipients of a chunk that nobody works on, as it was read. Those who were waiting are left out from now
-- on, and counted so. Answers whether it was done.
-- @key chunk
-- @key campaign?
-- @arg now at?
-- @arg state state  @arg items text  @arg outcome text  as they were read
-- @arg newItems text  @arg newOutcome text  as they become
-- @arg waiting int  how many were
-- @returns flag
--- @include "lib/clock"
--- @include "lib/version"

local stood, stored, became, ends, version, rev = unpack(redis.call('HMGET', chunk, 'state', 'items', 'outcome', 'until',
  'v', 'rev'))
if stood ~= state or stored ~= items or (became or '') ~= outcome then return 0 end
if version ~= VERSION or (ends and whole(ends, 0, 'until') > clock(now)) then return 0 end
whole(rev, 0, 'rev')
if waiting > 0 then
  local of, queued, skipped = unpack(redis.call('HMGET', campaign, 'v', 't:queued', 't:skipped'))
  same_version(of)
  whole(queued, 0, 't:queued')
  whole(skipped, 0, 't:skipped')
end
redis.call('HSET', chunk, 'items', newItems)
if newOutcome ~= outcome then redis.call('HSET', chunk, 'outcome', newOutcome) end
-- What has read the numbers before must not go on with them: neither an attempt whose lease has ended, nor a retry.
redis.call('HDEL', chunk, 'lease', 'until')
redis.call('HINCRBY', chunk, 'rev', 1)
if waiting > 0 then
  redis.call('HINCRBY', campaign, 't:queued', -waiting)
  redis.call('HINCRBY', campaign, 't:skipped', waiting)
end
return 1
