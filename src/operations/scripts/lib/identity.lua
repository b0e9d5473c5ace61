--- @include "stub"
--- @include "whole"
-- Whether something already stands for this request: the same identity, or the same reference under another one.
-- `r` holds id, fingerprint, record; mapping, the key of its reference, where it claims one; and other and otherId,
-- the record that the reference alone would have, where that is another one. Of a record that only history has by now,
-- stubs and stubName say it as well, and otherStubs and otherStubName of the other; without stubs nothing has left.
-- Answers 'duplicate', state or
-- 'conflict', id, or nothing.
local function standing(r)
  local fingerprint, state = unpack(redis.call('HMGET', r.record, 'fp', 'state'))
  local asked = r.fingerprint
  if fingerprint and not state then refuse('state') end
  if not fingerprint and r.stubs then
    fingerprint, state = stub_of(r.stubs, r.stubName)
    asked = string.sub(asked, 1, STUB_PRINT)
  end
  if fingerprint then
    -- A stub of what was lost has no state, and a fingerprint that nobody asks with.
    if fingerprint == asked then return 'duplicate', state end
    return 'conflict', r.id
  end
  if not r.mapping then return nil end
  local owner = redis.call('GET', r.mapping)
  if owner and owner ~= r.id then return 'conflict', owner end
  if not r.other then return nil end
  local is_there = redis.call('EXISTS', r.other) == 1
  if is_there or (r.otherStubs and stub_of(r.otherStubs, r.otherStubName)) then return 'conflict', r.otherId end
  return nil
end
-- Where the reference is the identity itself, the id is found without a mapping.
local function claim_reference(r)
  if r.mapping and r.other then redis.call('SET', r.mapping, r.id) end
end
