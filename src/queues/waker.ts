/**
 * Adds wake-up jobs, those of one moment together. Nobody waits for them: one that is lost is added again by the
 * sweeper when the operation's due time has come.
 */
import type { Queue } from 'bullmq';

interface Wake {
  readonly name: 'wake';
  readonly data: { readonly id: string };
  /**
   * Named after the revision: adding an id that is active or waiting is silently nothing, so a wake never reuses one.
   */
  readonly opts: { readonly jobId: string };
}

export class Waker {
  readonly #queues: Readonly<Record<string, Queue>>;
  readonly #ready: () => boolean;
  readonly #onLost: (error: unknown) => void;
  readonly #pending = new Map<string, Wake[]>();
  #flushing: Promise<void> = Promise.resolve();

  constructor(queues: Readonly<Record<string, Queue>>, ready: () => boolean, onLost: (error: unknown) => void) {
    this.#queues = queues;
    this.#ready = ready;
    this.#onLost = onLost;
  }

  wake(queue: string, id: string, rev: string | number): void {
    const wake: Wake = { name: 'wake', data: { id }, opts: { jobId: `${id}-${rev}` } };
    const waiting = this.#pending.get(queue);
    if (waiting) waiting.push(wake);
    else this.#pending.set(queue, [wake]);
    if (this.#pending.size === 1 && !waiting) this.#flushing = this.#flushSoon();
  }

  /** Resolves when what was asked for so far has been added, or is lost. */
  async settled(): Promise<void> {
    await this.#flushing;
  }

  async #flushSoon(): Promise<void> {
    await Promise.resolve();
    const batches = [...this.#pending];
    this.#pending.clear();
    // Before the first connection an add would wait for ever, and a late wake-up is worth nothing.
    if (!this.#ready()) return;
    for (const [queue, wakes] of batches) await this.#queues[queue]?.addBulk(wakes).catch(this.#onLost);
  }
}
