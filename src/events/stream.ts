/**
 * The event stream as callers read it. Events are written by the scripts that change the state they announce; here they
 * are only read and, after EVENTS_KEEP, forgotten.
 */
import type { Redis } from 'ioredis';
import { readEventData } from '../operations/event-data.ts';
import { keys } from '../operations/keys.ts';
import type { CompletionEvent } from './catalogue.ts';

export interface EventPage {
  readonly events: readonly CompletionEvent[];
  /** The cursor to go on from: the last place read. */
  readonly next: string;
}

/** The events after this cursor are partly forgotten: the caller must take stock before it goes on. */
export class CursorTooOld extends Error {
  override readonly name = 'CursorTooOld';
  readonly oldest: string;

  constructor(oldest: string) {
    super(`events up to ${oldest} are no longer kept`);
    this.oldest = oldest;
  }
}

const BEGINNING = '0-0';
export const cursorPattern = /^\d{1,15}-\d{1,10}$/;

export class EventStream {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Events after the cursor, in the order they happened. With `types`, others are stepped over. */
  async read(after: string | undefined, limit: number, types?: ReadonlySet<string>): Promise<EventPage> {
    const from = after ?? BEGINNING;
    if (from !== BEGINNING) await this.#refuseForgotten(from);
    const events: CompletionEvent[] = [];
    let next = from;
    // A bounded number of steps a call: a filter that matches nothing must not read the whole stream at once.
    for (let step = 0; step < 10 && events.length < limit; step += 1) {
      const entries = await this.#redis.xrange(keys.events, `(${next}`, '+', 'COUNT', limit - events.length);
      for (const [cursor, flat] of entries) {
        next = cursor;
        const event = readEvent(flat);
        if (!types || types.has(event.type)) events.push(event);
      }
      if (entries.length === 0) break;
    }
    return { events, next };
  }

  /** Events after a place, with their places, as many as there are at most. */
  async entries(after: string, limit: number): Promise<{ place: string; event: CompletionEvent }[]> {
    const entries = await this.#redis.xrange(keys.events, `(${after}`, '+', 'COUNT', limit);
    return entries.map(([place, flat]) => ({ place, event: readEvent(flat) }));
  }

  /** The event at a place; undefined when it is no longer kept. */
  async at(place: string): Promise<CompletionEvent | undefined> {
    const [entry] = await this.#redis.xrange(keys.events, place, place);
    return entry ? readEvent(entry[1]) : undefined;
  }

  /** Forgets events older than `keepMs`. */
  async trim(nowMs: number, keepMs: number): Promise<void> {
    await this.#redis.xtrim(keys.events, 'MINID', '~', String(Math.max(0, nowMs - keepMs)));
  }

  async #refuseForgotten(cursor: string): Promise<void> {
    const [[oldest] = []] = await this.#redis.xrange(keys.events, '-', '+', 'COUNT', 1);
    if (oldest !== undefined && isBefore(cursor, oldest) && (await this.#hasForgotten()))
      throw new CursorTooOld(oldest);
  }

  async #hasForgotten(): Promise<boolean> {
    const info = (await this.#redis.xinfo('STREAM', keys.events)) as unknown[];
    const value = (name: string): unknown => info[info.indexOf(name) + 1];
    return Number(value('entries-added')) > Number(value('length'));
  }
}

function isBefore(a: string, b: string): boolean {
  const [aMs = 0, aSeq = 0] = a.split('-').map(Number);
  const [bMs = 0, bSeq = 0] = b.split('-').map(Number);
  return aMs < bMs || (aMs === bMs && aSeq < bSeq);
}

export function readEvent(flat: readonly string[]): CompletionEvent {
  const fields: Record<string, string> = {};
  for (let index = 0; index + 1 < flat.length; index += 2) fields[flat[index] ?? ''] = flat[index + 1] ?? '';
  return {
    id: `${fields['op']}.${fields['seq']}`,
    type: fields['type'] as CompletionEvent['type'],
    timestamp: new Date(Number(fields['at'])).toISOString(),
    sequence: Number(fields['seq']),
    account: fields['account'] ?? '',
    data: readEventData(fields) as CompletionEvent['data'],
  };
}
