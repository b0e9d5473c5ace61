/** So many at a time; a later caller waits for its turn, first come, first served. */
export class Semaphore {
  #left: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#left = count;
  }

  /** Does the work when its turn has come, and gives the turn on when it is over, well or not. */
  async within<T>(work: (waited: boolean) => Promise<T>): Promise<T> {
    const waits = this.#left === 0;
    if (waits) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#left -= 1;
    try {
      return await work(waits);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#left += 1;
    }
  }
}
