/**
 * Requests that no worker takes. A program that adds a job with BullMQ and without a prefix uses the default prefix of
 * BullMQ, beside the keys of every deployment.
 */
import type { Redis } from 'ioredis';
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
    const answers = (await pipeline.exec()) ?? [];
    return answers.reduce((all, [error, count]) => {
      if (error) throw error;
      return all + Number(count);
    }, 0);
  } catch (error) {
    // A user that may see our keys alone sees none there, and neither does the program that added them with the same user.
    if (error instanceof Error && /NOPERM|no permission/i.test(error.message)) return 0;
    throw error;
  }
}
