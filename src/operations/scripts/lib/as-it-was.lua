-- For what a recovery leads on without a lease. One that was ended by somebody else meanwhile leads on nothing:
-- what is there now may be new. And looks go on in it, so what was read may not be what is there.
local function not_as_it_was(heartbeat, record, rev)
  if redis.call('HEXISTS', heartbeat, 'recovering') == 0 then return {'recovered'} end
  local r = redis.call('HMGET', record, 'rev', 'state')
  if tonumber(r[1] or '') ~= rev then return {'not yours', r[2] or ''} end
end
