/**
 * Whether something already stands for this request: the same identity, or the same reference under another one.
 *
 * KEYS 1–3 record, reference mapping, record that the reference alone would have
 * ARGV 1–5 id, now, fingerprint, claims reference (1/0), id the reference alone would give
 */
export const IDENTITY = `
local function standing()
  local id = ARGV[1]
  local found = redis.call('HMGET', KEYS[1], 'fp', 'state')
  if found[1] then
    if found[1] == ARGV[3] then return {'duplicate', id, found[2]} end
    return {'conflict', id}
  end
  if ARGV[4] == '1' then
    local owner = redis.call('GET', KEYS[2])
    if owner and owner ~= id then return {'conflict', owner} end
    if ARGV[5] ~= id and redis.call('EXISTS', KEYS[3]) == 1 then return {'conflict', ARGV[5]} end
  end
  return nil
end
-- Where the reference is the identity itself, the id is found without a mapping.
local function claim_reference()
  if ARGV[4] == '1' and ARGV[5] ~= ARGV[1] then redis.call('SET', KEYS[2], ARGV[1]) end
end
`;
