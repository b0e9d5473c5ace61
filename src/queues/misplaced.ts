/**
 * Requests that nobody takes: a program that adds a job with BullMQ and no prefix puts it where BullMQ's own default leads, beside
 * the keys of every deployment.
 */
import type { Redis } from 'ioredis';
import { answersOf, number } from '../redis/scripts.ts';
import { nodesFollowed } from '../redis/slot.ts';

export const MISPLACED_QUEUE = 'bull:intake';

/** How many wait there. `unprefixed` is a connection that puts nothing before its keys. */
export async function misplacedJobs(unprefixed: Redis): Promise<number> {
  // Without braces its keys are in many slots of a cluster, and adding such a job fails there.
  if (nodesFollowed(unprefixed) !== undefined) return 0;
  const pipeline = unprefixed.pipeline();
  for (const list of ['wait', 'paused']) pipeline.llen(`${MISPLACED_QUEUE}:${list}`);
  for (const set of ['prioritized', 'delayed']) pipeline.zcard(`${MISPLACED_QUEUE}:${set}`);
  try {
    return (await answersOf(pipeline, number)).reduce((all, one) => all + one, 0);
  } catch (error) {
    // A user that may see our keys alone sees none there, and neither does the program that added them with the same user.
    if (error instanceof Error && /NOPERM|no permission/i.test(error.message)) return 0;
    throw error;
  }
}
