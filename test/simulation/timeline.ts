/** Virtual time: one queue of events, without any concurrency. Whole milliseconds. */
export class Timeline {
  /** ms since the epoch. */
  now: number;
  /** The next one last. */
  readonly #events: { readonly at: number; readonly run: () => void }[] = [];

  constructor(start: number) {
    this.now = start;
  }

  /** `run` must not throw. Events of the same moment run in the order of their addition. */
  after(ms: number, run: () => void): void {
    const events = this.#events;
    const at = this.now + Math.max(0, Math.round(ms));
    let [low, high] = [0, events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((events[middle]?.at ?? 0) > at) low = middle + 1;
      else high = middle;
    }
    events.splice(low, 0, { at, run });
  }

  get nextAt(): number {
    return this.#events.at(-1)?.at ?? Number.POSITIVE_INFINITY;
  }

  /** Runs the next event, and then every promise that waited for it. */
  async step(): Promise<void> {
    const next = this.#events.pop();
    if (next === undefined) return;
    this.now = next.at;
    next.run();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
