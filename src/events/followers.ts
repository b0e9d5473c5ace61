/**
 * Live readers of the events, which share one read of PostgreSQL. A reader that is behind reads its own pages, so
 * each reader needs memory for one page at most, and none is waited for.
 */
import type { Clock } from '../lib/clock.ts';
import type { EventStream, Placed } from '../ledger/event-stream.ts';

interface FollowersOptions {
  readonly events: Pick<EventStream, 'entries' | 'end'>;
  readonly clock: Pick<Clock, 'after' | 'sleep'>;
  /** Receives each failed read, which is repeated. */
  readonly onError: (error: unknown) => void;
}

const LOOK_EVERY_MS = 200;
const PAGE = 200;
/** Number of newest events shared by all; a reader before them reads for itself. */
const KEPT = 1_000;
/** Per key: each reader keeps a connection for as long as it wants. */
const MOST_OF_KEY = 100;

/** The newest events, read by one loop while there are readers. */
export class Followers {
  readonly #options: FollowersOptions;
  readonly #ended = new AbortController();
  readonly #waiting = new Set<() => void>();
  /** The stored events begin after this position. Undefined: there are no readers. */
  #from: string | undefined;
  #newest: readonly Placed[] = [];
  #following = 0;
  readonly #ofKey = new Map<string, number>();
  #reading = false;

  constructor(options: FollowersOptions) {
    this.#options = options;
  }

  /** Ends every reader and refuses new ones. */
  end(): void {
    this.#ended.abort();
    this.#tell();
  }

  /** Adds a reader of this key; the returned function removes it. Undefined: the key has too many. */
  enter(key: string): (() => void) | undefined {
    const count = this.#ofKey.get(key) ?? 0;
    if (count >= MOST_OF_KEY) return undefined;
    this.#ofKey.set(key, count + 1);
    return () => {
      const left = (this.#ofKey.get(key) ?? 0) - 1;
      if (left > 0) this.#ofKey.set(key, left);
      else this.#ofKey.delete(key);
    };
  }

  /** Pages of events after a position, until the signal fires; an empty page after each `everyMs` without events. */
  async *after(place: string, everyMs: number, signal: AbortSignal): AsyncGenerator<readonly Placed[]> {
    this.#following += 1;
    this.#begin();
    try {
      let at = place;
      while (!this.#isOver(signal)) {
        const page = this.#keptAfter(at) ?? (await this.#options.events.entries(at, PAGE));
        at = page.at(-1)?.place ?? at;
        if (page.length === 0) await this.#news(everyMs, signal);
        if (page.length > 0 || !this.#hasAfter(at)) yield page;
      }
    } finally {
      this.#following -= 1;
    }
  }

  #isOver(signal: AbortSignal): boolean {
    return signal.aborted || this.#ended.signal.aborted;
  }

  /** Undefined: the position is before the stored events. */
  #keptAfter(place: string): readonly Placed[] | undefined {
    if (this.#from === place) return this.#newest.slice(0, PAGE);
    const at = this.#newest.findLastIndex((one) => one.place === place);
    return at === -1 ? undefined : this.#newest.slice(at + 1, at + 1 + PAGE);
  }

  #hasAfter(place: string): boolean {
    return (this.#keptAfter(place)?.length ?? 0) > 0;
  }

  /** Resolves after new events, after the time, or when this reader ends. */
  async #news(everyMs: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const over = (): void => {
        cancel();
        this.#waiting.delete(over);
        signal.removeEventListener('abort', over);
        resolve();
      };
      const cancel = this.#options.clock.after(everyMs, over);
      this.#waiting.add(over);
      signal.addEventListener('abort', over);
      if (this.#isOver(signal)) over();
    });
  }

  #tell(): void {
    for (const over of this.#waiting) over();
  }

  #begin(): void {
    if (this.#reading) return;
    this.#reading = true;
    void this.#readWhileFollowed().finally(() => {
      this.#reading = false;
      this.#from = undefined;
      this.#newest = [];
    });
  }

  async #readWhileFollowed(): Promise<void> {
    const { clock, onError } = this.#options;
    while (this.#following > 0 && !this.#ended.signal.aborted) {
      const more = await this.#readOn().catch((error: unknown) => {
        onError(error);
        return false;
      });
      if (!more) await clock.sleep(LOOK_EVERY_MS, this.#ended.signal).catch(() => undefined);
    }
  }

  /** True if more may be ready. Begins at the end of the stream: earlier readers read for themselves. */
  async #readOn(): Promise<boolean> {
    const { events } = this.#options;
    if (this.#from === undefined) {
      this.#from = await events.end();
      // Events since the readers' own reads come before it.
      this.#tell();
    }
    const read = await events.entries(this.#newest.at(-1)?.place ?? this.#from, PAGE);
    if (read.length > 0) this.#keep(read);
    return read.length === PAGE;
  }

  #keep(read: readonly Placed[]): void {
    const all = [...this.#newest, ...read];
    this.#from = all.at(-KEPT - 1)?.place ?? this.#from;
    this.#newest = all.slice(-KEPT);
    this.#tell();
  }
}
