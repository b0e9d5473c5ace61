-- Forgets the number and the text of a message, as it was read; history, where it is kept, is to forget them too.
-- Answers whether it was done.
-- @key message  @key counts
-- @key history  what waits for it
-- @keys audit
-- @arg now at?
-- @arg id text  @arg state state  @arg to text  as they were read
-- @arg becomes text  the number
-- @arg act text[]
-- @returns flag
--- @include "lib/audit"
--- @include "lib/clock"
--- @include "lib/history"
--- @include "lib/tally"

local stood, number, version = unpack(redis.call('HMGET', message, 'state', 'to', 'v'))
if stood ~= state or number ~= to or version ~= VERSION then return 0 end
redis.call('HSET', message, 'to', becomes, 'text', '')
local at = clock(now)
if KEPT_MESSAGES[state] then for_history(sheet(counts), history, at, {id}) end
audit_line(audit, act, at)
return 1
