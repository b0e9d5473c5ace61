/** `relais/events`: what another service imports to hear how its operations ended. */
import { hostname } from 'node:os';
import { systemClock, toMs } from '../lib/clock.ts';
import { eventTypes } from '../kinds/index.ts';
import { systemRandom } from '../lib/random.ts';
import { NO_REDIS } from '../redis/place.ts';
import { type RedisTarget, closeConnection, openCommands } from '../redis/connections.ts';
import type { CompletionEvent } from './catalogue.ts';
import { type EventHandler, type Subscription, leave, subscribe } from './subscription.ts';

export { anEvent } from './catalogue.ts';
export type { EventDetails } from './catalogue.ts';
export { catalogue, eventTypes } from '../kinds/index.ts';
export type { EventType } from '../kinds/index.ts';
export { eventSchema, jsonSchemaOf, schemaOf } from './catalogue.ts';
export type { CompletionEvent, EventOf } from './catalogue.ts';
export { deadLettersOf } from './subscription.ts';
export { CursorTooOld } from './stream.ts';
export type { EventHandler, HandlerContext } from './subscription.ts';

export interface OnEventOptions {
  /** The Redis that relais uses: `redis://…`, or that as `url`, with the sentinels, the nodes of the cluster or the workers' REDIS_PREFIX. */
  readonly redis?: string | RedisTarget | undefined;
  /**
   * The PostgreSQL that relais uses, instead of its Redis: `postgres://…`, or that as `url`, with the workers'
   * DATABASE_SCHEMA.
   */
  readonly database?: string | DatabaseTarget | undefined;
  /** Each group sees every event; the consumers of one group share them. */
  readonly group: string;
  /** Resolves when the event is taken care of. One that throws is tried again, by any consumer of the group. */
  readonly handler: EventHandler;
  /** Stops the subscription. */
  readonly signal: AbortSignal;
  /** Tells this consumer from others of the group. Default: the host's name and the process id. */
  readonly consumer?: string;
  /** Where a new group begins. Default: with the oldest event that is kept, so that none is missed. */
  readonly from?: 'beginning' | 'now';
  /** Only these types; the others are acknowledged unseen. Default: all. */
  readonly types?: readonly CompletionEvent['type'][];
  /** The wait before each retry of an event; after the last it is put aside. Default: 10s, 1m, 5m, 30m, 2h, 6h, 12h. */
  readonly retryAfter?: readonly string[];
  /**
   * Told of a handler that threw, with its event, of a Redis that is away, and (`CursorTooOld`) of events that were
   * forgotten before this group had read them. Default: a process warning.
   */
  readonly onError?: (error: unknown, event?: CompletionEvent) => void;
}

export interface DatabaseTarget {
  readonly url: string;
  /** Default: `relais`. */
  readonly schema?: string;
  /** Off: no prepared statements, for an old pgbouncer. */
  readonly prepared?: boolean;
}

/** Of an event whose handler threw; after the last it is put aside. */
export const RETRY_AFTER = ['10s', '1m', '5m', '30m', '2h', '6h', '12h'] as const;

/**
 * Calls the handler for each event, one at a time, at least once, until the signal fires; then resolves when the
 * handler in progress is done. A Redis that is away is waited for. Throws a TypeError for wrong options.
 */
export async function onEvent(options: OnEventOptions): Promise<void> {
  const { redis: place, database, onError = warn } = options;
  if (database !== undefined && database !== '') {
    return onEventOfLedger(typeof database === 'string' ? { url: database } : database, options);
  }
  if (place === undefined || place === '') throw new TypeError(NO_REDIS);
  const choices = readOptions(options);
  const target = typeof place === 'string' ? { url: place } : place;
  const redis = openCommands(target, { name: `relais-events-${options.group}`, onError });
  try {
    await subscribe({ ...choices, redis, clock: systemClock, onError });
    await leave({ ...choices, redis });
  } catch (error) {
    // Only the farewell can throw: a Redis that is away forgets an idle consumer at no loss.
    onError(error);
  } finally {
    await closeConnection(redis);
  }
}

/** Each consumer has a name of its own, so that one that ends releases its own events alone. */
async function onEventOfLedger({ url, schema = 'relais', prepared = true }: DatabaseTarget, options: OnEventOptions) {
  const { onError = warn } = options;
  const choices = readOptions(options);
  // Only here, so that a reader of Redis loads no driver of PostgreSQL.
  const [{ Database }, { EventGroups }, ledger] = await Promise.all([
    import('../ledger/pool.ts'),
    import('../ledger/groups.ts'),
    import('../ledger/subscription.ts'),
  ]);
  const consumer = `${choices.consumer}-${systemRandom.hex(4)}`;
  const database = new Database({ url, schema, prepared, size: 2, onError });
  try {
    await ledger.subscribe({
      ...choices,
      consumer,
      groups: new EventGroups({ database }),
      clock: systemClock,
      onError,
    });
  } finally {
    await database.close();
  }
}

function readOptions(options: OnEventOptions): Omit<Subscription, 'redis' | 'clock' | 'onError'> {
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
