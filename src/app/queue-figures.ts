/** What there is to do in a queue: its jobs; or, where those name no operation, what is due. */
import type { Queue } from 'bullmq';
import type { QueueName } from '../kinds/due-queues.ts';
import type { Clock } from '../lib/clock.ts';
import type { Queries } from '../operations/queries.ts';
import { type AnyQueueName, queues } from '../queues/index.ts';

interface Sources {
  readonly bullQueues: Readonly<Record<AnyQueueName, Queue>>;
  readonly queries: Pick<Queries, 'dueIn'>;
  readonly clock: Pick<Clock, 'now'>;
}

export interface QueueFigures {
  counts(queue: AnyQueueName): Promise<Readonly<Record<string, number>>>;
  /** Since when what has waited longest waits, ms since the epoch; undefined when nothing does. */
  oldestAt(queue: AnyQueueName): Promise<number | undefined>;
}

export function queueFigures({ bullQueues, queries, clock }: Sources): QueueFigures {
  const headOf = async (queue: AnyQueueName): Promise<number | undefined> =>
    (await bullQueues[queue].getJobs(['waiting'], 0, 0, true))[0]?.timestamp;
  return {
    counts: async (queue) => {
      const jobs = await bullQueues[queue].getJobCounts();
      if (!isInBulk(queue)) return jobs;
      const { now, later } = await queries.dueIn(queue, clock.now());
      return { ...jobs, waiting: now, delayed: later };
    },
    oldestAt: async (queue) => {
      const head = await headOf(queue);
      if (!isInBulk(queue)) return head;
      const { oldestAt } = await queries.dueIn(queue, clock.now());
      const since = [head, oldestAt].filter((at) => at !== undefined);
      return since.length === 0 ? undefined : Math.min(...since);
    },
  };
}

function isInBulk(queue: AnyQueueName): queue is QueueName {
  return 'inBulk' in queues[queue];
}
