/**
 * How often wrong keys are heard out: twenty a minute from one address, two hundred in all. After that they are told to
 * wait, and a right key among them still gets in: nobody can lock a caller out by guessing beside it, from behind the
 * same proxy say.
 *
 * Counted by each process for itself, since it has to hold while Redis is away; what is kept is bounded by the limit in
 * all.
 */
import type { Clock } from '../lib/clock.ts';

const WINDOW_MS = 60_000;
const MOST_OF_ADDRESS = 20;
const MOST_IN_ALL = 200;

export class WrongKeys {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #endsMono = 0;
  #all = 0;
  readonly #byAddress = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Counts a wrong key. 0: say that it is wrong. Otherwise the ms until another one is heard out. */
  refused(address: string): number {
    const now = this.#clock.monotonic();
    if (now >= this.#endsMono) {
      this.#endsMono = now + WINDOW_MS;
      this.#all = 0;
      this.#byAddress.clear();
    }
    const ofAddress = this.#byAddress.get(address) ?? 0;
    if (this.#all >= MOST_IN_ALL || ofAddress >= MOST_OF_ADDRESS) return this.#endsMono - now;
    this.#all += 1;
    this.#byAddress.set(address, ofAddress + 1);
    return 0;
  }
}
