-- Takes an endpoint away, with all that waits for it. Answers whether it was there.
-- @key record  @key endpoints  @key dispatch  @key due  @key deliveries  @key tries  @key undelivered  @key log
-- @arg id text
-- @returns flag

if redis.call('SREM', endpoints, id) == 0 then return 0 end
redis.call('UNLINK', record, deliveries, tries, undelivered, log)
redis.call('ZREM', due, id)
redis.call('HINCRBY', dispatch, 'rev', 1)
return 1
