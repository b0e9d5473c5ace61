import type { Redis } from 'ioredis';
import { defineScript, runScript } from '../redis/scripts.ts';

export type LuaScript = (
  redis: Redis,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

/** One script, sent by its digest; its text goes over the wire only to a Redis that has not met it. */
export function luaScript(source: string): LuaScript {
  const script = defineScript('upstream', source);
  return (redis, keys, args) => runScript(redis, script, keys, args);
}
