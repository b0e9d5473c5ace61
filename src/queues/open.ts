/** The only file that constructs a BullMQ Queue or Worker, so that prefix, retention and lock are equal for all. */
import { type ConnectionOptions, type Job, Queue, UnrecoverableError, Worker } from 'bullmq';
import type { Clock } from '../lib/clock.ts';
import type { AnyQueueName, QueueDeclaration } from './index.ts';

// BullMQ's own event stream only feeds dashboards: it is never used as a source of results.
const EVENTS_KEPT = 1_000;
const FETCH_AGAIN_MS = 1_000;

/** `connection` has no key prefix (`openForQueues`): BullMQ adds the prefix itself, and refuses other connections. */
export function openQueue(
  declaration: QueueDeclaration,
  { connection, prefix }: { readonly connection: ConnectionOptions; readonly prefix: string },
): Queue {
  const kept = declaration.keepSeconds > 0 ? { age: declaration.keepSeconds } : true;
  return new Queue(declaration.name, {
    connection,
    prefix,
    // BullMQ checks the version only at the start: a short Redis outage at that moment would leave the queue
    // unusable.
    skipVersionCheck: true,
    streams: { events: { maxLen: EVENTS_KEPT } },
    // One attempt: the record and the due index decide what follows an attempt, never a throw.
    defaultJobOptions: { attempts: 1, removeOnComplete: kept, removeOnFail: kept },
  });
}

interface WorkerOptions {
  readonly connection: ConnectionOptions;
  /** The key prefix of this deployment: REDIS_PREFIX. */
  readonly prefix: string;
  readonly concurrency: number;
  readonly lockMs: number;
  readonly onError: (error: Error) => void;
  /** An attempt threw: Redis was away, or an error in our code. Not called for a refused request. */
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
    // A second run is harmless, since the record decides; a job failed for stalling would only look alarming.
    maxStalledCount: 100,
    // After a short Redis outage a worker fetches nothing for this time; BullMQ's default is fifteen seconds.
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

/** A worker takes everything that is due, so more frequent wake-ups would find nothing. */
const CALLS_APART_MS = 10;

export class Waker {
  readonly #options: WakerOptions;
  /** Queues with a pending wake-up. `again`: more became due since. */
  readonly #calling = new Map<AnyQueueName, { again: boolean; done: Promise<void> }>();

  constructor(options: WakerOptions) {
    this.#options = options;
  }

  /** Operations of this queue are due, or will be shortly. */
  wake(queue: AnyQueueName): void {
    const calling = this.#calling.get(queue);
    if (calling) calling.again = true;
    else {
      const begun = { again: true, done: Promise.resolve() };
      this.#calling.set(queue, begun);
      begun.done = this.#callWhileAsked(queue, begun);
    }
  }

  /** Resolves when all wake-ups so far were added or lost. */
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

  /** One waiting wake-up is enough: its worker takes everything that is due. */
  async #callOnce(name: AnyQueueName): Promise<void> {
    const queue = this.#options.queues[name];
    if (queue && (await queue.getWaitingCount()) === 0) await queue.add('wake', {});
  }
}
