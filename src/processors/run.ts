/** One attempt, told in order. Nothing in here knows what a disbursement or a message is. */
import type { Job } from 'bullmq';
import { UnrecoverableError } from 'bullmq';
import type { QueueName } from '../kinds/due-queues.ts';
import type { Clock } from '../lib/clock.ts';
import { wakeUp } from '../queues/define.ts';
import type { ProcessorContext, Next, AttemptResult } from './context.ts';
import type { Processor } from './index.ts';

export interface AttemptFinished {
  readonly queue: string;
  readonly id: string;
  readonly result: AttemptResult;
  readonly durationMs: number;
  /** Whose keys were asked for; absent where none were needed. */
  readonly account?: string;
}

export type Announce = (finished: AttemptFinished) => void;

/** The BullMQ processor of a queue that is fed by wake-ups. */
export function runner(queue: QueueName, processor: Processor, context: ProcessorContext, announce: Announce) {
  return async (job: Pick<Job, 'data'>): Promise<void> => {
    const woken = idOf(queue, job.data);
    let account: string | undefined;
    const noting: ProcessorContext = { ...context, account: (name) => context.account((account = name)) };
    let next: Next | undefined = { id: woken, attempt: () => processor(woken, noting) };
    while (next !== undefined) {
      const { id } = next;
      const startedMono = context.clock.monotonic();
      const result: AttemptResult = await next.attempt(noting);
      const durationMs = context.clock.monotonic() - startedMono;
      announce({ queue, id, result, durationMs, ...(account === undefined ? {} : { account }) });
      if (result.reason === 'none' && result.outcome === 'idle') throw noRecord(queue, id);
      next = result.next;
    }
  };
}

function idOf(queue: string, data: unknown): string {
  const parsed = wakeUp.safeParse(data);
  if (parsed.success) return parsed.data.id;
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
