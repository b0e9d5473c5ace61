/** Redis, which shortens waiting times. No guarantee depends on it: without it, polling finds the work. */
import type { Redis } from 'ioredis';
import type { Config } from '../../config.ts';
import type { Clock } from '../../lib/clock.ts';
import { MISPLACED_QUEUE, misplacedJobs } from '../../queues/misplaced.ts';
import { RedisUnavailable, closeConnection, openForQueues, waitUntilReady } from '../../redis/connections.ts';
import { message } from '../../messages/message.ts';
import { targetOf } from '../container.ts';
import { type Finding, fault, ok, skipped } from './finding.ts';

const READY_WAIT_MS = 5_000;

/** Whether it answers, and whether requests wait in queues that no worker reads. */
export async function examineRedis(config: Config, clock: Clock): Promise<readonly Finding[]> {
  // Without a key prefix, since misplaced jobs are outside ours. The answer reports connection errors.
  const redis = openForQueues(targetOf(config), { name: 'relais-doctor', onError: () => undefined });
  try {
    await waitUntilReady(redis, READY_WAIT_MS);
    const askedMono = clock.monotonic();
    await redis.ping();
    const ms = (clock.monotonic() - askedMono).toFixed(1);
    return [ok('redis', message('answers_in', { ms })), ...(await examineIntake(redis, config.REDIS_PREFIX))];
  } catch (error) {
    if (!(error instanceof RedisUnavailable)) throw error;
    const says = message('redis_away_interval', { interval: `${config.SWEEP_INTERVAL} ms` });
    return [fault('redis', says, message('start_redis')), skipped('intake', message('redis_away'))];
  } finally {
    await closeConnection(redis);
  }
}

/** `unprefixed` adds no key prefix. */
async function examineIntake(unprefixed: Redis, prefix: string): Promise<readonly Finding[]> {
  const waiting = await misplacedJobs(unprefixed);
  if (waiting === 0) return [ok('intake', message('no_jobs_outside'))];
  const says = message('jobs_outside', {
    waiting,
    queue: MISPLACED_QUEUE,
  });
  const code = `new Queue('intake', { prefix: '${prefix}' })`;
  return [fault('intake', says, message('add_with_prefix', { prefix, code }))];
}
