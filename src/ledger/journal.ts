/**
 * The journal in Redis of requests that were about to leave, and of acts that a restored backup must not undo. A
 * restored ledger is completed from it. Best effort: without Redis nothing waits, and the gap is visible.
 */
import type { Redis } from 'ioredis';
import { type Clock, within } from '../lib/clock.ts';

type Json = Readonly<Record<string, unknown>>;

/** An operation whose request was about to leave, with the data to record it again. */
export interface JournalItem extends Json {
  readonly id: string;
  readonly kind: string;
}

export interface Intended {
  readonly is: 'intended';
  readonly lane: string;
  readonly epoch: number;
  /** Nothing left on this lane between this counter and `counter`. */
  readonly after: string;
  readonly counter: string;
  readonly items: readonly JournalItem[];
}

export interface Acted {
  readonly is: 'acted';
  readonly process: string;
  /** Counted by each process from 1. */
  readonly n: number;
  /** The number of the previous act, whether its entry was written or not; absent: there was none. */
  readonly before?: number;
  readonly kind: string;
  readonly facts: Json;
}

/** `at`: ms since the epoch, by the clock of Redis. */
export type Entry = (Intended | Acted) & { readonly at: number };

interface JournalOptions {
  readonly redis: Redis;
  /** The id of the deployment, known from the first beat: a ledger reads no other journal. */
  readonly deployment: () => string | undefined;
  readonly process: string;
  readonly clock: Clock;
  /** The journal misses an entry: reported at the start of each gap. */
  readonly onHole: (error: unknown) => void;
}

/** The longest delay of a payment by an entry. */
const WAIT_MS = 100;
export const KEPT_MS = 72 * 3_600_000;
const ENTRIES_MOST = 1_000_000;
const TRIM_EVERY = 10_000;
const READ_AT_ONCE = 500;
const TAIL = 200;
const keyOf = (deployment: string): string => `journal:${deployment}`;
const FIELD = 'entry';

export class Journal {
  readonly #options: JournalOptions;
  /** By lane: the last counter up to which every request that left has an entry, or after which a gap begins. */
  readonly #after = new Map<string, string>();
  readonly #sent = new Map<string, string>();
  #acts = 0;
  #lastActAt: number | undefined;
  #isHole = false;
  #untilTrim = TRIM_EVERY;

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  /**
   * Called between the commit of an intent and the first byte. `counter`: the lane's counter at that commit. Never
   * rejects: a committed request leaves.
   */
  async intended(
    at: { readonly lane: string; readonly epoch: number; readonly counter: string },
    items: readonly JournalItem[],
  ): Promise<void> {
    if (items.length === 0) return;
    const { lane, counter } = at;
    const entry: Intended = { is: 'intended', ...at, after: this.#after.get(lane) ?? '0', items };
    // The next entry begins here even after a failure: a gap remains visible.
    this.#after.set(lane, counter);
    this.#sent.set(lane, counter);
    await this.#add(entry);
  }

  /** Called after the commit of an act, before the answer. Never rejects. */
  async act(kind: string, facts: Json): Promise<void> {
    this.#acts += 1;
    const before = this.#lastActAt;
    this.#lastActAt = this.#options.clock.now();
    await this.#add({
      is: 'acted',
      process: this.#options.process,
      n: this.#acts,
      kind,
      facts,
      ...(before === undefined ? {} : { before }),
    });
  }

  /** The last counter of a lane with a request that left; undefined: none left. */
  sentOn(lane: string): string | undefined {
    return this.#sent.get(lane);
  }

  /** The number of acts counted by this process, and the time of the last one; undefined: none. */
  get lastAct(): { readonly n: number; readonly at: number } | undefined {
    return this.#lastActAt === undefined ? undefined : { n: this.#acts, at: this.#lastActAt };
  }

  async #add(entry: Intended | Acted): Promise<void> {
    const { redis, deployment, clock, onHole } = this.#options;
    try {
      const own = deployment();
      if (own === undefined || redis.status !== 'ready') throw new JournalAway();
      const oldest = String(clock.now() - KEPT_MS);
      const added = redis.xadd(keyOf(own), 'MINID', '~', oldest, '*', FIELD, JSON.stringify(entry));
      await within({ clock, ms: WAIT_MS, late: () => new JournalAway() }, added);
      this.#isHole = false;
      await this.#trim(own);
    } catch (error) {
      if (!this.#isHole) onHole(error);
      this.#isHole = true;
    }
  }

  async #trim(deployment: string): Promise<void> {
    this.#untilTrim -= 1;
    if (this.#untilTrim > 0) return;
    this.#untilTrim = TRIM_EVERY;
    const { redis } = this.#options;
    await redis.xtrim(keyOf(deployment), 'MAXLEN', '~', ENTRIES_MOST);
  }
}

class JournalAway extends Error {
  override readonly name = 'JournalAway';

  constructor() {
    super('Redis did not take the entry in time');
  }
}

/** Every entry, oldest first. Rejects if Redis is unreadable. Unreadable entries are skipped. */
export async function* readJournal(redis: Redis, deployment: string): AsyncGenerator<Entry> {
  for (let from = '-'; ; ) {
    const page = await redis.xrange(keyOf(deployment), from, '+', 'COUNT', READ_AT_ONCE);
    for (const [id, fields] of page) {
      const entry = readEntry(fields[1] ?? '');
      if (entry !== undefined) yield { ...entry, at: Number(id.split('-')[0]) };
    }
    const last = page.at(-1)?.[0];
    if (last === undefined || page.length < READ_AT_ONCE) return;
    from = `(${last}`;
  }
}

/** The newest intents: a process that was killed may have written them only to the journal. */
export async function newestIntents(
  redis: Redis,
  deployment: string,
): Promise<readonly (Intended & { at: number })[]> {
  const page = await redis.xrevrange(keyOf(deployment), '+', '-', 'COUNT', TAIL);
  return page.flatMap(([id, fields]) => {
    const entry = readEntry(fields[1] ?? '');
    return entry?.is === 'intended' ? [{ ...entry, at: Number(id.split('-')[0]) }] : [];
  });
}

function readEntry(text: string): Intended | Acted | undefined {
  try {
    return JSON.parse(text) as Intended | Acted;
  } catch {
    return undefined;
  }
}
