/**
 * Requests that no worker takes. A program that adds a job with BullMQ and without a prefix uses BullMQ's default
 * prefix, outside the keys of every deployment.
 */
import type { Redis } from 'ioredis';
import { nodesFollowed } from '../redis/slot.ts';

export const MISPLACED_QUEUE = 'bull:intake';

/** The number of waiting jobs. `unprefixed` is a connection without a key prefix. */
export async function misplacedJobs(unprefixed: Redis): Promise<number> {
  // Without braces its keys are in many slots of a cluster, and adding such a job fails there.
  if (nodesFollowed(unprefixed) !== undefined) return 0;
  const pipeline = unprefixed.pipeline();
  for (const list of ['wait', 'paused']) pipeline.llen(`${MISPLACED_QUEUE}:${list}`);
  for (const set of ['prioritized', 'delayed']) pipeline.zcard(`${MISPLACED_QUEUE}:${set}`);
  try {
    const answers = (await pipeline.exec()) ?? [];
    return answers.reduce((all, [error, count]) => {
      if (error) throw error;
      return all + Number(count);
    }, 0);
  } catch (error) {
    // A Redis user with access only to our keys cannot see them, and a program with that user cannot add them.
    if (error instanceof Error && /NOPERM|no permission/i.test(error.message)) return 0;
    throw error;
  }
}
