/**
 * Delivers the due events of one endpoint. One wake-up covers the endpoint and not one event: a slow endpoint
 * occupies one worker slot, and the number of its open requests is bounded.
 *
 * At least once: if a worker dies between a delivery and its record, the event stays due.
 */
import { type Clock, toMs } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import type { DeliveryResult, Due, Taken } from '../../ledger/deliveries.ts';
import type { Endpoints } from '../../ledger/endpoints.ts';
import { eventDelivery } from '../../queues/index.ts';
import type { AttemptResult } from '../context.ts';

/** A delivery of an event to a webhook endpoint. */
interface Letter {
  /** The id of the event, equal in every try. */
  readonly id: string;
  readonly body: string;
  /** The trace context of the event. */
  readonly trace?: string | undefined;
}

/** Secrets and headers are encrypted. */
interface Addressee {
  readonly id: string;
  readonly url: string;
  readonly secrets: readonly string[];
  readonly headers?: string | undefined;
}

export interface DeliveryTools {
  readonly endpoints: Pick<Endpoints, 'take' | 'settle'>;
  readonly clock: Clock;
  readonly random: Random;
  /** The event, or why it cannot be delivered: it is no longer stored, or a newer version wrote it. */
  letterAt(place: string): Promise<Letter | 'no longer kept' | 'unreadable'>;
  /** Sends one delivery. Never throws. `answer`: a status or a word, for the log. */
  post(
    endpoint: Addressee,
    letter: Letter,
    tries: number,
  ): Promise<{ readonly taken: boolean; readonly answer: string }>;
  /** Receives the outcome of every try. */
  onDelivery(outcome: DeliveryResult['outcome']): void;
}

const WAITS_MS = eventDelivery.retryAfter.map(toMs);
/** Up to a fifth more. */
const JITTER = 0.2;
/** Longer than the time-out of one delivery. */
const LEASE_MS = 30_000;
const AT_ONCE = 8;
/** A fast endpoint keeps its worker for this long; then other endpoints get a turn. */
const STAY_MS = 2_000;
/** The longest pause of an endpoint after a failure, whatever the waits of its events. */
const REST_MOST_MS = 300_000;
const DISABLE_AFTER_MS = 3 * 86_400_000;

export async function deliverEvents(endpoint: string, tools: DeliveryTools): Promise<AttemptResult> {
  const untilMono = tools.clock.monotonic() + STAY_MS;
  let last: AttemptResult | undefined;
  for (;;) {
    const taken = await tools.endpoints.take(endpoint, LEASE_MS, AT_ONCE);
    if (typeof taken === 'string') return last ?? { outcome: 'idle', reason: taken };
    const settled = await deliver(endpoint, taken, tools);
    if (settled.outcome !== 'advanced' || tools.clock.monotonic() > untilMono) return settled;
    last = settled;
  }
}

async function deliver(id: string, taken: Taken, tools: DeliveryTools): Promise<AttemptResult> {
  const { url, secrets, headers, lease } = taken;
  // Read all before the first leaves, so that deliveries start in the order of their positions.
  const sendings = await Promise.all(
    taken.due.map(async (due) => ({ ...due, letter: await tools.letterAt(due.place) })),
  );
  const endpoint = { id, url, secrets, headers };
  const results = await Promise.all(sendings.map((sending) => tryOnce(endpoint, sending, tools)));
  for (const { outcome } of results) tools.onDelivery(outcome);
  const restMs = Math.min(REST_MOST_MS, ...results.map(({ waitMs }) => waitMs || REST_MOST_MS));
  const settled = await tools.endpoints.settle(id, lease, results, { restMs, disableAfterMs: DISABLE_AFTER_MS });
  if (!settled) return { outcome: 'lost', reason: 'lease_over' };
  if (settled.disabled) return { outcome: 'ended', reason: 'disabled' };
  if (results.some(({ outcome }) => outcome === 'delivered')) return { outcome: 'advanced', reason: 'delivered' };
  if (results.some(({ asked }) => asked)) return { outcome: 'retries', reason: 'not_taken' };
  return { outcome: 'advanced', reason: 'put_aside' };
}

interface Sending extends Due {
  readonly letter: Awaited<ReturnType<DeliveryTools['letterAt']>>;
}

async function tryOnce(
  endpoint: Addressee,
  { place, tries, letter }: Sending,
  tools: DeliveryTools,
): Promise<DeliveryResult> {
  const made = tries + 1;
  const asked = typeof letter !== 'string';
  const { taken, answer } = asked ? await tools.post(endpoint, letter, tries) : { taken: false, answer: letter };
  // An event of a newer version can be read by another process.
  const wait = letter === 'no longer kept' ? undefined : WAITS_MS[tries];
  const outcome = taken ? 'delivered' : wait === undefined ? 'undelivered' : 'retried';
  const waitMs = outcome === 'retried' ? Math.round((wait ?? 0) * (1 + JITTER * tools.random.fraction())) : 0;
  return { place, outcome, waitMs, asked, event: asked ? letter.id : place, answer, tries: made };
}
