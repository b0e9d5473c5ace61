/**
 * How many requests of this process may be in flight, and how many more may have their intent written already: those
 * take a slot in the moment in which one is free, where a step would leave it empty for its whole way to Redis.
 */

import type { Clock } from '../../lib/clock.ts';
import { REQUESTS_PER_SLICE } from '../../operations/slice-form.ts';

/** Of the slots. */
const AHEAD = 0.25;

interface Asking {
  /** Goes on with what it has begun. */
  readonly first?: boolean;
  /** For single messages: one request, and people wait for it. */
  readonly single?: boolean;
}

/** So many at a time; first come, first served. */
class Places {
  #free: number;
  readonly #forSingles: number;
  readonly #waiting: (() => void)[] = [];
  readonly #singles: (() => void)[] = [];
  #singleWasLast = false;

  /** `forSingles` of them are kept free of campaigns, for single messages. */
  constructor(count: number, forSingles = 0) {
    this.#free = count;
    this.#forSingles = forSingles;
  }

  async take({ first = false, single = false }: Asking = {}): Promise<void> {
    const waiting = single ? this.#singles : this.#waiting;
    if (this.#free > (single ? 0 : this.#forSingles)) this.#free -= 1;
    else await new Promise<void>((resolve) => void (first ? waiting.unshift(resolve) : waiting.push(resolve)));
  }

  /** False: it had to wait for longer than that. */
  takeWithin(ms: number, clock: Pick<Clock, 'after'>): Promise<boolean> {
    if (this.#free > this.#forSingles) {
      this.#free -= 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const waits = (): void => {
        forget();
        resolve(true);
      };
      const forget = clock.after(ms, () => {
        this.#waiting.splice(this.#waiting.indexOf(waits), 1);
        resolve(false);
      });
      this.#waiting.push(waits);
    });
  }

  giveBack(): void {
    this.#free += 1;
    const next = this.#next();
    if (next === undefined) return;
    this.#free -= 1;
    next();
  }

  /** Where both wait they take turns, however many ask for the others. */
  #next(): (() => void) | undefined {
    const isForSingle = this.#singles.length > 0 && !(this.#singleWasLast && this.#waiting.length > 0);
    this.#singleWasLast = isForSingle;
    if (isForSingle) return this.#singles.shift();
    return this.#singles.length > 0 || this.#free > this.#forSingles ? this.#waiting.shift() : undefined;
  }
}

/** Slices at once beyond those that fill the slots: some begin or end while the others send. */
const SLICES_BESIDE = 2;
/** One of these for so many slots: with few, beginning takes little beside sending, and another worker may be free. */
const SLOTS_EACH_BESIDE = 10;
/** How long a slice waits in a worker that has fewer slots than a slice has requests, and is busy with one for long. */
const PASSED_ON_AFTER_MS = 500;

export class Slots {
  /** For a slice while it is sent here: the fewer at once, the more each of their steps carries. */
  readonly slices: Places;
  /** For so long a slice waits for its turn here, before any worker may take it. */
  readonly patienceMs: number;
  /** For a request from before its intent until its answer. */
  readonly intents: Places;
  /** For a request while it is in flight. */
  readonly requests: Places;
  /**
   * So many places a slice takes one after the other, before another gets one: ten slices that take one each would all
   * make steps that carry little.
   */
  readonly turn: number;

  constructor(requests: number) {
    this.turn = Math.ceil(requests * AHEAD);
    const beside = Math.min(SLICES_BESIDE, Math.floor(requests / SLOTS_EACH_BESIDE));
    this.slices = new Places(Math.ceil(requests / REQUESTS_PER_SLICE) + beside);
    this.patienceMs = requests < REQUESTS_PER_SLICE ? PASSED_ON_AFTER_MS : Number.POSITIVE_INFINITY;
    this.requests = new Places(requests);
    // A message that comes while campaigns have written all they may is ready when the next request comes back.
    this.intents = new Places(requests + 2 * this.turn, this.turn);
  }
}

/** Sleeps until something is so. Whatever may have made it so tells it to look. */
export class Sleeper {
  readonly #clock: Pick<Clock, 'after'>;
  #wake: () => void = () => undefined;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  look(): void {
    this.#wake();
  }

  /** False: it has not become so in this time. */
  async until(isSo: () => boolean, ms: number): Promise<boolean> {
    if (isSo() || ms <= 0) return isSo();
    const late = new AbortController();
    const forget = this.#clock.after(ms, () => {
      late.abort();
      this.#wake();
    });
    while (!isSo() && !late.signal.aborted) await new Promise<void>((resolve) => (this.#wake = resolve));
    forget();
    return isSo();
  }
}
