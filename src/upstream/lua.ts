import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

export type LuaScript = (
  redis: Redis,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

/** One script, sent by its digest; its text goes over the wire only to a Redis that has not met it. */
export function luaScript(source: string): LuaScript {
  const digest = createHash('sha1').update(source).digest('hex');
  return async (redis, keys, args) => {
    try {
      return await redis.evalsha(digest, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return redis.eval(source, keys.length, ...keys, ...args);
    }
  };
}
