/** Time that passes only when something happens: one queue of happenings, and nothing else that runs. */
interface Happening {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

export class Timeline {
  /** ms since the epoch. */
  now: number;
  readonly #heap: Happening[] = [];
  #order = 0;

  constructor(start: number) {
    this.now = start;
  }

  /** `run` must not throw. What is scheduled for the same moment happens in the order it was scheduled. */
  after(ms: number, run: () => void): void {
    this.#push({ at: this.now + ms, order: (this.#order += 1), run });
  }

  get nextAt(): number {
    return this.#heap[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  /** Lets the next thing happen, and then everything run that waited for it. */
  async step(): Promise<void> {
    const next = this.#pop();
    if (next === undefined) return;
    this.now = Math.max(this.now, next.at);
    next.run();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }

  #push(happening: Happening): void {
    const heap = this.#heap;
    let index = heap.push(happening) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(happening, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = happening;
  }

  #pop(): Happening | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

function isBefore(a: Happening, b: Happening): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
