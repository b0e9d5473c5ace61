/**
 * Adds wake-up jobs, those of one moment together. Nobody waits for them: one that is lost is added again by the
 * sweeper when the operation's due time has come.
 */
import type { Queue } from 'bullmq';
import type { Clock } from '../lib/clock.ts';
import { type AnyQueueName, queues } from './index.ts';

interface Wake {
  readonly name: 'wake';
  readonly data: { readonly id: string };
  /**
   * Named after the revision: adding an id that is active or waiting is silently nothing, so a wake never reuses one.
   */
  readonly opts: { readonly jobId: string };
}

export interface WakerOptions {
  readonly queues: Readonly<Partial<Record<AnyQueueName, Queue>>>;
  readonly ready: () => boolean;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly onLost: (error: unknown) => void;
}

/** Who takes what is due takes all of it, so more calls than this would only find nothing. */
const CALLS_APART_MS = 10;

export class Waker {
  readonly #options: WakerOptions;
  readonly #pending = new Map<AnyQueueName, Wake[]>();
  /** The queues that are being called about; `again`: something became due since the last call. */
  readonly #calling = new Map<AnyQueueName, { again: boolean; done: Promise<void> }>();
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: WakerOptions) {
    this.#options = options;
  }

  /** The operation is due, or about to be. */
  wake(queue: AnyQueueName, id: string, rev: string | number): void {
    if ('inBulk' in queues[queue]) return this.call(queue);
    const wake: Wake = { name: 'wake', data: { id }, opts: { jobId: `${id}-${rev}` } };
    const waiting = this.#pending.get(queue);
    if (waiting) waiting.push(wake);
    else this.#pending.set(queue, [wake]);
    if (this.#pending.size === 1 && !waiting) this.#flushing = this.#flushSoon();
  }

  /** Something is due in a queue that is taken in bulk. */
  call(queue: AnyQueueName): void {
    const calling = this.#calling.get(queue);
    if (calling) calling.again = true;
    else {
      const begun = { again: true, done: Promise.resolve() };
      this.#calling.set(queue, begun);
      begun.done = this.#callWhileAsked(queue, begun);
    }
  }

  /** Resolves when what was asked for so far has been added, or is lost. */
  async settled(): Promise<void> {
    await Promise.all([this.#flushing, ...[...this.#calling.values()].map(({ done }) => done)]);
  }

  async #callWhileAsked(queue: AnyQueueName, calling: { again: boolean }): Promise<void> {
    const { ready, clock, onLost } = this.#options;
    await Promise.resolve();
    while (calling.again) {
      calling.again = false;
      if (ready()) await this.#callOnce(queue).catch(onLost);
      await clock.sleep(CALLS_APART_MS);
    }
    this.#calling.delete(queue);
  }

  /** The process that gets the call that waits there takes this too. On a queue that is paused, one waits and no more. */
  async #callOnce(name: AnyQueueName): Promise<void> {
    const queue = this.#options.queues[name];
    if (queue && (await queue.getWaitingCount()) === 0) await queue.add('wake', {});
  }

  async #flushSoon(): Promise<void> {
    await Promise.resolve();
    const { queues: opened, ready, onLost } = this.#options;
    const batches = [...this.#pending];
    this.#pending.clear();
    // Before the first connection an add would wait for ever, and a late wake-up is worth nothing.
    if (!ready()) return;
    for (const [queue, wakes] of batches) await opened[queue]?.addBulk(wakes).catch(onLost);
  }
}
