/**
 * Lets requests share a statement and its commit. Requests that arrive during a statement join the next one. A
 * statement costs more than its rows, so another lane is used only if one is delayed or enough requests wait.
 */
import type { Clock } from '../lib/clock.ts';
import { DatabaseAway, isOfOneRow, isTransient } from './errors.ts';
import type { Lane } from './lane.ts';

export interface SharingOptions<Item, Answer> {
  /** Runs one statement for these items on a lane, and returns answers in their order; an error answers one item. */
  readonly run: (lane: Lane, items: readonly Item[]) => Promise<readonly (Answer | Error)[]>;
  /** Items of one statement, and of concurrent statements, have no key in common. */
  readonly keysOf: (item: Item) => readonly string[];
  /** Rows that the items of one statement write together; concurrent statements have none in common. */
  readonly sumsOf?: (item: Item) => readonly string[];
  /** Defines the order in which rows are locked. */
  readonly orderBy: (item: Item) => string;
  readonly lanes: readonly Lane[];
  /** Maximum items per statement. */
  readonly most: number;
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** How long an item waits for a lane, ms; then `DatabaseAway`. */
  readonly patience: number;
  /** Maximum waiting items; further ones are refused with `DatabaseAway`. */
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

  /** Rejects with the error of the statement; except for `AnswerLost`, nothing of this item was written. */
  ask(item: Item): Promise<Answer> {
    const { keysOf, sumsOf, clock, mostWaiting } = this.#options;
    if (this.#waiting.length >= mostWaiting) return Promise.reject(tooBusy());
    return new Promise((resolve, reject) => {
      const sinceMono = clock.monotonic();
      const [keys, sums] = [keysOf(item), sumsOf?.(item) ?? []];
      this.#waiting.push({ item, keys, sums, sinceMono, resolve, reject });
      // Deferred: items of one turn of the event loop go together.
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

  /** Uses another lane if one is delayed. If PostgreSQL is away, the caller gets an error in time and can retry. */
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

  /** Longest waiting first; an item whose key is busy waits for the next statement. */
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

  /** One row that PostgreSQL refuses must not fail the others: the statement is split in halves to find it. */
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

  /** PostgreSQL ends a deadlock with nothing written, so the whole statement is repeated. */
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
/** Longer than an undelayed statement, shorter than the server's lock time-out. */
export const HELD_UP_MS = 50;
