-- Takes a slice of single messages out of Redis that is over, once the last of its messages has left. What became of
-- each, and what it said, history has with the message.
-- @key slice
-- @keys due  where it would be looked at
-- @keys messages  their records
-- @arg now at?
-- @arg id text  @arg rev int  as it was read
-- @returns flag
--- @include "lib/clock"

local stood, state, lease, ends = unpack(redis.call('HMGET', slice, 'rev', 'state', 'lease', 'until'))
if state ~= 'settled' or tonumber(stood or '') ~= rev then return 0 end
if lease and tonumber(ends or '0') > clock(now) then return 0 end
for _, set in ipairs(due) do
  if redis.call('ZSCORE', set, id) then return 0 end
end
if #messages > 0 and redis.call('EXISTS', unpack(messages)) > 0 then return 0 end
return redis.call('UNLINK', slice)
