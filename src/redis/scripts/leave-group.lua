-- Takes a consumer out of its group, unless it has an event in hand, which would be lost with it. Answers whether it
-- is out.
-- @key events
-- @arg group text  @arg consumer text
-- @returns flag

if #redis.call('XPENDING', events, group, '-', '+', 1, consumer) > 0 then return 0 end
redis.call('XGROUP', 'DELCONSUMER', events, group, consumer)
return 1
