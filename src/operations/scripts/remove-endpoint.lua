-- Takes an endpoint away, with all that waits for it. Answers whether it was there.
-- @key record  @key endpoints  @key dispatch  @key due  @key deliveries  @key tries  @key undelivered  @key log
-- @keys audit
-- @arg now at?  @arg id text
-- @arg act text[]
-- @returns flag
--- @include "lib/audit"
--- @include "lib/clock"

local was = redis.call('HGET', record, 'state')
if redis.call('SREM', endpoints, id) == 0 then return 0 end
redis.call('UNLINK', record, deliveries, tries, undelivered, log)
redis.call('ZREM', due, id)
redis.call('HINCRBY', dispatch, 'rev', 1)
audit_line(audit, act, clock(now), audit_word('state', was))
return 1
