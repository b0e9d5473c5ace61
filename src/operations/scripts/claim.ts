import { defineScript } from './script.ts';

/**
 * Hands out ids whose time has come and pushes their due time on, so that no other process hands them out too.
 *
 * KEYS due set · ARGV now, how many at most, push ms · → ids
 */
export const claimScript = defineScript(
  'claim',
  `
local at = clock(ARGV[1])
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', at, 'LIMIT', 0, tonumber(ARGV[2]))
for _, id in ipairs(ids) do redis.call('ZADD', KEYS[1], at + tonumber(ARGV[3]), id) end
return ids
`,
);
