/** `relais/events`: for services that need the results of their operations. */
import { hostname } from 'node:os';
import { type ClientOptions, lineOf } from '../client/client.ts';
import { systemClock, toMs } from '../lib/clock.ts';
import { eventTypes } from '../kinds/index.ts';
import { systemRandom } from '../lib/random.ts';
import { EventGroups } from '../ledger/groups.ts';
import { Database } from '../ledger/pool.ts';
import { type HandlerContext, subscribe } from '../ledger/subscription.ts';
import type { CompletionEvent } from './catalogue.ts';
import { type CursorStore, followOverHttp } from './over-http.ts';

export { anEvent } from './catalogue.ts';
export type { EventDetails } from './catalogue.ts';
export { catalogue, eventTypes } from '../kinds/index.ts';
export type { EventType } from '../kinds/index.ts';
export { eventSchema, jsonSchemaOf, schemaOf } from './catalogue.ts';
export type { CompletionEvent, EventOf } from './catalogue.ts';
export { NoAnswer, Refused } from '../client/refusal.ts';
export type { HandlerContext } from '../ledger/subscription.ts';
export type { CursorStore } from './over-http.ts';

export type EventHandler = (event: CompletionEvent, context: HandlerContext) => Promise<void> | void;

interface Hearing {
  /** Resolves when the event is taken care of. One that throws is tried again. */
  readonly handler: EventHandler;
  /** Stops the subscription. */
  readonly signal: AbortSignal;
  /** Where to begin without a position. Default: with the oldest event that is stored, so that none is missed. */
  readonly from?: 'beginning' | 'now';
  /** Only these types; the others are passed over. Default: all. */
  readonly types?: readonly CompletionEvent['type'][];
  /**
   * The wait before each retry of an event. From the database, an event is a dead letter after the last; default: 10s, 1m,
   * 5m, 30m, 2h, 6h, 12h. Over HTTP the last one repeats, and the event holds up those behind it; default: 10s, 1m, 5m.
   */
  readonly retryAfter?: readonly string[];
  /** Receives the error of a handler, with its event, and of a relais that is away. Default: a process warning. */
  readonly onError?: (error: unknown, event?: CompletionEvent) => void;
}

/** Positions and dead letters are tables of relais. */
export interface EventsFromDatabase extends Hearing {
  /** The PostgreSQL of relais: `postgres://…`, or that as `url`, with the DATABASE_SCHEMA of the workers. */
  readonly database: string | DatabaseTarget | undefined;
  /** Each group receives every event; the consumers of one group share them. */
  readonly group: string;
  /** Begins the name of this consumer. Default: the host's name and the process id. */
  readonly consumer?: string;
}

/** One consumer, whose position the caller stores. */
export interface EventsOverHttp extends Hearing, Pick<ClientOptions, 'url' | 'key' | 'keyFile'> {
  readonly cursor: CursorStore;
}

export type OnEventOptions = EventsFromDatabase | EventsOverHttp;

export interface DatabaseTarget {
  readonly url: string;
  /** Default: `relais`. */
  readonly schema?: string;
  /** Off: no prepared statements, for an old pgbouncer. */
  readonly prepared?: boolean;
}

/** Waits of an event whose handler threw; after the last one it is a dead letter. */
export const RETRY_AFTER = ['10s', '1m', '5m', '30m', '2h', '6h', '12h'] as const;
/** Over HTTP an event holds up those behind it. */
export const RETRY_AFTER_OVER_HTTP = ['10s', '1m', '5m'] as const;

const NO_DATABASE =
  'database is not given: it is the PostgreSQL of relais, as postgres://user@host/relais (is DATABASE_URL set?)';
const NO_CURSOR = 'cursor is not given: over HTTP it is { read, write }, which store how far the handler has come';

/**
 * Calls the handler for each event, one at a time, at least once, until the signal fires; then resolves when the
 * running handler has finished. Waits while relais is away. Throws a TypeError for invalid options, and over HTTP
 * `Refused` for a key that may not read events, or a cursor that is too old.
 */
export async function onEvent(options: OnEventOptions): Promise<void> {
  if ('url' in options) return onEventOverHttp(options);
  const { database: place, group, onError = warn } = options;
  if (place === undefined || place === '') throw new TypeError(NO_DATABASE);
  const { url, schema = 'relais', prepared = true } = typeof place === 'string' ? { url: place } : place;
  if (!/^[\w.-]{1,100}$/.test(group)) throw new TypeError('group must be a name of letters, digits, . _ and -');
  const { types, ...choices } = readHearing(options, RETRY_AFTER);
  // Unique, so that a consumer that stops releases only its own events.
  const consumer = `${options.consumer ?? `${hostname()}-${process.pid}`}-${systemRandom.hex(4)}`;
  const database = new Database({ url, schema, prepared, size: 2, onError });
  try {
    const groups = new EventGroups({ database });
    const wanted = types && new Set(types);
    await subscribe({ ...choices, types: wanted, group, consumer, groups, clock: systemClock });
  } finally {
    await database.close();
  }
}

async function onEventOverHttp(options: EventsOverHttp): Promise<void> {
  const { cursor } = options as Partial<EventsOverHttp>;
  if (typeof cursor?.read !== 'function' || typeof cursor.write !== 'function') throw new TypeError(NO_CURSOR);
  const line = lineOf(options, systemClock, systemRandom);
  await followOverHttp({ ...readHearing(options, RETRY_AFTER_OVER_HTTP), line, cursor, clock: systemClock });
}

function readHearing(options: Hearing, waits: readonly string[]) {
  const { handler, signal, types, retryAfter = waits, from = 'beginning', onError = warn } = options;
  const unknown = (types ?? []).filter((type) => !eventTypes.includes(type));
  if (unknown.length > 0)
    throw new TypeError(`${unknown.join(', ')}: no such event; they are ${eventTypes.join(', ')}`);
  if (retryAfter.length === 0) throw new TypeError('retryAfter must name at least one wait, such as 10s');
  return { handler, signal, types, from, onError, retryMs: retryAfter.map(toMs) };
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
