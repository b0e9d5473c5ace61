/**
 * Callers waiting for a connection of the pool, in order. A caller waits while PostgreSQL answers others, even for
 * long on a busy machine. It is refused when PostgreSQL gives no answer for a while, because it is away or hangs.
 */
import type { Clock } from '../lib/clock.ts';
import { DatabaseAway } from './errors.ts';

interface LineOptions {
  /** Number of connections. */
  readonly size: number;
  /** How long a caller waits without any answer from PostgreSQL, ms. */
  readonly patience: number;
  /** Maximum waiting callers; further ones are refused. */
  readonly most: number;
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** Called when a caller is refused because PostgreSQL does not answer. */
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
  /** The last answer of PostgreSQL on any connection. */
  #answeredMono = -Infinity;
  #disarm: (() => void) | undefined;

  constructor(options: LineOptions) {
    this.#options = options;
    this.#free = options.size;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves at the caller's turn; the caller must then call `leave`. Throws `DatabaseAway`. */
  enter(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    if (this.#waiting.length >= this.#options.most) return Promise.reject(noneFree());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ sinceMono: this.#options.clock.monotonic(), resolve, reject });
      this.#watch();
    });
  }

  /** `answered`: PostgreSQL answered, even with a refusal. */
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
      // After a pause of the process, pending answers are handled before a caller is refused.
      this.#disarm = clock.after(0, () => {
        this.#disarm = undefined;
        this.#giveUp();
        this.#watch();
      });
    });
  }

  #giveUp(): void {
    const { clock, onStill } = this.#options;
    const now = clock.monotonic();
    for (let first = this.#waiting[0]; first && this.#endOf(first) <= now; first = this.#waiting[0]) {
      this.#waiting.shift();
      onStill();
      first.reject(noneFree());
    }
  }

  #endOf({ sinceMono }: Waiting): number {
    return Math.max(sinceMono, this.#answeredMono) + this.#options.patience;
  }
}

const noneFree = (): DatabaseAway => new DatabaseAway('PostgreSQL has no connection free');
