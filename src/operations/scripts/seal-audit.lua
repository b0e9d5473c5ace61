-- Keeps what a process has sealed of the audit, unless another one was faster. The last seal is replaced by one that
-- reaches further until enough lines lie behind it.
-- @key seals
-- @arg before text  the last seal as it was read; '': there was none
-- @arg replaces flag
-- @arg seal json
-- @returns flag

if (redis.call('LINDEX', seals, -1) or '') ~= before then return 0 end
if replaces then redis.call('RPOP', seals) end
redis.call('RPUSH', seals, seal)
return 1
