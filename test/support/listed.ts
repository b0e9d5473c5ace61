/** What lists would show, counted in Redis itself. */
import type { Redis } from 'ioredis';
import type { Kind } from '../../src/kinds/index.ts';
import { keys } from '../../src/operations/keys.ts';
import { keysLike } from './fresh-redis.ts';

export const setsOf = (redis: Redis, kind: Kind): Promise<string[]> => keysLike(redis, keys.listed(kind, '*', '*'));

/** How many operations of a kind stand in lists, of all accounts and in all states. */
export async function listedIn(redis: Redis, kind: Kind): Promise<number> {
  const counts = (await setsOf(redis, kind)).map((set) => redis.zcard(set));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}
