-- Adds an endpoint. It gets the events after this moment. Without any endpoint nobody moves the cursor, so the
-- first one moves it here.
-- @key record  @key endpoints  @key dispatch  @key events
-- @keys audit
-- @arg now at?  @arg id text
-- @arg most int  there may be so many
-- @arg act text[]
-- @arg fields pairs
-- @arrow new -> enabled
-- @returns added | too many
--- @include "lib/audit"
--- @include "lib/clock"

-- Sent again after a lost reply.
if redis.call('EXISTS', record) == 1 then return {'added'} end
local at = clock(now)
local count = redis.call('SCARD', endpoints)
if count >= most then return {'too many'} end
local last = redis.call('XREVRANGE', events, '+', '-', 'COUNT', 1)
local place = last[1] and last[1][1] or '0-0'
local set = {'id', id, 'kind', 'endpoint', 'state', 'enabled', 'rev', 1, 'createdAt', at, 'from', place}
for _, word in ipairs(fields) do set[#set + 1] = word end
redis.call('HSET', record, unpack(set))
redis.call('SADD', endpoints, id)
redis.call('HINCRBY', dispatch, 'rev', 1)
if count == 0 then redis.call('HSET', dispatch, 'cursor', place) end
audit_line(audit, act, at, nil, audit_word('state', 'enabled'))
return {'added'}
