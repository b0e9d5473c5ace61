/**
 * Whether something already stands for this request: the same identity, or the same reference under another one.
 *
 * `mapping` is the key of the reference mapping, '' where no reference is claimed; `other` the record that the
 * reference alone would have, '' where the reference is the identity itself.
 * → 'duplicate', state | 'conflict', existing id | nothing
 */
export const IDENTITY = `
local function standing(id, fp, record, mapping, other, other_id)
  local found = redis.call('HMGET', record, 'fp', 'state')
  if found[1] then
    if found[1] == fp then return 'duplicate', found[2] end
    return 'conflict', id
  end
  if mapping ~= '' then
    local owner = redis.call('GET', mapping)
    if owner and owner ~= id then return 'conflict', owner end
    if other ~= '' and redis.call('EXISTS', other) == 1 then return 'conflict', other_id end
  end
  return nil
end
-- Where the reference is the identity itself, the id is found without a mapping.
local function claim_reference(id, mapping, other)
  if mapping ~= '' and other ~= '' then redis.call('SET', mapping, id) end
end
`;
