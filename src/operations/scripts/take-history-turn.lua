-- Takes or keeps the turn of the one process that writes history, and says in the counters of each kind that history is
-- kept: from then on each script notes what it ends. Where that had to be said, what ended before is looked for anew.
-- @key turn  @key history
-- @keys counts  of each kind
-- @arg name text  of the process
-- @arg forMs ms
-- @returns mine {fresh flag} | another

local whose = redis.call('GET', turn)
if whose and whose ~= name then return {'another'} end
redis.call('SET', turn, name, 'PX', forMs)
local fresh = 0
for _, of in ipairs(counts) do fresh = fresh + redis.call('HSETNX', of, HISTORY_FIELD, 1) end
if fresh > 0 then redis.call('HDEL', history, 'swept') end
return {'mine', fresh > 0 and 1 or 0}
