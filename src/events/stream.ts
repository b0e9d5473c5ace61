/**
 * The event stream as callers read it. Events are written by the scripts that change the state they announce; here they
 * are only read and, after EVENTS_KEEP, forgotten.
 */
import type { Redis } from 'ioredis';
import { CursorAhead, CursorTooOld, UnreadableEvent } from '../lib/cursors.ts';
import { fingerprint, isAfter } from '../lib/ids.ts';
import { readEventData } from '../operations/transition.ts';
import { keys } from '../operations/keys.ts';
import { timeOf } from '../redis/clock.ts';
import { items } from '../redis/scripts.ts';
import type { CompletionEvent } from './catalogue.ts';

export { CursorAhead, CursorTooOld, UnreadableEvent } from '../lib/cursors.ts';

export interface EventPage {
  readonly events: readonly CompletionEvent[];
  /** The cursor to go on from: the last place read. */
  readonly next: string;
  /** The end was not reached, so that there may be more by now, however few these are. */
  readonly more: boolean;
}

/** An event, and where it stands in the stream. */
export interface Placed {
  readonly place: string;
  readonly event: CompletionEvent;
}

/** What is known of an event whether or not its data can be read. */
export interface PlacedHead extends Pick<CompletionEvent, 'id' | 'type' | 'account'> {
  readonly place: string;
}

export type Wanted = (event: CompletionEvent) => boolean;

const BEGINNING = '0-0';
/** The highest number that Redis gives within a millisecond. */
const LAST_IN_MS = '18446744073709551615';
/** Where most are stepped over, so many are read at a time however few are asked for. */
const FILTERED_AT_ONCE = 100;
const SOUGHT_AT_ONCE = 1_000;
/** The place of an event, and in a cursor that was given with a page also the epoch and a proof that it was. */
export const cursorPattern = /^\d{1,15}-\d{1,10}(?:\.[\w-]{16})?$/;

export interface EventStreamOptions {
  readonly redis: Redis;
  /** The epoch in which this process is at work; '' as long as it does not know. */
  readonly epoch?: () => string;
  /**
   * How far the events are where a failover cannot lose them, looked at anew for this place. Absent: as far as they go.
   * A reader that was told of one that is then lost would stand beyond those that come after it, and never see them.
   */
  readonly keptUpTo?: (place: string) => Promise<string>;
  /** Told of a place that was given to a reader, and that the stream has not come to. */
  readonly onLost?: (place: string) => void;
}

export class EventStream {
  readonly #redis: Redis;
  readonly #epoch: () => string;
  readonly #onLost: (place: string) => void;
  readonly #keptUpTo: (place: string) => Promise<string>;

  constructor({ redis, epoch = () => '', onLost = () => undefined, keptUpTo }: EventStreamOptions) {
    this.#redis = redis;
    this.#keptUpTo = keptUpTo ?? (async (place) => place);
    this.#epoch = epoch;
    this.#onLost = onLost;
  }

  /** Events after the cursor, in the order they happened. Those that are not wanted are stepped over. */
  async read(after: string | undefined, limit: number, isWanted?: Wanted): Promise<EventPage> {
    const from = await this.placeOf(after);
    const events: CompletionEvent[] = [];
    let next = from;
    let more = true;
    // A bounded number of steps a call: a filter that matches nothing must not read the whole stream at once.
    for (let step = 0; step < 10 && more && events.length < limit; step += 1) {
      const most = isWanted ? Math.max(limit, FILTERED_AT_ONCE) : limit;
      const entries = await this.#after(next, most);
      for (const [cursor, flat] of entries) {
        next = cursor;
        const event = readAt(cursor, flat);
        if (!isWanted || isWanted(event)) events.push(event);
        if (events.length === limit) break;
      }
      // A full page may have left some of them.
      more = entries.length === most || (events.length === limit && next !== entries.at(-1)?.[0]);
    }
    return { events, next: this.cursorOf(next), more };
  }

  /** Where a cursor leads. Throws CursorAhead and CursorTooOld. */
  async placeOf(cursor: string | undefined): Promise<string> {
    const [place = BEGINNING, seal] = (cursor ?? BEGINNING).split('.');
    if (place === BEGINNING) return place;
    await this.#refuseAhead(place, seal);
    await this.#refuseForgotten(place);
    return place;
  }

  /** The place behind everything that there is by now. */
  async end(): Promise<string> {
    if ((await this.#redis.exists(keys.events)) === 0) return BEGINNING;
    return this.#keptUpTo(String((await this.#info())('last-generated-id')));
  }

  /** Events after a place, with their places, as many as there are at most. */
  async entries(after: string, limit: number): Promise<Placed[]> {
    return (await this.#after(after, limit)).map(([place, line]) => ({ place, event: readAt(place, line) }));
  }

  /** The same, of what nobody reads yet: one that is damaged is among them as the others are. */
  async heads(after: string, limit: number): Promise<PlacedHead[]> {
    return (await this.#after(after, limit)).map(([place, line]) => ({ place, ...headOf(line) }));
  }

  /** The same as they stand there, names and values in turns: one that is damaged is read as the others are. */
  async lines(after: string, limit: number): Promise<{ readonly place: string; readonly line: readonly string[] }[]> {
    return (await this.#after(after, limit)).map(([place, line]) => ({ place, line }));
  }

  /** The event at a place, and the mark of its trace; undefined when it is no longer kept. Throws UnreadableEvent. */
  async at(place: string): Promise<{ readonly event: CompletionEvent; readonly trace?: string } | undefined> {
    const [[, flat] = []] = await this.#redis.xrange(keys.events, place, place);
    if (flat === undefined) return undefined;
    const trace = entryOf(flat)['trace'];
    return { event: readAt(place, flat), ...(trace === undefined ? {} : { trace }) };
  }

  /** By the id of an event, looked for from the newest on. Undefined: it is not, or no longer, among so many. */
  async find(id: string, most: number): Promise<PlacedHead | undefined> {
    let before = '+';
    for (let looked = 0; looked < most; looked += SOUGHT_AT_ONCE) {
      const entries = await this.#redis.xrevrange(keys.events, before, '-', 'COUNT', SOUGHT_AT_ONCE);
      const found = entries.find(([, flat]) => headOf(flat).id === id);
      if (found) return { place: found[0], ...headOf(found[1]) };
      if (entries.length < SOUGHT_AT_ONCE) return undefined;
      before = `(${entries.at(-1)?.[0]}`;
    }
    return undefined;
  }

  /** The place behind which the events since a time begin, ms since the epoch. */
  async before(sinceMs: number): Promise<string> {
    return `${Math.max(0, sinceMs - 1)}-${LAST_IN_MS}`;
  }

  /**
   * Forgets events older than `keepMs` by the clock that gave them their places: that of one machine may be far ahead.
   * Redis takes so many a call that it holds up nobody, so it is asked until there are no more.
   */
  async trim(keepMs: number): Promise<void> {
    const oldest = String(Math.max(0, (await timeOf(this.#redis)) - keepMs));
    let forgotten: number;
    do forgotten = await this.#redis.xtrim(keys.events, 'MINID', '~', oldest);
    while (forgotten > 0);
  }

  async #after(place: string, limit: number): Promise<[place: string, fields: string[]][]> {
    const entries = await this.#redis.xrange(keys.events, `(${place}`, '+', 'COUNT', limit);
    const [last] = entries.at(-1) ?? [];
    if (last === undefined) return [];
    const upTo = await this.#keptUpTo(last);
    return entries.filter(([one]) => !isAfter(one, upTo));
  }

  /** A cursor proves that it was given in this epoch: its last letters are made of the epoch as a whole. */
  cursorOf(place: string): string {
    const epoch = this.#epoch();
    return epoch === '' || place === BEGINNING ? place : `${place}.${sealOf(epoch, place)}`;
  }

  async #refuseAhead(place: string, seal: string | undefined): Promise<void> {
    const epoch = this.#epoch();
    const ofAnotherEpoch = seal !== undefined && epoch !== '' && !seal.startsWith(nameOf(epoch));
    if (!ofAnotherEpoch && !(await this.#isAhead(place))) return;
    // Anybody may ask for a place that never was; only what was given here is a sign of loss.
    if (seal !== undefined && epoch !== '' && seal === sealOf(epoch, place)) this.#onLost(place);
    const [[oldest] = []] = await this.#redis.xrange(keys.events, '-', '+', 'COUNT', 1);
    throw new CursorAhead(oldest, nameOf(epoch));
  }

  /** The stream has never come so far. Its newest event may have been taken out with a person: the last id stays. */
  async #isAhead(place: string): Promise<boolean> {
    const [[newest] = []] = await this.#redis.xrevrange(keys.events, '+', '-', 'COUNT', 1);
    if (newest !== undefined && !isAfter(place, newest)) return false;
    if ((await this.#redis.exists(keys.events)) === 0) return isAfter(place, BEGINNING);
    return isAfter(place, String((await this.#info())('last-generated-id')));
  }

  async #refuseForgotten(cursor: string): Promise<void> {
    const [[oldest] = []] = await this.#redis.xrange(keys.events, '-', '+', 'COUNT', 1);
    if (oldest !== undefined && !isAfter(oldest, cursor)) return;
    const info = await this.#info();
    const hasForgotten = Number(info('entries-added')) > Number(info('length'));
    // Where none is kept, those that this reader has not seen are forgotten too.
    const next = oldest ?? String(info('last-generated-id'));
    if (hasForgotten && isAfter(next, cursor)) throw new CursorTooOld(oldest);
  }

  async #info(): Promise<(name: string) => unknown> {
    return namesOf(await this.#redis.xinfo('STREAM', keys.events));
  }
}

/** What Redis tells as names and values in turn. */
export function namesOf(told: unknown): (name: string) => unknown {
  const info = items(told);
  return (name) => {
    const place = info.findIndex((word, at) => at % 2 === 0 && word === name);
    return place < 0 ? undefined : info[place + 1];
  };
}

/** What an epoch is called in public. */
function nameOf(epoch: string): string {
  return epoch === '' ? '' : fingerprint(epoch).slice(0, 8);
}

function sealOf(epoch: string, place: string): string {
  return nameOf(epoch) + fingerprint(`${epoch}\n${place}`).slice(0, 8);
}

function entryOf(flat: readonly string[]): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (let index = 0; index + 1 < flat.length; index += 2) fields[flat[index] ?? ''] = flat[index + 1] ?? '';
  return fields;
}

function headOf(flat: readonly string[]): Omit<PlacedHead, 'place'> {
  const { op, seq, type, account = '' } = entryOf(flat);
  return { id: `${op}.${seq}`, type: type as CompletionEvent['type'], account };
}

function readAt(place: string, flat: readonly string[]): CompletionEvent {
  try {
    return readEvent(flat);
  } catch (error) {
    throw new UnreadableEvent(place, error);
  }
}

export function readEvent(flat: readonly string[]): CompletionEvent {
  const fields = entryOf(flat);
  return {
    ...headOf(flat),
    timestamp: new Date(Number(fields['at'])).toISOString(),
    sequence: Number(fields['seq']),
    data: readEventData(fields) as CompletionEvent['data'],
  };
}
