-- What history has, as it was read back there, waits for it no longer, unless it has gone on since. What nobody could
-- read is put off. Answers how many no longer wait.
-- @key waiting
-- @arg now at?
-- @arg againInMs ms  when what could not be read is read again
-- @each kept
--   @key record  @arg id text  @arg rev int  as history has it
-- @arg unread text[]
-- @returns int
--- @include "lib/clock"

local done = {}
for _, one in ipairs(kept) do
  local rev = redis.call('HGET', one.record, 'rev')
  if not rev or tonumber(rev) == one.rev then done[#done + 1] = one.id end
end
for _, id in ipairs(unread) do redis.call('ZADD', waiting, 'XX', clock(now) + againInMs, id) end
return #done > 0 and redis.call('ZREM', waiting, unpack(done)) or 0
