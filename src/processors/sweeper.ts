/**
 * The due index is what nobody can lose: whatever became of a wake-up job, the sweeper adds another one when an
 * operation's time has come. It never creates a record and decides nothing. What is taken in bulk needs no job: each
 * worker of such a queue takes what is due, called or not.
 */
import { dueQueues, type QueueName } from '../kinds/due-queues.ts';
import { queues } from '../queues/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Operations } from '../operations/operations.ts';

export interface SweeperOptions {
  readonly operations: Pick<Operations, 'claim'>;
  readonly clock: Pick<Clock, 'now'>;
  /** How far a claimed id's due time is pushed: nobody else hands it out meanwhile. */
  readonly pushMs: number;
  /** Jobs already waiting in that queue: a deep queue is not fed, since what is due can wait in the index. */
  readonly waiting: (queue: QueueName) => Promise<number>;
  /** Nobody works on a paused queue: its wake-ups would only pile up, one more per lease. */
  readonly paused: (queue: QueueName) => Promise<boolean>;
  readonly wake: (queue: QueueName, id: string, rev: string) => void;
}

export interface Interval {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly intervalMs: number;
  readonly onError: (error: unknown) => void;
}

/** No more than this many jobs are put before the workers at a time. */
const QUEUE_DEPTH_MAX = 1_000;

/** Does so again and again until the signal fires; resolves when what is in progress is over. */
export async function repeatUntil(
  signal: AbortSignal,
  { clock, intervalMs, onError }: Interval,
  once: () => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    await once().catch(onError);
    // The only way to be interrupted is to be stopped, and then the loop ends.
    await clock.sleep(intervalMs, signal).catch(() => undefined);
  }
}

const SWEPT = dueQueues.filter((queue) => !('inBulk' in queues[queue]));

/** One pass over every queue whose operations have a job each. How many wake-ups were added. */
export async function sweep({ operations, clock, pushMs, waiting, paused, wake }: SweeperOptions): Promise<number> {
  // A worker that died still holds the job of its wake-up, and adding that id again would silently be nothing.
  const sweepName = clock.now().toString(36);
  let added = 0;
  for (const queue of SWEPT) {
    const room = QUEUE_DEPTH_MAX - (await waiting(queue));
    if (room <= 0 || (await paused(queue))) continue;
    for (const { id, rev } of await operations.claim(queue, room, pushMs)) {
      wake(queue, id, `${rev}-${sweepName}`);
      added += 1;
    }
  }
  return added;
}
