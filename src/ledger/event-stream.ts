/** Published events for readers: by position, in pages, and by id. */
import type { EventType } from '../kinds/index.ts';
import { CursorAhead, CursorTooOld, UnreadableEvent } from '../lib/cursors.ts';
import type { Database } from './pool.ts';

/** An event for callers; `CompletionEvent` of `events/`. */
export type StoredEvent = {
  readonly [name: string]: unknown;
  id: string;
  type: EventType;
  timestamp: string;
  sequence: number;
  account: string;
  data: { [name: string]: unknown; id: string; state?: string | undefined; reference?: string | undefined };
};

interface Page {
  readonly events: readonly StoredEvent[];
  /** Cursor of the next page. */
  readonly next: string;
  /** More events may follow, however few this page has. */
  readonly more: boolean;
}

export interface Placed {
  readonly place: string;
  readonly event: StoredEvent;
}

/** An event without its data, which may be unreadable. */
export interface PlacedHead extends Pick<StoredEvent, 'id' | 'type' | 'account'> {
  readonly place: string;
}

interface Head {
  readonly epoch: number;
  readonly position: string;
  readonly id: string;
  readonly account: string;
  readonly type: EventType;
}

interface Row extends Head {
  readonly data: unknown;
  readonly at: Date;
}

interface State {
  readonly epoch: number;
  readonly position: string;
  readonly trimmed: string;
  readonly oldest: string | null;
}

const BEGINNING = '0-0';
/** Most events are filtered out, so this many are read even for a small page. */
const FILTERED_AT_ONCE = 100;
const STEPS = 10;
const TRIMMED_AT_ONCE = 5_000;
/** The sequence grows by this much with each recovery: versions of the data-loss window may be used again. */
const SEQUENCES_LOST = 1_000;

/**
 * Epoch and position: a cursor of an earlier epoch is refused, because the recovery may have removed events that it
 * has read.
 */
const placeIn = ({ epoch, position }: Pick<Head, 'epoch' | 'position'>): string => `${epoch}-${position}`;

export class EventStream {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /** Events after the cursor, oldest first. Unwanted events are skipped. */
  async read(after: string | undefined, limit: number, isWanted?: (event: StoredEvent) => boolean): Promise<Page> {
    let next = await this.placeOf(after);
    const events: StoredEvent[] = [];
    let more = true;
    // A bounded number of steps: a filter that matches nothing must not read the whole stream in one call.
    for (let step = 0; step < STEPS && more && events.length < limit; step += 1) {
      const most = isWanted ? Math.max(limit, FILTERED_AT_ONCE) : limit;
      const rows = await this.#after(next, most);
      for (const row of rows) {
        next = placeIn(row);
        const event = eventOf(row);
        if (!isWanted || isWanted(event)) events.push(event);
        if (events.length === limit) break;
      }
      const last = rows.at(-1);
      more = rows.length === most || (events.length === limit && last !== undefined && next !== placeIn(last));
    }
    return { events, next: this.cursorOf(next), more };
  }

  /** The position of a cursor. Throws CursorAhead and CursorTooOld. */
  async placeOf(cursor: string | undefined): Promise<string> {
    const state = await this.#state();
    if (cursor === undefined || cursor === BEGINNING) return placeIn({ ...state, position: '0' });
    const [epoch, position] = cursor.split('-').map(Number);
    const oldest = state.oldest === null ? undefined : placeIn({ ...state, position: state.oldest });
    if (epoch !== state.epoch || position === undefined || position > Number(state.position)) {
      throw new CursorAhead(oldest, String(state.epoch));
    }
    if (position < Number(state.trimmed)) throw new CursorTooOld(oldest);
    return cursor;
  }

  /** The position of the newest event. */
  async end(): Promise<string> {
    return placeIn(await this.#state());
  }

  /** Events after a position, with their positions. */
  async entries(after: string, limit: number): Promise<Placed[]> {
    return (await this.#after(after, limit)).map((row) => ({ place: placeIn(row), event: eventOf(row) }));
  }

  /** Events without their data, so that a damaged event is included. */
  async heads(after: string, limit: number): Promise<PlacedHead[]> {
    return (await this.#after(after, limit)).map(headOf);
  }

  /** The event at a position, and the trace of its operation; undefined: deleted. Throws UnreadableEvent. */
  async at(place: string): Promise<{ readonly event: StoredEvent; readonly trace?: string } | undefined> {
    const [row] = await this.#database.run<Row & { trace: string | null }>('event_at', [positionOf(place)]);
    if (row === undefined) return undefined;
    return { event: eventOf(row), ...(row.trace === null ? {} : { trace: row.trace }) };
  }

  /** By the id of an event, among the newest `most`. */
  async find(id: string, most: number): Promise<PlacedHead | undefined> {
    const [row] = await this.#database.run<Head>('find_event', [subjectOf(id), id, most]);
    return row && headOf(row);
  }

  /** The position before the first event since a time, ms since the epoch. */
  async before(sinceMs: number): Promise<string> {
    const [row] = await this.#database.run<Head>('position_before', [new Date(sinceMs)]);
    return row ? placeIn(row) : BEGINNING;
  }

  /**
   * Deletes events older than `keepMs` that no group and no delivery needs any more. Whole months are dropped as
   * partitions elsewhere. `now` is for tests.
   */
  async trim(keepMs: number, now?: Date): Promise<void> {
    await this.#database.run('trim_events', [keepMs, now]);
    let deleted: readonly unknown[];
    do deleted = await this.#database.run('delete_trimmed', [TRIMMED_AT_ONCE]);
    while (deleted.length === TRIMMED_AT_ONCE);
  }

  cursorOf(place: string): string {
    return place.endsWith('-0') ? BEGINNING : place;
  }

  async #after(place: string, limit: number): Promise<readonly Row[]> {
    return this.#database.run<Row>('events_after', [positionOf(place), limit]);
  }

  async #state(): Promise<State> {
    const [state] = await this.#database.run<State>('stream_state');
    if (state === undefined) throw new Error('the ledger has no deployment');
    return state;
  }
}

/** Throws UnreadableEvent. */
export function eventOf({ epoch, position, id, account, type, data, at }: Row): StoredEvent {
  if (!isData(data)) throw new UnreadableEvent(placeIn({ epoch, position }), new TypeError('its data is no object'));
  return { id, type, timestamp: at.toISOString(), sequence: sequenceOf(id), account, data };
}

const isData = (data: unknown): data is StoredEvent['data'] =>
  typeof data === 'object' && data !== null && 'id' in data && typeof data.id === 'string';

const headOf = (row: Head): PlacedHead => ({
  place: placeIn(row),
  id: row.id,
  type: row.type,
  account: row.account,
});

export const positionOf = (place: string): string => place.slice(place.indexOf('-') + 1);

const subjectOf = (id: string): string => id.slice(0, Math.max(0, id.indexOf('.')));

/** `dsb_….3`, and after a recovery `dsb_….3.2` with the epoch. */
function sequenceOf(id: string): number {
  const [, version, epoch = 1] = id.split('.').map(Number);
  return (version ?? 1) + SEQUENCES_LOST * (epoch - 1);
}
