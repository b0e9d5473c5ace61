/**
 * Takes what is due in one queue, as many at a time as this process has room for, and begins with each at once.
 *
 *   called, or it is time ──▶ is there room? ──▶ take as many, in one script ──▶ an attempt each ──▶ again
 *
 * Each attempt takes its own lease and renews it, so one that waits long for its answer holds up none that was taken
 * with it. What was taken and never begun is handed back, and what nobody hands back is due again in a moment.
 */
import type { Clock } from '../lib/clock.ts';

export interface TakerOptions {
  /** Attempts at a time in this process. */
  readonly slots: number;
  /** How long one run may go on: it is a job of BullMQ, which has a lock. */
  readonly patienceMs: number;
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
  readonly take: (atMost: number) => Promise<readonly string[]>;
  readonly handBack: (ids: readonly string[]) => Promise<void>;
  readonly attempt: (id: string) => Promise<void>;
  /** There is more than one process has room for. */
  readonly callOthers: () => void;
  readonly onFailed: (error: unknown) => void;
}

/** Each answer frees one slot, and one at a time is no bulk: so much of them is waited for, and for so long. */
const ROOM = 0.25;
const GATHER_MS = 10;

export class Taker {
  readonly #options: TakerOptions;
  readonly #under = new Set<Promise<void>>();
  /** To be told when an attempt has ended, or the process is about to stop. */
  readonly #waiting = new Set<() => void>();
  /** Slots that are asked for in Redis at this moment. */
  #reserved = 0;
  #asked = false;
  #stopping = false;
  #run: Promise<void> | undefined;

  constructor(options: TakerOptions) {
    this.#options = options;
  }

  /** Resolves when all that was due at this moment has been taken, here or elsewhere. */
  run(): Promise<void> {
    this.#asked = true;
    this.#run ??= this.#takeWhileAsked();
    return this.#run;
  }

  /** One that somebody has named, due or not. Rejects as its attempt does. */
  async one(id: string): Promise<void> {
    while (this.#free < 1 && !this.#stopping) await this.#room(1);
    if (this.#stopping) return this.#options.handBack([id]);
    await this.#begin(id);
  }

  /** Takes nothing more. */
  stop(): void {
    this.#stopping = true;
    this.#tell();
  }

  /** Resolves when nothing that was begun is under way. */
  async ended(): Promise<void> {
    // Told where it was asked for, as is what became of each attempt.
    await this.#run?.catch(() => undefined);
    await Promise.all(this.#under);
  }

  async #takeWhileAsked(): Promise<void> {
    try {
      while (this.#asked && !this.#stopping) {
        this.#asked = false;
        await this.#takeAll();
      }
    } finally {
      this.#run = undefined;
    }
  }

  async #takeAll(): Promise<void> {
    const { slots, patienceMs, clock, handBack, callOthers, onFailed } = this.#options;
    const untilMono = clock.monotonic() + patienceMs;
    for (let called = false; ; called = true) {
      do await this.#room(slots * ROOM);
      while (this.#free < 1 && !this.#stopping);
      if (this.#stopping) return;
      if (clock.monotonic() >= untilMono) return callOthers();
      const room = this.#free;
      const ids = await this.#take(room);
      if (this.#stopping) return handBack(ids);
      for (const id of ids) void this.#begin(id).catch(onFailed);
      if (ids.length < room) return;
      if (!called) callOthers();
    }
  }

  async #take(room: number): Promise<readonly string[]> {
    this.#reserved = room;
    try {
      return await this.#options.take(room);
    } finally {
      this.#reserved = 0;
    }
  }

  get #free(): number {
    return this.#options.slots - this.#under.size - this.#reserved;
  }

  #begin(id: string): Promise<void> {
    const attempt = this.#options.attempt(id);
    const under = attempt
      .catch(() => undefined)
      .finally(() => {
        this.#under.delete(under);
        this.#tell();
      });
    this.#under.add(under);
    return attempt;
  }

  #tell(): void {
    for (const waiting of this.#waiting) waiting();
  }

  /** Resolves when so much is free, a moment after anything is, or when nothing is to begin any more. */
  #room(enough: number): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      let disarm: (() => void) | undefined;
      const proceed = (): void => {
        disarm?.();
        this.#waiting.delete(look);
        resolve();
      };
      const look = (): void => {
        if (this.#stopping || this.#free >= enough) proceed();
        else if (this.#free > 0) disarm ??= clock.after(GATHER_MS, proceed);
      };
      this.#waiting.add(look);
      look();
    });
  }
}
