/**
 * The lease itself: KEYS and the first seven words of ARGV are as in `acquire`, `r` holds state, lease, until and version
 * of the record. Answers why not, or nothing.
 */
export const LEASE = `
local function take_lease(KEYS, ARGV, at, r)
  if not r[1] then
    redis.call('ZREM', KEYS[2], ARGV[1])
    return {'none'}
  end
  -- Old and new workers run side by side in a deployment: nothing of a record that we do not understand is touched.
  if r[4] ~= ARGV[7] then return {'other version'} end
  local here = ',' .. r[1] .. ','
  if string.find(ARGV[6], here, 1, true) then
    redis.call('ZREM', KEYS[2], ARGV[1])
    return {'final', r[1]}
  end
  if not string.find(ARGV[5], here, 1, true) then return {'elsewhere', r[1]} end
  if r[2] and r[2] ~= '' and r[2] ~= ARGV[3] and whole(r[3], 0, 'until') > at then return {'leased', r[3]} end
  local ends = at + tonumber(ARGV[4])
  redis.call('HSET', KEYS[1], 'lease', ARGV[3], 'until', ends)
  redis.call('ZADD', KEYS[2], ends, ARGV[1])
end
`;
