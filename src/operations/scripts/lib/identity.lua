-- Whether something already stands for this request: the same identity, or the same reference under another one.
-- `r` holds id, fingerprint, record; mapping, the key of its reference, where it claims one; and other and otherId,
-- the record that the reference alone would have, where that is another one. Answers 'duplicate', state or
-- 'conflict', id, or nothing.
local function standing(r)
  local fingerprint, state = unpack(redis.call('HMGET', r.record, 'fp', 'state'))
  if fingerprint then
    if fingerprint == r.fingerprint then return 'duplicate', state end
    return 'conflict', r.id
  end
  if not r.mapping then return nil end
  local owner = redis.call('GET', r.mapping)
  if owner and owner ~= r.id then return 'conflict', owner end
  if r.other and redis.call('EXISTS', r.other) == 1 then return 'conflict', r.otherId end
  return nil
end
-- Where the reference is the identity itself, the id is found without a mapping.
local function claim_reference(r)
  if r.mapping and r.other then redis.call('SET', r.mapping, r.id) end
end
