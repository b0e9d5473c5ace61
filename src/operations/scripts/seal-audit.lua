-- Keeps what a process has sealed of the audit, unless another one was faster. The last seal is replaced by one that
-- reaches further until enough lines lie behind it.
-- @key seals
-- @arg before text  the last seal as it was read; '': there was none
-- @arg replaces flag
-- @arg seal json
-- @returns flag

if (redis.call('LINDEX', seals, -1) or '') ~= before then return 0 end
-- Not taken out first: without its only seal the list is gone, and while a slot moves the script is broken off there.
if replaces and before ~= '' then redis.call('LSET', seals, -1, seal) else redis.call('RPUSH', seals, seal) end
return 1
