/**
 * One consumer of a consumer group on the event stream. An event is acknowledged after its handler, so one whose
 * consumer died is handled by another: at least once, and the id tells when it is again.
 *
 *   overdue (a handler failed, a consumer died) ──▶ new ──▶ handler ──▶ acknowledged
 *                                                              └─ too many tries ──▶ dead letters
 */
import type { Redis } from 'ioredis';
import type { Clock } from '../lib/clock.ts';
import { isAfter } from '../lib/ids.ts';
import { readEventData } from '../operations/transition.ts';
import { keys } from '../operations/keys.ts';
import { fieldsOf } from '../operations/record.ts';
import { waitUntilReady, DEFAULT_PREFIX } from '../redis/connections.ts';
import { items, list, number, optional, text } from '../redis/scripts.ts';
import { leaveGroup } from '../redis/scripts/generated/scripts.ts';
import type { CompletionEvent } from './catalogue.ts';
import { CursorTooOld, namesOf, readEvent } from './stream.ts';

/** What a handler is told beside the event. */
export interface HandlerContext {
  /** 1 for the first time that this group handles the event. */
  readonly tries: number;
  /** Fires when the subscription is to stop; the handler is waited for all the same. */
  readonly signal: AbortSignal;
}

export type EventHandler = (event: CompletionEvent, context: HandlerContext) => Promise<void> | void;

export interface Subscription {
  readonly redis: Redis;
  readonly clock: Clock;
  readonly group: string;
  readonly consumer: string;
  readonly from: 'beginning' | 'now';
  readonly types: ReadonlySet<string> | undefined;
  /** The wait before each retry; their number is the number of retries. */
  readonly retryMs: readonly number[];
  readonly handler: EventHandler;
  readonly signal: AbortSignal;
  /** Told of a handler that threw, with its event, of a Redis that is away, and of events that are gone unread. */
  readonly onError: (error: unknown, event?: CompletionEvent) => void;
}

/** How long one read waits for an event. Far below the time-out of commands: a quiet stream is no dead Redis. */
const WAIT_MS = 1_000;
const AT_A_TIME = 50;
const PAUSE_MS = 500;

interface Delivery {
  readonly place: string;
  readonly fields: readonly string[];
  readonly tries: number;
}

/** Resolves when the signal fired and the handler in progress is done. */
export async function subscribe(subscription: Subscription): Promise<void> {
  const { redis, signal, clock, retryMs, onError } = subscription;
  const lookEveryMs = Math.min(1_000, Math.min(...retryMs) / 2);
  let ready = false;
  let toldAt = '';
  let lookAtMono = 0;
  while (!signal.aborted) {
    try {
      await waitUntilReady(redis, WAIT_MS, clock);
      if (!ready) {
        await ensureGroup(subscription);
        toldAt = await tellForgotten(subscription, toldAt);
      }
      ready = true;
      if (clock.monotonic() >= lookAtMono) {
        await handleOverdue(subscription);
        lookAtMono = clock.monotonic() + lookEveryMs;
      }
      await handleNew(subscription, Math.ceil(Math.min(WAIT_MS, lookEveryMs)));
    } catch (error) {
      // Somebody may have removed the group, or emptied Redis.
      ready = false;
      if (signal.aborted) break;
      onError(error);
      // The only way to be interrupted is to be stopped, and then the loop ends.
      await clock.sleep(PAUSE_MS, signal).catch(() => undefined);
    }
  }
}

async function ensureGroup({ redis, group, from }: Subscription): Promise<void> {
  try {
    await redis.xgroup('CREATE', keys.events, group, from === 'beginning' ? '0' : '$', 'MKSTREAM');
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('BUSYGROUP')) throw error;
  }
}

/**
 * Redis goes on with the oldest event that is kept, and says nothing of those before it that the group had not read.
 * Answers where the group stood when that was told: once is enough.
 */
export async function tellForgotten(
  {
    redis,
    group,
    onError,
  }: Pick<Subscription, 'group' | 'onError'> & { readonly redis: Pick<Redis, 'xinfo' | 'xrange'> },
  toldAt: string,
): Promise<string> {
  const groups = items(await redis.xinfo('GROUPS', keys.events)).map(namesOf);
  const ours = groups.find((one) => one('name') === group);
  const place = text(ours?.('last-delivered-id'));
  // One that has read nothing begins with the oldest that is kept.
  if (place === '0-0' || place === toldAt) return toldAt;
  const all = namesOf(await redis.xinfo('STREAM', keys.events));
  const [[oldest] = []] = await redis.xrange(keys.events, '-', '+', 'COUNT', 1);
  if (!isAfter(oldest ?? text(all('last-generated-id')), place)) return toldAt;
  // Where Redis cannot say how many the group has read (6.2 counts nothing), it may have missed some.
  const [read, added] = [ours?.('entries-read'), all('entries-added')].map((count) => optional(number, count));
  if (added !== undefined && added - (read ?? 0) <= number(all('length'))) return toldAt;
  onError(new CursorTooOld(oldest));
  return place;
}

/** A consumer that has nothing in hand leaves no name behind; one that has keeps it, or its events would be lost. */
export async function leave({
  redis,
  group,
  consumer,
}: Pick<Subscription, 'redis' | 'group' | 'consumer'>): Promise<void> {
  if (redis.status !== 'ready') return;
  // In one step: a subscription of the same name may be given an event at any moment.
  await leaveGroup(redis, { events: keys.events, group, consumer });
}

/** The fields are absent where the entry is no longer kept. */
const entries = list((value) => {
  const [place, fields] = items(value);
  return { place: text(place), fields: optional(list(text), fields) ?? [] };
});

const pendings = list((value) => {
  const [place, , idleMs, tries] = items(value);
  return { place: text(place), idleMs: number(idleMs), tries: number(tries) };
});

async function handleNew(subscription: Subscription, waitMs: number): Promise<void> {
  const { redis, group, consumer, signal } = subscription;
  // One at a time: an event that waits here behind a slow one would look abandoned to the others.
  const answer = await redis.xreadgroup(
    'GROUP',
    group,
    consumer,
    'COUNT',
    1,
    'BLOCK',
    waitMs,
    'STREAMS',
    keys.events,
    '>',
  );
  const [read] = optional(items, answer) ?? [];
  const [, told = []] = optional(items, read) ?? [];
  // What was read while we were told to stop is left to the others.
  if (signal.aborted) return;
  for (const entry of entries(told)) await handle(subscription, { ...entry, tries: 1 });
}

/** Claims what is overdue by its own number of tries, so that a broken event is tried ever more rarely. */
async function handleOverdue(subscription: Subscription): Promise<void> {
  const { redis, group, consumer, retryMs, signal } = subscription;
  let from = '-';
  for (;;) {
    const idleMs = Math.min(...retryMs);
    const pending = pendings(await redis.xpending(keys.events, group, 'IDLE', idleMs, from, '+', AT_A_TIME));
    for (const { place, idleMs: idle, tries } of pending) {
      if (signal.aborted) return;
      const wait = retryMs[Math.min(tries, retryMs.length) - 1] ?? idleMs;
      if (idle < wait) continue;
      const [entry] = entries(await redis.xclaim(keys.events, group, consumer, wait, place));
      // Nothing: another consumer was quicker, or the event is no longer kept, and then the server forgets it too.
      if (!entry) continue;
      await handle(subscription, { ...entry, tries: tries + 1 });
    }
    const last = pending.at(-1);
    if (pending.length < AT_A_TIME || !last) return;
    from = `(${last.place}`;
  }
}

async function handle(subscription: Subscription, delivery: Delivery): Promise<void> {
  const { redis, group, types, retryMs, handler, signal, onError } = subscription;
  const { place, fields, tries } = delivery;
  let event: CompletionEvent | undefined;
  const stopRenewing = renew(subscription, place);
  try {
    event = readEvent(fields);
    if (!types || types.has(event.type)) await handler(event, { tries, signal });
  } catch (error) {
    onError(error, event);
    if (tries <= retryMs.length) return;
    const message = error instanceof Error ? error.message : String(error);
    return putAside(redis, { group, place, fields, tries, error: message });
  } finally {
    stopRenewing();
  }
  await redis.xack(keys.events, group, place);
}

/** While a handler works, its event must not look abandoned. */
function renew({ redis, clock, group, consumer, retryMs, onError }: Subscription, place: string): () => void {
  const everyMs = Math.max(50, Math.min(...retryMs) / 3);
  let cancel = (): void => undefined;
  let stopped = false;
  const again = (): void => {
    if (stopped) return;
    cancel = clock.after(everyMs, () => {
      // JUSTID: the claim resets the idle time and counts as no try.
      redis.xclaim(keys.events, group, consumer, 0, place, 'JUSTID').catch(onError).finally(again);
    });
  };
  again();
  return () => {
    stopped = true;
    cancel();
  };
}

const streamOf = (group: string): string => `events:dead:${group}`;

/**
 * The key of the stream where the events go that a group could not handle, with the error and the number of tries.
 * `prefix` is the workers' REDIS_PREFIX.
 */
export function deadLettersOf(group: string, prefix: string = DEFAULT_PREFIX): string {
  return `${prefix}:${streamOf(group)}`;
}

/** Kept for a person to look at; a group that handles nothing for months must not fill Redis. */
const KEPT_MOST = 100_000;

interface DeadLetter {
  readonly group: string;
  /** The place in the stream of events. */
  readonly place: string;
  /** The fields of the entry. Empty when they are no longer kept. */
  readonly fields: readonly string[];
  readonly tries: number;
  readonly error: string;
}

/** Puts an event aside and acknowledges it, in one step: it is in exactly one of the two places. */
async function putAside(redis: Redis, { group, place, fields, tries, error }: DeadLetter): Promise<void> {
  const words = ['place', place, 'tries', String(tries), 'error', error.slice(0, 500), ...legible(fields)];
  const answers = await redis
    .multi()
    .xadd(streamOf(group), 'MAXLEN', '~', KEPT_MOST, '*', ...words)
    .xack(keys.events, group, place)
    .exec();
  for (const [failure] of answers ?? []) if (failure) throw failure;
}

/** For a person, what the event carries is JSON in any case; what cannot be read as an event stays as it is. */
function legible(flat: readonly string[]): readonly string[] {
  const fields = fieldsOf(flat);
  if (fields['data'] === undefined) return flat;
  try {
    return Object.entries({ ...fields, data: JSON.stringify(readEventData(fields)) }).flat();
  } catch {
    return flat;
  }
}
