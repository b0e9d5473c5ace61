/**
 * Callers that wait for a connection of the pool, in turn. A caller waits while connections come free; it is refused
 * when none does for a while, because then PostgreSQL is away or hangs.
 */
import type { Clock } from '../lib/clock.ts';
import { DatabaseAway } from './errors.ts';

interface LineOptions {
  /** Connections. */
  readonly size: number;
  /** How long a caller waits while no connection comes free, ms. */
  readonly patience: number;
  /** How long a caller waits at most, ms. */
  readonly longest: number;
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** No connection came free: callers are refused. */
  readonly onStill: () => void;
}

interface Waiting {
  readonly sinceMono: number;
  readonly resolve: () => void;
  readonly reject: (error: DatabaseAway) => void;
}

export class PoolLine {
  readonly #options: LineOptions;
  readonly #waiting: Waiting[] = [];
  #free: number;
  /** When PostgreSQL last answered on a connection. */
  #answeredMono = -Infinity;
  #disarm: (() => void) | undefined;

  constructor(options: LineOptions) {
    this.#options = options;
    this.#free = options.size;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves when it is the caller's turn. Throws `DatabaseAway`; otherwise the caller must call `leave`. */
  enter(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ sinceMono: this.#options.clock.monotonic(), resolve, reject });
      this.#watch();
    });
  }

  /** `answered`: PostgreSQL answered, be it with a refusal. */
  leave(answered: boolean): void {
    if (answered) this.#answeredMono = this.#options.clock.monotonic();
    const next = this.#waiting.shift();
    if (next) next.resolve();
    else this.#free += 1;
  }

  /** One timer, for the caller that has waited longest. */
  #watch(): void {
    const { clock } = this.#options;
    const [first] = this.#waiting;
    if (first === undefined || this.#disarm) return;
    this.#disarm = clock.after(Math.max(0, this.#endOf(first) - clock.monotonic()), () => {
      this.#disarm = undefined;
      this.#giveUp();
      this.#watch();
    });
  }

  #giveUp(): void {
    const { clock, patience, onStill } = this.#options;
    const now = clock.monotonic();
    for (let first = this.#waiting[0]; first && this.#endOf(first) <= now; first = this.#waiting[0]) {
      this.#waiting.shift();
      if (this.#answeredMono + patience <= now) onStill();
      first.reject(new DatabaseAway('PostgreSQL has no connection free'));
    }
  }

  #endOf({ sinceMono }: Waiting): number {
    const { patience, longest } = this.#options;
    return Math.min(Math.max(sinceMono, this.#answeredMono) + patience, sinceMono + longest);
  }
}
