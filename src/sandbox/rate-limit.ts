/** Counts requests within the running second. Crude on purpose: real ones are, too. */
export class RateLimit {
  #second = 0;
  #count = 0;

  /** `perSecond` 0 admits everything. `now` in ms. */
  admits(perSecond: number, now: number): boolean {
    if (perSecond === 0) return true;
    const second = Math.floor(now / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= perSecond;
  }
}
