-- What history has, as it was read back there, waits for it no longer, unless it has gone on since: then it waits, also
-- where another writer has kept it meanwhile, over which this one wrote what it had read before. What nobody could
-- read is put off. So is what history does not take, and why is written down with it, unless it has gone on since.
-- Answers how many no longer wait.
-- @key waiting  @key aside
-- @arg now at?
-- @arg againInMs ms  when what could not be read is read again
-- @each kept
--   @key record  @arg id text  @arg rev int  as history has it
-- @each setAside
--   @key asideRecord  @arg asideId text  @arg asideRev int  as it was given to history  @arg entry text
-- @arg unread text[]
-- @returns int
--- @include "lib/clock"

local done = {}
for _, one in ipairs(kept) do
  local rev = redis.call('HGET', one.record, 'rev')
  if not rev or tonumber(rev) == one.rev then done[#done + 1] = one.id
  else redis.call('ZADD', waiting, 'NX', clock(now), one.id) end
end
for _, one in ipairs(setAside) do
  local rev = redis.call('HGET', one.asideRecord, 'rev')
  if not rev or tonumber(rev) == one.asideRev then
    redis.call('ZADD', waiting, clock(now) + againInMs, one.asideId)
    redis.call('HSET', aside, one.asideId, one.entry)
  end
end
for _, id in ipairs(unread) do redis.call('ZADD', waiting, 'XX', clock(now) + againInMs, id) end
if #done == 0 then return 0 end
redis.call('HDEL', aside, unpack(done))
return redis.call('ZREM', waiting, unpack(done))
