import { Redis } from 'ioredis';
import { inject } from 'vitest';
import { openCommands, waitUntilReady } from '../../src/redis/connections.ts';

/** A database that is exclusive to the test. */
export interface FreshRedis {
  /** Includes the database number: pass it to the code under test. */
  readonly url: string;
  /** A ready client on that database, for reads from outside. */
  readonly redis: Redis;
  /** Empties the database and disconnects. */
  close(): Promise<void>;
}

const READY_LIMIT_MS = 60_000;
const NEXT_DATABASE = 'relais-tests:next-database';

/** Returns an empty database of the run's Redis. Only for tests named `*.parts.test.ts`. */
export async function freshRedis(): Promise<FreshRedis> {
  const base = inject('redisUrl');
  const number = await emptyDatabase(base);
  const url = Object.assign(new URL(base), { pathname: `/${number}` }).href;
  const redis = await lookingInto(url);
  const close = async (): Promise<void> => {
    if (redis.status === 'ready') await redis.flushdb();
    redis.disconnect();
  };
  return { url, redis, close };
}

async function lookingInto(url: string): Promise<Redis> {
  const redis = openCommands({ url }, { name: 'test', onError: () => undefined });
  await waitUntilReady(redis, READY_LIMIT_MS);
  return redis;
}

/** The keys that match this below the connection's prefix, without the prefix; KEYS ignores the client's prefix. */
export async function keysLike(redis: Redis, pattern: string): Promise<string[]> {
  const { keyPrefix = '' } = redis.options;
  // Redis returns them in the order of its table, which changes whenever it grows.
  return (await redis.keys(`${keyPrefix}${pattern}`)).map((key) => key.slice(keyPrefix.length)).toSorted();
}

/** Redis itself assigns the numbers, since every test file runs in its own process. Database 0 has the counter. */
async function emptyDatabase(url: string): Promise<number> {
  const dealer = new Redis(url, { connectionName: 'test-dealer' });
  try {
    const [, count] = (await dealer.config('GET', 'databases')) as [string, string];
    for (let tries = 0; tries < Number(count); tries += 1) {
      await dealer.select(0);
      const number = 1 + (((await dealer.incr(NEXT_DATABASE)) - 1) % (Number(count) - 1));
      await dealer.expire(NEXT_DATABASE, 3_600);
      await dealer.select(number);
      if ((await dealer.dbsize()) === 0) return number;
    }
    throw new Error('every database of the test Redis is in use');
  } finally {
    dealer.disconnect();
  }
}
