-- Nothing is to be done for this campaign until later, or until it is switched. One that was switched or amended since
-- it was read is due for another reason, in the same state or not, and stays so.
-- @key campaign
-- @key due  of campaigns
-- @arg id text
-- @arg rev int  in which it was read
-- @arg dueAt at?  absent: not at all
-- @returns flag

local stood, version = unpack(redis.call('HMGET', campaign, 'rev', 'v'))
if not stood or tonumber(stood) ~= rev or version ~= VERSION then return 0 end
if dueAt then redis.call('ZADD', due, dueAt, id) else redis.call('ZREM', due, id) end
return 1
