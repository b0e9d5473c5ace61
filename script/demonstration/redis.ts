/** A Redis for this demonstration alone. */
import { Redis } from 'ioredis';
import { startEmbeddedRedis, NoRedisServer } from '../../src/redis/embedded.ts';

export interface DemoRedis {
  readonly url: string;
  /** How the sentence about what was started begins. */
  readonly name: string;
  /** What the processes must be told about it. */
  readonly settings: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/**
 * A private server wherever there is a program for one. The server that REDIS_URL names is used only where there is
 * none, and only while it is empty: real workers may be listening on one that is not, and they would carry out in
 * earnest what is meant to be shown.
 */
export async function openRedis(): Promise<DemoRedis> {
  const { REDIS_SERVER_BIN: binary, REDIS_URL: url } = process.env;
  try {
    const server = await startEmbeddedRedis(binary ? { binary } : {});
    return { url: server.url, name: `Started: Redis ${server.pid}`, settings: {}, stop: () => server.stop() };
  } catch (error) {
    if (!(error instanceof NoRedisServer) || !url) throw error;
    return borrow(url);
  }
}

async function borrow(url: string): Promise<DemoRedis> {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 });
  const keys = await redis.dbsize();
  if (keys > 0) {
    redis.disconnect();
    throw new Error(`the Redis that REDIS_URL names holds ${keys} keys, and this needs an empty one`);
  }
  return {
    url,
    name: 'Started, beside the Redis of REDIS_URL: no other',
    settings: {},
    stop: async () => {
      await redis.flushdb();
      redis.disconnect();
    },
  };
}
