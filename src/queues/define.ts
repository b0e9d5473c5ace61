import { z } from 'zod';

/** Everything there is to know about a queue. Worker, wake-up, metrics and docs/queues.md are derived from it. */
export interface QueueDeclaration<Name extends string = string, Payload extends z.ZodType = z.ZodType> {
  /** Appears in Redis keys, metric labels and log lines. Never change it: jobs already waiting carry it. */
  readonly name: Name;
  /** One sentence: what it carries. */
  readonly summary: string;
  readonly payload: Payload;
  /** Our wake-ups name no operation: who gets one takes what is due, many at a time. Absent: each has a job of its own. */
  readonly inBulk?: true;
  /** Share of WORKER_CONCURRENCY that one process gives to this queue. */
  readonly share: number;
  /** How many attempts there are for each request that may be in flight. Absent: one. */
  readonly attemptsPerRequest?: number;
  /** The waits before the next try of something that provably did not happen. The last one repeats. */
  readonly retryAfter: readonly string[];
  /** In words, for docs/queues.md: what is waited for, and how an operation leaves this queue for good. */
  readonly waits: string;
  readonly givesUpAs: string;
  /** How long BullMQ keeps a finished job of this queue, in seconds. 0: not at all, the record is the memory. */
  readonly keepSeconds: number;
}

/** A wake-up carries an id and nothing else. Losing one or running one twice is harmless. */
export const wakeUp = z.strictObject({ id: z.string().min(1).max(64) });

/** What the declaration of a queue says whose due operations are taken many at a time. */
export const takenInBulk = { payload: wakeUp.partial(), inBulk: true } as const;

export function defineQueue<const Name extends string, Payload extends z.ZodType>(
  declaration: QueueDeclaration<Name, Payload>,
): QueueDeclaration<Name, Payload> {
  // BullMQ builds its Redis keys with ':' and refuses names that contain one, but only when a queue is first opened.
  if (!/^[a-z][a-z-]*$/.test(declaration.name)) {
    throw new Error(`queue name must be lower-case words: ${declaration.name}`);
  }
  return Object.freeze(declaration);
}
