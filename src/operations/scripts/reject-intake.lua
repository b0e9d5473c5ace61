-- Stores a refused request and emits its event, once per id. The list has at most `most` entries, none older than `keepMs`.
-- @key rejections
-- @key seen  this refusal was reported
-- @key events  @key counts
-- @arg now at?
-- @arg id text
-- @arg account text
-- @arg data json
-- @arg keepMs ms
-- @arg most int
-- @returns flag
--- @include "lib/clock"
--- @include "lib/emit"

local at = clock(now)
if not redis.call('SET', seen, at, 'NX', 'PX', keepMs) then return 0 end
redis.call('XADD', rejections, '*', 'account', account, 'data', data)
redis.call('XTRIM', rejections, 'MINID', string.format('%.0f', math.max(0, at - keepMs)))
redis.call('XTRIM', rejections, 'MAXLEN', most)
redis.call('PEXPIRE', rejections, keepMs)
emit(rejections, {stream = events, counts = counts, id = id, seq = 1, at = at, account = account,
  type = 'intake.rejected', data = data})
return 1
