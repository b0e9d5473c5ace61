/**
 * Readers that follow the events as they come, with one read of PostgreSQL for all of them. A reader that is behind
 * reads a page at a time for itself, so none costs more memory than a page, and none is waited for.
 */
import type { Clock } from '../lib/clock.ts';
import type { EventStream, Placed } from '../ledger/event-stream.ts';

interface FollowersOptions {
  readonly events: Pick<EventStream, 'entries' | 'end'>;
  readonly clock: Pick<Clock, 'after' | 'sleep'>;
  /** Told of each read that failed; it is made again. */
  readonly onError: (error: unknown) => void;
}

const LOOK_EVERY_MS = 200;
const PAGE = 200;
/** So many of the newest are kept for all; a reader that stands before them reads for itself. */
const KEPT = 1_000;
/** Of one key: each has a connection for as long as it likes, and others need some too. */
const MOST_OF_KEY = 100;

/** The newest events, read once while anybody follows. */
export class Followers {
  readonly #options: FollowersOptions;
  readonly #ended = new AbortController();
  readonly #waiting = new Set<() => void>();
  /** What is kept begins behind this place. Undefined: nobody follows. */
  #from: string | undefined;
  #newest: readonly Placed[] = [];
  #following = 0;
  readonly #ofKey = new Map<string, number>();
  #reading = false;

  constructor(options: FollowersOptions) {
    this.#options = options;
  }

  /** Every reader is let go, and none comes any more. */
  end(): void {
    this.#ended.abort();
    this.#tell();
  }

  /** One more of this key; the function that is returned ends it. Undefined: it follows often enough. */
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

  /** Pages of what comes after a place, until the signal fires; an empty one each `everyMs` in which nothing came. */
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

  /** Undefined: it stands before what is kept. */
  #keptAfter(place: string): readonly Placed[] | undefined {
    if (this.#from === place) return this.#newest.slice(0, PAGE);
    const at = this.#newest.findLastIndex((one) => one.place === place);
    return at === -1 ? undefined : this.#newest.slice(at + 1, at + 1 + PAGE);
  }

  #hasAfter(place: string): boolean {
    return (this.#keptAfter(place)?.length ?? 0) > 0;
  }

  /** Resolves when something came, when the time is over, or when it is over for this one. */
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

  /** True where there may be more at once. It begins at the end: a reader that stands before that reads for itself. */
  async #readOn(): Promise<boolean> {
    const { events } = this.#options;
    if (this.#from === undefined) {
      this.#from = await events.end();
      // What came since they looked for themselves stands before it.
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
