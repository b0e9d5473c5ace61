/**
 * Posts what is due to one endpoint. The wake-up is for the endpoint and not for the event: however many events wait,
 * a slow endpoint takes one place among the workers, and has a bounded number of posts under way.
 *
 * At least once: a worker that dies after a post and before it is written down leaves the event due.
 */
import { type Clock, toMs } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import type { DeliveryResult, Due, Taken } from '../../ledger/deliveries.ts';
import type { Endpoints } from '../../ledger/endpoints.ts';
import { eventDelivery } from '../../queues/index.ts';
import type { AttemptResult } from '../context.ts';

/** An event as it is posted. */
interface Letter {
  /** The id of the event: the same for every try. */
  readonly id: string;
  readonly body: string;
  /** The mark of the trace that it belongs to. */
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
  /** What is not posted: the event is no longer kept, or this version cannot read it. */
  letterAt(place: string): Promise<Letter | 'no longer kept' | 'unreadable'>;
  /** Posts once. Never throws. `answer` is a status or a word, for the log. */
  post(
    endpoint: Addressee,
    letter: Letter,
    tries: number,
  ): Promise<{ readonly taken: boolean; readonly answer: string }>;
  /** Told of every try. */
  onDelivery(outcome: DeliveryResult['outcome']): void;
}

const WAITS_MS = eventDelivery.retryAfter.map(toMs);
/** Up to a fifth more. */
const JITTER = 0.2;
/** Longer than one post may take. */
const LEASE_MS = 30_000;
const AT_ONCE = 8;
/** An endpoint that is quick is not sent away after each handful; one that has much to take lets others in between. */
const STAY_MS = 2_000;
/** The longest that an endpoint is left alone after a failure, whatever its events wait for. */
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
  // All are read before the first leaves, so that they leave in the order of their places.
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
  // What a newer version has written another process may read.
  const wait = letter === 'no longer kept' ? undefined : WAITS_MS[tries];
  const outcome = taken ? 'delivered' : wait === undefined ? 'undelivered' : 'retried';
  const waitMs = outcome === 'retried' ? Math.round((wait ?? 0) * (1 + JITTER * tools.random.fraction())) : 0;
  return { place, outcome, waitMs, asked, event: asked ? letter.id : place, answer, tries: made };
}
