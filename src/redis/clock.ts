import type { Redis } from 'ioredis';

/** The time that decides between processes (ms): that of Redis, since the clock of one machine may be far off. */
export async function timeOf(redis: Redis): Promise<number> {
  const [seconds = 0, micros = 0] = (await redis.time()).map(Number);
  return seconds * 1_000 + Math.floor(micros / 1_000);
}
