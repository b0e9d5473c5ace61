-- Writes down a pause; a shorter one never replaces a longer one.
-- @key pause
-- @arg forMs ms
-- @returns flag

if redis.call('PTTL', pause) < forMs then redis.call('SET', pause, '1', 'PX', forMs) end
return 1
