-- Makes a key known to every process. What was made and revoked stays, without its digest: it still says whose hand
-- it was.
-- @key known
-- @keys audit
-- @arg now at?  @arg id text
-- @arg most int  there may be so many that are not revoked
-- @arg key json
-- @arg act text[]
-- @returns added | too many
--- @include "lib/audit"
--- @include "lib/clock"

-- Sent again after a lost reply.
if redis.call('HEXISTS', known, id) == 1 then return {'added'} end
local count = 0
local all = redis.call('HGETALL', known)
for i = 2, #all, 2 do
  if not string.find(all[i], '"revokedAt":', 1, true) then count = count + 1 end
end
if count >= most then return {'too many'} end
redis.call('HSET', known, id, key)
audit_line(audit, act, clock(now))
return {'added'}
