/** `relais/events`: for services that need the results of their operations. */
import { hostname } from 'node:os';
import { systemClock, toMs } from '../lib/clock.ts';
import { eventTypes } from '../kinds/index.ts';
import { systemRandom } from '../lib/random.ts';
import { EventGroups } from '../ledger/groups.ts';
import { Database } from '../ledger/pool.ts';
import { type HandlerContext, type Subscription, subscribe } from '../ledger/subscription.ts';
import type { CompletionEvent } from './catalogue.ts';

export { anEvent } from './catalogue.ts';
export type { EventDetails } from './catalogue.ts';
export { catalogue, eventTypes } from '../kinds/index.ts';
export type { EventType } from '../kinds/index.ts';
export { eventSchema, jsonSchemaOf, schemaOf } from './catalogue.ts';
export type { CompletionEvent, EventOf } from './catalogue.ts';
export type { HandlerContext } from '../ledger/subscription.ts';

export type EventHandler = (event: CompletionEvent, context: HandlerContext) => Promise<void> | void;

export interface OnEventOptions {
  /** The PostgreSQL of relais: `postgres://…`, or that as `url`, with the DATABASE_SCHEMA of the workers. */
  readonly database: string | DatabaseTarget | undefined;
  /** Each group receives every event; the consumers of one group share them. */
  readonly group: string;
  /** Resolves when the event is handled. If it throws, any consumer of the group retries the event. */
  readonly handler: EventHandler;
  /** Stops the subscription. */
  readonly signal: AbortSignal;
  /** Prefix of this consumer's name. Default: the host's name and the process id. */
  readonly consumer?: string;
  /** Where a new group begins. Default: with the oldest stored event, so that none is missed. */
  readonly from?: 'beginning' | 'now';
  /** Only these types; others are skipped. Default: all. */
  readonly types?: readonly CompletionEvent['type'][];
  /**
   * The wait before each retry of an event; after the last one it is a dead letter. Default: 10s, 1m, 5m, 30m, 2h,
   * 6h, 12h.
   */
  readonly retryAfter?: readonly string[];
  /** Receives the error of a handler, with its event, and errors of PostgreSQL. Default: a process warning. */
  readonly onError?: (error: unknown, event?: CompletionEvent) => void;
}

export interface DatabaseTarget {
  readonly url: string;
  /** Default: `relais`. */
  readonly schema?: string;
  /** Off: no prepared statements, for an old pgbouncer. */
  readonly prepared?: boolean;
}

/** Waits of an event whose handler threw; after the last one it is a dead letter. */
export const RETRY_AFTER = ['10s', '1m', '5m', '30m', '2h', '6h', '12h'] as const;

const NO_DATABASE =
  'database is not given: it is the PostgreSQL of relais, as postgres://user@host/relais (is DATABASE_URL set?)';

/**
 * Calls the handler for each event, one at a time, at least once, until the signal fires; then resolves when the
 * running handler has finished. Waits while PostgreSQL is away. Throws a TypeError for invalid options.
 */
export async function onEvent(options: OnEventOptions): Promise<void> {
  const { database: place, onError = warn } = options;
  if (place === undefined || place === '') throw new TypeError(NO_DATABASE);
  const { url, schema = 'relais', prepared = true } = typeof place === 'string' ? { url: place } : place;
  const choices = readOptions(options);
  // Unique, so that a consumer that stops releases only its own events.
  const consumer = `${choices.consumer}-${systemRandom.hex(4)}`;
  const database = new Database({ url, schema, prepared, size: 2, onError });
  try {
    const groups = new EventGroups({ database });
    await subscribe({ ...choices, consumer, groups, clock: systemClock, onError });
  } finally {
    await database.close();
  }
}

function readOptions(options: OnEventOptions): Omit<Subscription, 'groups' | 'clock' | 'onError'> {
  const { group, handler, signal, types, retryAfter = RETRY_AFTER, from = 'beginning' } = options;
  const consumer = options.consumer ?? `${hostname()}-${process.pid}`;
  if (!/^[\w.-]{1,100}$/.test(group)) throw new TypeError('group must be a name of letters, digits, . _ and -');
  const unknown = (types ?? []).filter((type) => !eventTypes.includes(type));
  if (unknown.length > 0)
    throw new TypeError(`${unknown.join(', ')}: no such event; they are ${eventTypes.join(', ')}`);
  if (retryAfter.length === 0) throw new TypeError('retryAfter must name at least one wait, such as 10s');
  const retryMs = retryAfter.map(toMs);
  return { group, handler, signal, consumer, from, retryMs, types: types ? new Set(types) : undefined };
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
