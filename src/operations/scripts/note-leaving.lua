-- Counts what is about to leave Redis, by the day of its last change. One that stays after all was counted all the
-- same.
-- @key left
-- @arg to at  the last change of any of them
-- @each days
--   @arg day text  @arg count int  kind and day
-- @returns flag

for _, one in ipairs(days) do redis.call('HINCRBY', left, one.day, one.count) end
if to > tonumber(redis.call('HGET', left, 'to') or '0') then redis.call('HSET', left, 'to', string.format('%.0f', to)) end
return 1
