/** Queues that nobody takes from for a while: the switch of BullMQ, thrown in the step that tells who did it. */
import type { Redis } from 'ioredis';
import { type Act, told } from './audit.ts';
import { keys } from './keys.ts';
import { switchQueue as runSwitch } from './scripts/generated/scripts.ts';

/** False: it stood so already. */
export function switchQueue(
  redis: Redis,
  queue: string,
  { how, act }: { readonly how: 'pause' | 'resume'; readonly act?: Act | undefined },
): Promise<boolean> {
  return runSwitch(redis, {
    meta: keys.queue(queue),
    marker: keys.jobs(queue, 'marker'),
    wait: keys.jobs(queue, 'wait'),
    prioritized: keys.jobs(queue, 'prioritized'),
    delayed: keys.jobs(queue, 'delayed'),
    announcements: keys.announcements(queue),
    ...told(act),
    how,
  });
}
