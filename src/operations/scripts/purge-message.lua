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
--- @include "lib/whole"

local stood, number, version, rev = unpack(redis.call('HMGET', message, 'state', 'to', 'v', 'rev'))
if stood ~= state or number ~= to or version ~= VERSION then return 0 end
-- Another revision: who is copying it to history just now has read the one before.
redis.call('HSET', message, 'to', becomes, 'text', '', 'rev', whole(rev, 0, 'rev') + 1)
local at = clock(now)
if KEPT_MESSAGES[state] then for_history(sheet(counts), history, at, {id}) end
audit_line(audit, act, at)
return 1
