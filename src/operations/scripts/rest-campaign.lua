-- Nothing is to be done for this campaign until later, or until it is switched.
-- @key campaign
-- @key due  of campaigns
-- @arg id text
-- @arg state state  in which it was read
-- @arg dueAt at?  absent: not at all
-- @returns flag

local stood, version = unpack(redis.call('HMGET', campaign, 'state', 'v'))
if stood ~= state or version ~= VERSION then return 0 end
if dueAt then redis.call('ZADD', due, dueAt, id) else redis.call('ZREM', due, id) end
return 1
