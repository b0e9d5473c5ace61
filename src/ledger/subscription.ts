/**
 * One consumer of a group of events. An event is finished after its handler, so another consumer handles the event of
 * a dead one: at least once, and its id shows a repetition.
 *
 *   due again (a handler failed, a consumer died) ──▶ new ──▶ handler ──▶ finished
 *                                                                └─ too many tries ──▶ dead letters
 */
import type { Clock } from '../lib/clock.ts';
import { type StoredEvent, eventOf } from './event-stream.ts';
import type { EventGroups, TakenEvent } from './groups.ts';

export interface HandlerContext {
  /** 1 when this group handles the event for the first time. */
  readonly tries: number;
  /** Fires when the subscription stops; it still waits for the handler. */
  readonly signal: AbortSignal;
}

export interface Subscription {
  readonly groups: EventGroups;
  readonly clock: Pick<Clock, 'after' | 'sleep'>;
  readonly group: string;
  /** Unique among the running consumers of the group. */
  readonly consumer: string;
  readonly from: 'beginning' | 'now';
  readonly types: ReadonlySet<string> | undefined;
  /** The wait before each retry; their number is the number of retries. */
  readonly retryMs: readonly number[];
  readonly handler: (event: StoredEvent, context: HandlerContext) => Promise<void> | void;
  readonly signal: AbortSignal;
  /** Receives the error of a handler, with its event, and errors of PostgreSQL. */
  readonly onError: (error: unknown, event?: StoredEvent) => void;
}

/** Poll interval without events. */
const IDLE_MS = 200;
const PAUSE_MS = 500;
const LEASE_MOST_MS = 30_000;
const RENEW_AT_LEAST_MS = 50;

/** Resolves when the signal has fired and the running handler has finished. */
export async function subscribe(subscription: Subscription): Promise<void> {
  const { groups, group, consumer, from, types, signal, clock, onError } = subscription;
  const wanted = { types: types && [...types], leaseMs: leaseOf(subscription) };
  let joined = false;
  while (!signal.aborted) {
    try {
      if (!joined) await groups.join(group, from);
      joined = true;
      const taken = await groups.take(group, consumer, wanted);
      if (taken === undefined) await clock.sleep(idleOf(subscription), signal).catch(() => undefined);
      else await handle(subscription, taken);
    } catch (error) {
      // An operator may have removed the group.
      joined = false;
      if (signal.aborted) break;
      onError(error);
      // A sleep is interrupted only by the signal, and then the loop ends.
      await clock.sleep(PAUSE_MS, signal).catch(() => undefined);
    }
  }
  // An event that was taken as the signal fired is released at once.
  await groups.release(group, consumer).catch(onError);
}

const leaseOf = ({ retryMs }: Subscription): number => Math.min(LEASE_MOST_MS, ...retryMs);
const idleOf = ({ retryMs }: Subscription): number => Math.min(IDLE_MS, ...retryMs);

async function handle(subscription: Subscription, taken: TakenEvent): Promise<void> {
  const { groups, group, consumer, retryMs, handler, signal, onError } = subscription;
  const { position, tries } = taken;
  let event: StoredEvent | undefined;
  const stopRenewing = renew(subscription, position);
  try {
    // `type` is checked where the event is written.
    event = eventOf(taken as Parameters<typeof eventOf>[0]);
    await handler(event, { tries, signal });
  } catch (error) {
    onError(error, event);
    const wait = retryMs[tries - 1];
    const message = error instanceof Error ? error.message : String(error);
    if (wait === undefined) await groups.bury(group, position, consumer, message);
    else await groups.postpone(group, position, consumer, wait);
    return;
  } finally {
    stopRenewing();
  }
  await groups.complete(group, position, consumer);
}

/** Renews the lease of an event while its handler runs. */
function renew(subscription: Subscription, position: string): () => void {
  const { groups, group, consumer, clock, onError } = subscription;
  const leaseMs = leaseOf(subscription);
  let cancel = (): void => undefined;
  let stopped = false;
  const again = (): void => {
    if (stopped) return;
    cancel = clock.after(Math.max(RENEW_AT_LEAST_MS, leaseMs / 3), () => {
      groups.renew(group, position, consumer, leaseMs).catch(onError).finally(again);
    });
  };
  again();
  return () => {
    stopped = true;
    cancel();
  };
}
