/** The work of a queue: its jobs in Redis, and the due operations in PostgreSQL. */
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { QueueName } from '../kinds/due-queues.ts';
import type { Queries } from '../ledger/queries.ts';
import type { Clock } from '../lib/clock.ts';
import { type AnyQueueName, queues } from '../queues/index.ts';
import { RedisUnavailable, isAway, whyNotReady } from '../redis/connections.ts';

/**
 * Jobs as BullMQ counts them. Rejects with `RedisUnavailable` at once: BullMQ itself waits for the first connection.
 */
export interface QueueJobs {
  counts(queue: AnyQueueName): Promise<Readonly<Record<string, number>>>;
  waiting(queue: AnyQueueName): Promise<number>;
  /** When the first waiting job was added, ms since the epoch. */
  headAt(queue: AnyQueueName): Promise<number | undefined>;
}

export function queueJobs(bullQueues: Readonly<Record<AnyQueueName, Queue>>, client: Redis): QueueJobs {
  const ask = async <Answer>(name: AnyQueueName, question: (queue: Queue) => Promise<Answer>): Promise<Answer> => {
    const why = whyNotReady(client);
    if (why !== undefined) throw new RedisUnavailable(why);
    return question(bullQueues[name]);
  };
  return {
    counts: (name) => ask(name, (queue) => queue.getJobCounts()),
    waiting: (name) => ask(name, (queue) => queue.getWaitingCount()),
    headAt: (name) => ask(name, async (queue) => (await queue.getJobs(['waiting'], 0, 0, true))[0]?.timestamp),
  };
}

/** Without jobs while Redis is away. */
export function withoutRedis(jobs: QueueJobs): QueueJobs {
  const orElse = async <Answer>(asked: Promise<Answer>, none: Answer): Promise<Answer> => {
    try {
      return await asked;
    } catch (error) {
      if (isAway(error)) return none;
      throw error;
    }
  };
  return {
    counts: (name) => orElse(jobs.counts(name), {}),
    waiting: (name) => orElse(jobs.waiting(name), 0),
    headAt: (name) => orElse(jobs.headAt(name), undefined),
  };
}

interface Sources {
  readonly jobs: QueueJobs;
  readonly queries: Pick<Queries, 'dueIn'>;
  readonly clock: Pick<Clock, 'now'>;
}

export interface QueueFigures {
  counts(queue: AnyQueueName): Promise<Readonly<Record<string, number>>>;
  /** When the oldest job or due operation began to wait, ms since the epoch; undefined: nothing waits. */
  oldestAt(queue: AnyQueueName): Promise<number | undefined>;
}

export function queueFigures({ jobs, queries, clock }: Sources): QueueFigures {
  return {
    counts: async (queue) => {
      const counts = await jobs.counts(queue);
      if (!isInBulk(queue)) return counts;
      const { now, later } = await queries.dueIn(queue, clock.now());
      return { ...counts, waiting: now, delayed: later };
    },
    oldestAt: async (queue) => {
      // A waiting wake-up delays nothing: polling does its work.
      if (isInBulk(queue)) return (await queries.dueIn(queue, clock.now())).oldestAt;
      return jobs.headAt(queue);
    },
  };
}

function isInBulk(queue: AnyQueueName): queue is QueueName {
  return 'inBulk' in queues[queue];
}
