import type { Clock } from '../lib/clock.ts';

interface Waiting {
  readonly dueAt: number;
  readonly run: () => void;
  /** Told instead where it is forgotten. */
  readonly forgotten: () => void;
  takeBack: () => void;
}

/**
 * The sandbox's own time: the given clock plus an offset that the control API may move forward. What waits in this
 * time (a settlement, a callback) comes due when the offset passes it, so a day can be tested in a millisecond.
 */
export class SandboxTime {
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();
  #offsetMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds since the epoch, as the service sees them. */
  now(): number {
    return this.#clock.now() + this.#offsetMs;
  }

  /** How far the control API has moved it. */
  get advancedMs(): number {
    return this.#offsetMs;
  }

  /** Runs once after `ms` of sandbox time. */
  after(ms: number, run: () => void): void {
    this.#arm({ dueAt: this.now() + ms, run, forgotten: () => undefined, takeBack: () => undefined });
  }

  /** True after `ms` of sandbox time; false as soon as all that waits is forgotten. */
  pass(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const [run, forgotten] = [() => resolve(true), () => resolve(false)];
      this.#arm({ dueAt: this.now() + ms, run, forgotten, takeBack: () => undefined });
    });
  }

  /** Runs once after `ms` of real time: the latency of an answer must not shrink when a day is skipped. */
  afterReal(ms: number, run: () => void): void {
    this.#clock.after(ms, run);
  }

  /** Moves time forward and runs what has come due, in the order in which it was due. */
  advance(ms: number): void {
    this.#offsetMs += ms;
    const waiting = [...this.#waiting].sort((a, b) => a.dueAt - b.dueAt);
    for (const entry of waiting) {
      entry.takeBack();
      if (entry.dueAt > this.now()) this.#arm(entry);
      else this.#fire(entry);
    }
  }

  /** Forgets all that waits. */
  rest(): void {
    for (const entry of this.#waiting) {
      entry.takeBack();
      entry.forgotten();
    }
    this.#waiting.clear();
  }

  /** Forgets all that waits and goes back to the given clock's time. */
  reset(): void {
    this.rest();
    this.#offsetMs = 0;
  }

  #arm(entry: Waiting): void {
    this.#waiting.add(entry);
    entry.takeBack = this.#clock.after(Math.max(0, entry.dueAt - this.now()), () => this.#fire(entry));
  }

  #fire(entry: Waiting): void {
    if (this.#waiting.delete(entry)) entry.run();
  }
}
