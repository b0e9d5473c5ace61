/** Redis, which shortens waiting times. No promise depends on it: work is found by polling without it. */
import type { Redis } from 'ioredis';
import type { Config } from '../../config.ts';
import type { Clock } from '../../lib/clock.ts';
import { MISPLACED_QUEUE, misplacedJobs } from '../../queues/misplaced.ts';
import { RedisUnavailable, closeConnection, openForQueues, waitUntilReady } from '../../redis/connections.ts';
import { said } from '../../messages/said.ts';
import { targetOf } from '../container.ts';
import { type Finding, fault, ok, skipped } from './finding.ts';

const READY_WAIT_MS = 5_000;

/** Whether it answers; and whether requests wait where no worker takes them. */
export async function examineRedis(config: Config, clock: Clock): Promise<readonly Finding[]> {
  // Without a prefix before its keys, since misplaced jobs are beside ours. An error of the connection is in the answer.
  const redis = openForQueues(targetOf(config), { name: 'relais-doctor', onError: () => undefined });
  try {
    await waitUntilReady(redis, READY_WAIT_MS);
    const askedMono = clock.monotonic();
    await redis.ping();
    const ms = (clock.monotonic() - askedMono).toFixed(1);
    return [ok('redis', said('answers in {ms} ms', { ms })), ...(await examineIntake(redis, config.REDIS_PREFIX))];
  } catch (error) {
    if (!(error instanceof RedisUnavailable)) throw error;
    const says = said(
      'Redis cannot be reached: work starts up to {interval} later, and the journal and the witness in Redis are missing',
      { interval: `${config.SWEEP_INTERVAL} ms` },
    );
    return [
      fault('redis', says, 'Start Redis, or correct REDIS_URL. Payments and SMS continue meanwhile.'),
      skipped('intake', 'Redis cannot be reached'),
    ];
  } finally {
    await closeConnection(redis);
  }
}

/** `unprefixed` puts nothing before its keys. */
async function examineIntake(unprefixed: Redis, prefix: string): Promise<readonly Finding[]> {
  const waiting = await misplacedJobs(unprefixed);
  if (waiting === 0) return [ok('intake', 'no request waits outside the keys of relais')];
  const says = said('{waiting} jobs wait in {queue}, where no worker takes them', {
    waiting,
    queue: MISPLACED_QUEUE,
  });
  const code = `new Queue('intake', { prefix: '${prefix}' })`;
  return [fault('intake', says, said('Add them with the prefix {prefix}: {code}.', { prefix, code }))];
}
