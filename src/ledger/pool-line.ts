/**
 * Callers that wait for a connection of the pool, in turn. A caller waits while PostgreSQL answers others, however long
 * that takes on a busy machine; it is refused when PostgreSQL answers none for a while, because it is away or hangs.
 */
import type { Clock } from '../lib/clock.ts';
import { DatabaseAway } from './errors.ts';

interface LineOptions {
  /** Connections. */
  readonly size: number;
  /** How long a caller waits while PostgreSQL answers none, ms. */
  readonly patience: number;
  /** Callers that wait at most; another one is refused. */
  readonly most: number;
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** A caller is refused because PostgreSQL answers none. */
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
    if (this.#waiting.length >= this.#options.most) return Promise.reject(noneFree());
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
      // A process that stood still takes the answers that came meanwhile before it refuses anybody.
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
