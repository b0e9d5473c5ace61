import type { Clock } from '../lib/clock.ts';

interface Timer {
  readonly dueAt: number;
  readonly run: () => void;
  readonly onDropped: () => void;
  cancel: () => void;
}

/**
 * The sandbox's time: the given clock plus an offset that the control API moves forward. Its timers (a settlement, a
 * callback) become due when the offset passes them, so a test of a day takes a millisecond.
 */
export class SandboxTime {
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();
  #offsetMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds since the epoch in sandbox time. */
  now(): number {
    return this.#clock.now() + this.#offsetMs;
  }

  /** How far the control API has moved it. */
  get advancedMs(): number {
    return this.#offsetMs;
  }

  /** Runs after `ms` of sandbox time. */
  after(ms: number, run: () => void): void {
    this.#start({ dueAt: this.now() + ms, run, onDropped: () => undefined, cancel: () => undefined });
  }

  /** True after `ms` of sandbox time; false as soon as all timers are dropped. */
  pass(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const [run, onDropped] = [() => resolve(true), () => resolve(false)];
      this.#start({ dueAt: this.now() + ms, run, onDropped, cancel: () => undefined });
    });
  }

  /** Runs after `ms` of real time: the latency of an answer must not shrink when a day is skipped. */
  afterReal(ms: number, run: () => void): void {
    this.#clock.after(ms, run);
  }

  /** Moves time forward and runs what became due, in order of due time. */
  advance(ms: number): void {
    this.#offsetMs += ms;
    const timers = [...this.#timers].sort((a, b) => a.dueAt - b.dueAt);
    for (const timer of timers) {
      timer.cancel();
      if (timer.dueAt > this.now()) this.#start(timer);
      else this.#fire(timer);
    }
  }

  /** Drops all timers. */
  drop(): void {
    for (const timer of this.#timers) {
      timer.cancel();
      timer.onDropped();
    }
    this.#timers.clear();
  }

  /** Drops all timers and returns to the time of the given clock. */
  reset(): void {
    this.drop();
    this.#offsetMs = 0;
  }

  #start(timer: Timer): void {
    this.#timers.add(timer);
    timer.cancel = this.#clock.after(Math.max(0, timer.dueAt - this.now()), () => this.#fire(timer));
  }

  #fire(timer: Timer): void {
    if (this.#timers.delete(timer)) timer.run();
  }
}
