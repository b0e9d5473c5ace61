-- Replaces the stamp that was read. One that is sent again after a lost reply finds its own stamp and says no; what
-- asks reads it and is content.
-- @key stamp
-- @arg before json?  as it was read; absent: there was none
-- @arg after json
-- @returns flag

if (redis.call('GET', stamp) or nil) ~= before then return 0 end
redis.call('SET', stamp, after)
return 1
