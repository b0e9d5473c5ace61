/** What lists would show, counted in Redis itself. */
import type { Redis } from 'ioredis';
import type { Kind } from '../../src/kinds/index.ts';
import { keys } from '../../src/operations/keys.ts';
import { keysLike } from './fresh-redis.ts';

export const setsOf = (redis: Redis, kind: Kind): Promise<string[]> => keysLike(redis, keys.listed(kind, '*', '*'));

const COUNT = `
local count = 0
for _, set in ipairs(redis.call('KEYS', ARGV[1])) do count = count + redis.call('ZCARD', set) end
return count`;

/** How many operations of a kind stand in lists, of all accounts and in all states; in one step, since they move. */
export async function listedIn(redis: Redis, kind: Kind): Promise<number> {
  const { keyPrefix = '' } = redis.options;
  return Number(await redis.eval(COUNT, 0, `${keyPrefix}${keys.listed(kind, '*', '*')}`));
}
