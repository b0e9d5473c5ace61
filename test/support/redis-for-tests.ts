import { Redis } from 'ioredis';
import type { TestProject } from 'vitest/node';
import { type EmbeddedRedis, startEmbeddedRedis, NoRedisServer } from '../../src/redis/embedded.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The Redis of this test run. Get a separate database with `freshRedis()`. */
    redisUrl: string;
  }
}

/** Every test file gets a database of its own, and none is used twice. */
const DATABASES = 2_048;

/** One private Redis per run. REDIS_URL is used only if no server program is found. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await ownServer();
  if (server !== undefined) await forbidFlushAll(server.url);
  const url = server?.url ?? process.env['REDIS_URL'] ?? '';
  project.provide('redisUrl', url);
  return async () => server?.stop();
}

async function ownServer(): Promise<EmbeddedRedis | undefined> {
  const binary = process.env['REDIS_SERVER_BIN'];
  try {
    return await startEmbeddedRedis({ databases: DATABASES, ...(binary ? { binary } : {}) });
  } catch (error) {
    if (error instanceof NoRedisServer && process.env['REDIS_URL']) return undefined;
    throw error;
  }
}

/** It would empty the databases of all other running tests. */
async function forbidFlushAll(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.call('ACL', 'SETUSER', 'default', '-flushall');
  redis.disconnect();
}
