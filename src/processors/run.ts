/** One attempt, told in order. Nothing in here knows what a disbursement or a message is. */
import { type Job, UnrecoverableError } from 'bullmq';
import type { QueueName } from '../kinds/due-queues.ts';
import type { Clock } from '../lib/clock.ts';
import { takenInBulk, wakeUp } from '../queues/index.ts';
import type { ProcessorContext, AttemptResult } from './context.ts';
import type { Processor } from './index.ts';
import type { Taker } from './taker.ts';

export interface AttemptFinished {
  readonly queue: string;
  readonly id: string;
  readonly result: AttemptResult;
  readonly durationMs: number;
  /** Whose keys were asked for; absent where none were needed. */
  readonly account?: string;
}

export type Announce = (finished: AttemptFinished) => void;

type Attempts = (id: string) => Promise<void>;

/** An attempt at the operation of that id. */
export function attempts(
  queue: QueueName,
  processor: Processor,
  context: ProcessorContext,
  announce: Announce,
): Attempts {
  return async (id) => {
    let account: string | undefined;
    const noting: ProcessorContext = { ...context, account: (name) => context.account((account = name)) };
    const startedMono = context.clock.monotonic();
    const result = await processor(id, noting);
    const durationMs = context.clock.monotonic() - startedMono;
    announce({ queue, id, result, durationMs, ...(account === undefined ? {} : { account }) });
    if (result.reason === 'none' && result.outcome === 'idle') throw noRecord(queue, id);
  };
}

type Work = (job: Pick<Job, 'data'>) => Promise<void>;

/** The BullMQ processor of a queue whose wake-ups each carry an id. */
export function runner(...of: Parameters<typeof attempts>): Work {
  const [queue] = of;
  const attempt = attempts(...of);
  return (job) => attempt(payloadOf(queue, wakeUp.safeParse(job.data)).id);
}

/** … and of one whose wake-ups mostly carry nothing: what is due is taken. A caller may still name one. */
export function inBulk(queue: QueueName, taker: Taker): Work {
  return (job) => {
    const { id } = payloadOf(queue, takenInBulk.payload.safeParse(job.data));
    return id === undefined ? taker.run() : taker.one(id);
  };
}

function payloadOf<T>(queue: string, { data }: { readonly data?: T | undefined }): T {
  if (data !== undefined) return data;
  throw new UnrecoverableError(
    `a job in "${queue}" carries {id} and nothing else: add requests to the queue "intake", or use createProducer() of relais/producer`,
  );
}

function noRecord(queue: string, id: string): UnrecoverableError {
  return new UnrecoverableError(
    `no record ${id.slice(0, 64)}: "${queue}" only wakes what was accepted before; add requests to the queue "intake", or use createProducer() of relais/producer`,
  );
}

/** How long an attempt took, for the intake processor, which carries requests and no id. */
export function stopwatch(clock: Clock): () => number {
  const startedMono = clock.monotonic();
  return () => clock.monotonic() - startedMono;
}
