/** The only file that constructs a BullMQ Queue or Worker, so that prefix, retention and lock are the same for all. */
import { type ConnectionOptions, type Job, Queue, UnrecoverableError, Worker } from 'bullmq';
import type { Clock } from '../lib/clock.ts';
import type { AnyQueueName, QueueDeclaration } from './index.ts';

// BullMQ's own event stream only feeds dashboards: truth is never taken from it.
const EVENTS_KEPT = 1_000;
const FETCH_AGAIN_MS = 1_000;

/**
 * `connection` is one that puts no prefix before its keys (`openForQueues`): BullMQ puts it there itself, and refuses
 * any other.
 */
export function openQueue(
  declaration: QueueDeclaration,
  { connection, prefix }: { readonly connection: ConnectionOptions; readonly prefix: string },
): Queue {
  const kept = declaration.keepSeconds > 0 ? { age: declaration.keepSeconds } : true;
  return new Queue(declaration.name, {
    connection,
    prefix,
    // The one question that BullMQ asks once: a Redis that blinks at that moment would leave the queue broken for good.
    skipVersionCheck: true,
    streams: { events: { maxLen: EVENTS_KEPT } },
    // One attempt: what happens after an attempt is decided by the record and the due index, never by a throw.
    defaultJobOptions: { attempts: 1, removeOnComplete: kept, removeOnFail: kept },
  });
}

interface WorkerOptions {
  readonly connection: ConnectionOptions;
  /** What the keys of this deployment begin with: REDIS_PREFIX. */
  readonly prefix: string;
  readonly concurrency: number;
  readonly lockMs: number;
  readonly onError: (error: Error) => void;
  /** An attempt threw: Redis was away, or a fault of ours. A refused request is not meant by this. */
  readonly onFailed: (error: Error) => void;
  readonly onLockLost: (ids: readonly string[]) => void;
}

export function openWorker(
  declaration: QueueDeclaration,
  processor: (job: Job, token: string | undefined, signal: AbortSignal | undefined) => Promise<unknown>,
  options: WorkerOptions,
): Worker {
  const kept = declaration.keepSeconds > 0 ? { age: declaration.keepSeconds } : { count: 0 };
  // The three named parameters matter: BullMQ gives no signal to a processor that declares fewer.
  const worker = new Worker(declaration.name, (job, token, signal) => processor(job, token, signal), {
    connection: options.connection,
    prefix: options.prefix,
    concurrency: options.concurrency,
    lockDuration: options.lockMs,
    stalledInterval: Math.min(options.lockMs, 30_000),
    // A second run is harmless here, since the record decides; a job failed for stalling would only look alarming.
    maxStalledCount: 100,
    // After a blink of Redis a worker fetches nothing for so long; fifteen seconds, if it were left to BullMQ.
    runRetryDelay: FETCH_AGAIN_MS,
    autorun: false,
    removeOnComplete: kept,
    removeOnFail: kept,
  });
  worker.on('error', options.onError);
  worker.on('failed', (_job, error) => {
    if (!(error instanceof UnrecoverableError)) options.onFailed(error);
  });
  // Losing the lock does not abort the processor by itself. Stopping it before its next step is a courtesy, not a
  // guard.
  worker.on('lockRenewalFailed', (ids: string[]) => {
    options.onLockLost(ids);
    for (const id of ids) worker.cancelJob(id);
  });
  return worker;
}

/** Adds wake-up jobs. A lost wake-up costs at most SWEEP_INTERVAL, since workers also poll. */
interface WakerOptions {
  readonly queues: Readonly<Partial<Record<AnyQueueName, Queue>>>;
  readonly ready: () => boolean;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly onLost: (error: unknown) => void;
}

/** A worker takes everything that is due, so more calls than this would find nothing. */
const CALLS_APART_MS = 10;

export class Waker {
  readonly #options: WakerOptions;
  /** Queues with a call on its way. `again`: something became due since that call. */
  readonly #calling = new Map<AnyQueueName, { again: boolean; done: Promise<void> }>();

  constructor(options: WakerOptions) {
    this.#options = options;
  }

  /** Operations of this queue are due, or will be in a moment. */
  wake(queue: AnyQueueName): void {
    const calling = this.#calling.get(queue);
    if (calling) calling.again = true;
    else {
      const begun = { again: true, done: Promise.resolve() };
      this.#calling.set(queue, begun);
      begun.done = this.#callWhileAsked(queue, begun);
    }
  }

  /** Resolves when all wake-ups so far were added, or lost. */
  async settled(): Promise<void> {
    await Promise.all([...this.#calling.values()].map(({ done }) => done));
  }

  async #callWhileAsked(queue: AnyQueueName, calling: { again: boolean }): Promise<void> {
    const { ready, clock, onLost } = this.#options;
    await Promise.resolve();
    while (calling.again) {
      calling.again = false;
      // Before the first connection, an add would wait for ever.
      if (ready()) await this.#callOnce(queue).catch(onLost);
      await clock.sleep(CALLS_APART_MS);
    }
    this.#calling.delete(queue);
  }

  /** One waiting wake-up is enough: the worker that gets it takes everything that is due. */
  async #callOnce(name: AnyQueueName): Promise<void> {
    const queue = this.#options.queues[name];
    if (queue && (await queue.getWaitingCount()) === 0) await queue.add('wake', {});
  }
}
