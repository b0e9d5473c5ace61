/**
 * Lets requests share a statement and its commit. Requests that come while a statement is under way join the next one.
 * A statement costs more than its rows, so another lane is used only when one is held up, or when enough requests wait.
 */
import type { Clock } from '../lib/clock.ts';
import { DatabaseAway, isOfOneRow, isTransient } from './errors.ts';
import type { Lane } from './lane.ts';

export interface SharingOptions<Item, Answer> {
  /** Runs one statement for these items on a lane, and answers in their order; an error is the answer to one item. */
  readonly run: (lane: Lane, items: readonly Item[]) => Promise<readonly (Answer | Error)[]>;
  /** No two items of one statement, nor of statements under way, have a key in common. */
  readonly keysOf: (item: Item) => readonly string[];
  /** Rows that the items of one statement write together; two statements under way have none in common. */
  readonly sumsOf?: (item: Item) => readonly string[];
  /** The order in which rows are locked. */
  readonly orderBy: (item: Item) => string;
  readonly lanes: readonly Lane[];
  /** Items in one statement. */
  readonly most: number;
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** How long an item waits for a lane, ms; after it, `DatabaseAway`. */
  readonly patience: number;
  /** Items that wait at most; another one is refused with `DatabaseAway`. */
  readonly mostWaiting: number;
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly keys: readonly string[];
  readonly sums: readonly string[];
  readonly sinceMono: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export class Sharing<Item, Answer> {
  readonly #options: SharingOptions<Item, Answer>;
  readonly #free: Lane[];
  readonly #busyKeys = new Set<string>();
  #waiting: Waiting<Item, Answer>[] = [];
  #isScheduled = false;
  #disarm: (() => void) | undefined;

  constructor(options: SharingOptions<Item, Answer>) {
    this.#options = options;
    this.#free = [...options.lanes];
  }

  /** Rejects with what the statement failed with; then nothing of this item was written, unless it is `AnswerLost`. */
  ask(item: Item): Promise<Answer> {
    const { keysOf, sumsOf, clock, mostWaiting } = this.#options;
    if (this.#waiting.length >= mostWaiting) return Promise.reject(tooBusy());
    return new Promise((resolve, reject) => {
      const sinceMono = clock.monotonic();
      const [keys, sums] = [keysOf(item), sumsOf?.(item) ?? []];
      this.#waiting.push({ item, keys, sums, sinceMono, resolve, reject });
      // Not at once: what is asked for in the same turn of the event loop goes together.
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      queueMicrotask(() => {
        this.#isScheduled = false;
        this.#next();
      });
    });
  }

  #next(): void {
    for (;;) {
      const lane = this.#mayStart() ? this.#free[0] : undefined;
      const batch = lane === undefined ? [] : this.#take();
      if (lane === undefined || batch.length === 0) return this.#watch();
      this.#free.shift();
      void this.#carryOut(lane, batch).finally(() => {
        for (const { keys, sums } of batch) for (const key of [...keys, ...sums]) this.#busyKeys.delete(key);
        this.#free.push(lane);
        this.#next();
      });
    }
  }

  #mayStart(): boolean {
    const { lanes, most, clock } = this.#options;
    const [oldest] = this.#waiting;
    if (oldest === undefined) return false;
    const areFree = this.#free.length === lanes.length;
    return areFree || this.#waiting.length >= most || clock.monotonic() - oldest.sinceMono >= HELD_UP_MS;
  }

  /** Another lane helps when one is held up. When PostgreSQL is away, the caller learns so in time, and can ask again. */
  #watch(): void {
    const { clock, patience } = this.#options;
    this.#disarm?.();
    this.#disarm = undefined;
    const [oldest] = this.#waiting;
    if (oldest === undefined) return;
    const waited = clock.monotonic() - oldest.sinceMono;
    const next = waited < HELD_UP_MS && this.#free.length > 0 ? Math.min(HELD_UP_MS, patience) : patience;
    this.#disarm = clock.after(Math.max(0, next - waited), () => {
      this.#disarm = undefined;
      this.#giveUp();
      this.#next();
    });
  }

  #giveUp(): void {
    const { clock, patience } = this.#options;
    const since = clock.monotonic() - patience;
    const late = this.#waiting.filter(({ sinceMono }) => sinceMono <= since);
    this.#waiting = this.#waiting.filter(({ sinceMono }) => sinceMono > since);
    for (const one of late) one.reject(tooBusy());
  }

  /** The longest waiting first; an item whose key is busy waits for the next statement. */
  #take(): readonly Waiting<Item, Answer>[] {
    const taken: Waiting<Item, Answer>[] = [];
    const left: Waiting<Item, Answer>[] = [];
    const own = new Set<string>();
    const isBusy = ({ keys, sums }: Waiting<Item, Answer>): boolean =>
      keys.some((key) => this.#busyKeys.has(key)) || sums.some((key) => this.#busyKeys.has(key) && !own.has(key));
    for (const one of this.#waiting) {
      if (taken.length === this.#options.most || isBusy(one)) {
        left.push(one);
        continue;
      }
      for (const key of one.sums) own.add(key);
      for (const key of [...one.keys, ...one.sums]) this.#busyKeys.add(key);
      taken.push(one);
    }
    this.#waiting = left;
    return taken;
  }

  async #carryOut(lane: Lane, batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    const { orderBy } = this.#options;
    const order = new Map(batch.map((one) => [one, Buffer.from(orderBy(one.item))]));
    const sorted = batch.toSorted((a, b) => Buffer.compare(order.get(a) ?? NOTHING, order.get(b) ?? NOTHING));
    await this.#halves(lane, sorted);
  }

  /** One row that PostgreSQL refuses must not fail the others: it is searched for in halves. */
  async #halves(lane: Lane, batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const items = batch.map(({ item }) => item);
      const answers = await this.#again(lane, items);
      for (const [at, one] of batch.entries()) {
        const answer = answers[at] as Answer | Error;
        if (answer instanceof Error) one.reject(answer);
        else one.resolve(answer);
      }
    } catch (error) {
      if (batch.length === 1 || !isOfOneRow(error)) {
        for (const one of batch) one.reject(error);
        return;
      }
      const middle = Math.ceil(batch.length / 2);
      await this.#halves(lane, batch.slice(0, middle));
      await this.#halves(lane, batch.slice(middle));
    }
  }

  /** A deadlock is ended by PostgreSQL with nothing written: the whole statement is sent a second time. */
  async #again(lane: Lane, items: readonly Item[]): Promise<readonly (Answer | Error)[]> {
    const { run } = this.#options;
    return run(lane, items).catch((error: unknown) => {
      if (isTransient(error)) return run(lane, items);
      throw error;
    });
  }
}

const tooBusy = (): DatabaseAway => new DatabaseAway('PostgreSQL is away, or too slow');
const NOTHING = Buffer.alloc(0);
/** Longer than a statement that nothing holds up, shorter than the lock time-out of the server. */
export const HELD_UP_MS = 50;
