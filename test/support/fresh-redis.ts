import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, inject } from 'vitest';
import { openCommands, waitUntilReady } from '../../src/redis/connections.ts';
import { startEmbeddedRedis } from '../../src/redis/embedded.ts';

/** A database that nobody else uses while the test has it. */
export interface FreshRedis {
  /** With the database number in it: give it to the code under test. */
  readonly url: string;
  /** A ready client on that database, for looking from outside. */
  readonly redis: Redis;
  /** Empties the database and hangs up. */
  close(): Promise<void>;
}

const READY_LIMIT_MS = 60_000;
const NEXT_DATABASE = 'relais-tests:next-database';

/** Hands out an empty database of the run's Redis. Only for tests named `*.parts.test.ts`. */
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

/** A server that no other test has, where what Redis counts of all its clients is looked at. */
export async function redisAlone(): Promise<FreshRedis> {
  const binary = process.env['REDIS_SERVER_BIN'];
  const server = await startEmbeddedRedis(binary ? { binary } : {});
  const redis = await lookingInto(server.url);
  const close = async (): Promise<void> => {
    redis.disconnect();
    await server.stop();
  };
  return { url: server.url, redis, close };
}

async function lookingInto(url: string): Promise<Redis> {
  const redis = openCommands({ url }, { name: 'test', onError: () => undefined });
  await waitUntilReady(redis, READY_LIMIT_MS);
  return redis;
}

/** The keys that are like this below the prefix of the connection, without it; KEYS alone is not told of it. */
export async function keysLike(redis: Redis, pattern: string): Promise<string[]> {
  const { keyPrefix = '' } = redis.options;
  // Redis gives them in the order of its table, which is another one whenever that grows.
  return (await redis.keys(`${keyPrefix}${pattern}`)).map((key) => key.slice(keyPrefix.length)).toSorted();
}

/** All that the connection sees, to be compared. */
export async function heldBy(redis: Redis): Promise<Readonly<Record<string, string | undefined>>> {
  const names = await keysLike(redis, '*');
  const held = names.map(async (name) => [name, (await redis.dumpBuffer(name))?.toString('hex')] as const);
  return Object.fromEntries(await Promise.all(held));
}

/** A copy is made now; what is given back puts it in the place of what is there then. */
export async function copyOf(redis: Redis): Promise<() => Promise<void>> {
  const copy = await heldBy(redis);
  return async () => {
    await redis.flushdb();
    for (const [name, held] of Object.entries(copy)) await redis.restore(name, 0, Buffer.from(held ?? '', 'hex'));
  };
}

/** Cuts off the processes on this database, and nobody else: the server is shared with other tests. */
export async function cutProcesses(redis: Redis): Promise<void> {
  const clients = String(await redis.client('LIST')).split('\n');
  const ours = clients.filter((one) => one.includes(` db=${redis.options.db} `) && one.includes(' name=relais '));
  for (const client of ours) await redis.client('KILL', 'ID', /\bid=(\d+)/.exec(client)?.[1] ?? '');
}

/** One database for all tests of a file, empty before each. */
export function storeOfThisFile(open = freshRedis): { readonly redis: Redis } {
  let fresh: FreshRedis | undefined;
  beforeAll(async () => {
    fresh = await open();
  });
  afterAll(() => fresh?.close());
  const store = {
    get redis(): Redis {
      if (!fresh) throw new Error('the database is there once the tests of the file have begun');
      return fresh.redis;
    },
  };
  beforeEach(() => store.redis.flushdb());
  return store;
}

/** The numbers are dealt by Redis itself, since every test file runs in a process of its own. Number 0 deals. */
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
