/**
 * Deliveries to one endpoint: the events that an attempt takes under the endpoint's lease, and their results. An
 * endpoint that fails for days is disabled, and an event notifies its owner.
 */
import { positionOf } from './event-stream.ts';
import type { Run } from './pool.ts';

export interface Due {
  readonly place: string;
  /** Earlier tries. */
  readonly tries: number;
}

export interface Taken {
  readonly lease: string;
  readonly url: string;
  /** Encrypted; the newest first. */
  readonly secrets: readonly string[];
  /** Encrypted. */
  readonly headers?: string | undefined;
  readonly due: readonly Due[];
}

export interface DeliveryResult {
  readonly place: string;
  readonly outcome: 'delivered' | 'retried' | 'undelivered';
  /** Until the next try, ms; only for `retried`. */
  readonly waitMs: number;
  /** Whether a request was sent: otherwise the result says nothing about the endpoint. */
  readonly asked: boolean;
  /** For the log: the event's id, or its position if it is unreadable. */
  readonly event: string;
  /** Status, or a word. */
  readonly answer: string;
  /** Including this one. */
  readonly tries: number;
}

export interface SettledDeliveries {
  /** Until the next event is due, ms; absent: none waits. */
  readonly dueInMs?: number;
  readonly rev: number;
  readonly disabled: boolean;
}

export interface Delivering {
  readonly id: string;
  readonly lease: string;
  readonly now: Date | undefined;
}

interface Locked {
  readonly at: Date;
  readonly epoch: number;
  readonly url: string;
  readonly headers: string | null;
  readonly secret: string;
  readonly old_secret: string | null;
  readonly old_until: Date | null;
  readonly older_secret: string | null;
  readonly older_until: Date | null;
  readonly state: string;
  readonly accounts: readonly string[];
  readonly lease: string | null;
  readonly lease_until: Date | null;
  readonly rest_until: Date | null;
  readonly failures: number;
  readonly failing_since: Date | null;
}

const LOG_LINES = 200;
const UNDELIVERED_MOST = 1_000;
const DISABLED_BECAUSE = 'failing_for_days';

export async function takeDeliveries(
  run: Run,
  { id, lease, now }: Delivering,
  { leaseMs, most }: { readonly leaseMs: number; readonly most: number },
): Promise<Taken | string> {
  const [endpoint] = await run<Locked>('lock_endpoint', [id, now]);
  if (endpoint === undefined) return 'none';
  const { at, epoch, url, headers } = endpoint;
  const isAhead = (until: Date | null): boolean => until !== null && until > at;
  if (endpoint.state !== 'enabled') return 'disabled';
  if (isAhead(endpoint.lease_until)) return 'leased';
  if (isAhead(endpoint.rest_until)) return 'rests';
  // A failing endpoint is tried with a single event.
  const rows = await run<{ position: string; tries: number }>('due_deliveries', [
    id,
    endpoint.failures > 0 ? 1 : most,
    at,
  ]);
  if (rows.length === 0) return 'nothing';
  await run('lease_endpoint', [id, lease, new Date(at.getTime() + leaseMs)]);
  const secrets = [
    endpoint.secret,
    isAhead(endpoint.old_until) ? endpoint.old_secret : null,
    isAhead(endpoint.older_until) ? endpoint.older_secret : null,
  ].filter((secret) => secret !== null);
  const due = rows.map(({ position, tries }) => ({ place: `${epoch}-${position}`, tries }));
  return { lease, url, secrets, ...(headers === null ? {} : { headers }), due };
}

/** Undefined: the lease is another one. */
export async function settleDeliveries(
  run: Run,
  { id, lease, now }: Delivering,
  results: readonly DeliveryResult[],
  limits: { readonly restMs: number; readonly disableAfterMs: number },
): Promise<SettledDeliveries | undefined> {
  const [endpoint] = await run<Locked>('lock_endpoint', [id, now]);
  if (endpoint?.lease !== lease) return undefined;
  const { at } = endpoint;
  await writeResults(run, id, at, results);
  const health = healthAfter(endpoint, results, limits);
  const disabled = health.isOver;
  if (disabled) await disable(run, id, endpoint);
  await run('forget_undelivered', [id, UNDELIVERED_MOST]);
  const [next] = await run<{ due_at: Date }>('next_delivery', [id]);
  // After the last waiting event the endpoint is no longer failing, because no further event is tried.
  const isClear = next === undefined && !disabled;
  const { failures, failingSince, restUntil, deliveredAt } = isClear ? { ...HEALTHY, ...delivered(health) } : health;
  const [updated] = await run<{ revision: string }>('update_endpoint', [
    id,
    deliveredAt,
    failures,
    failingSince,
    restUntil,
  ]);
  const rev = Number(updated?.revision ?? 0);
  if (next === undefined) return { rev, disabled };
  const dueAt = Math.max(next.due_at.getTime(), health.restUntil?.getTime() ?? 0, at.getTime());
  return { rev, disabled, dueInMs: dueAt - at.getTime() };
}

interface Health {
  readonly deliveredAt: Date | undefined;
  readonly failures: number;
  readonly failingSince: Date | undefined;
  readonly restUntil: Date | undefined;
  /** The failure has lasted too long. */
  readonly isOver: boolean;
}

const HEALTHY: Health = {
  deliveredAt: undefined,
  failures: 0,
  failingSince: undefined,
  restUntil: undefined,
  isOver: false,
};
const delivered = ({ deliveredAt }: Health): Pick<Health, 'deliveredAt'> => ({ deliveredAt });

/** One success is enough. Events that were not sent do not count. */
function healthAfter(
  { at, failures, failing_since: since, rest_until: restUntil }: Locked,
  results: readonly DeliveryResult[],
  { restMs, disableAfterMs }: { readonly restMs: number; readonly disableAfterMs: number },
): Health {
  if (results.some(({ outcome }) => outcome === 'delivered')) return { ...HEALTHY, deliveredAt: at };
  if (!results.some(({ asked }) => asked)) {
    return { ...HEALTHY, failures, failingSince: since ?? undefined, restUntil: restUntil ?? undefined };
  }
  const failingSince = since ?? at;
  return {
    deliveredAt: undefined,
    failures: failures + 1,
    failingSince,
    restUntil: new Date(at.getTime() + restMs),
    isOver: at.getTime() - failingSince.getTime() >= disableAfterMs,
  };
}

async function writeResults(run: Run, id: string, at: Date, results: readonly DeliveryResult[]): Promise<void> {
  await run('settle_deliveries', [
    id,
    at,
    results.map(({ place }) => positionOf(place)),
    results.map(({ outcome }) => outcome),
    results.map(({ waitMs }) => waitMs),
  ]);
  await run('log_deliveries', [
    id,
    at,
    results.map(({ event }) => event),
    results.map(({ outcome }) => outcome),
    results.map(({ answer }) => answer),
    results.map(({ tries }) => tries),
    LOG_LINES,
  ]);
}

/**
 * All readers of the account receive the event, and the path and query of the URL can contain the owner's password.
 */
async function disable(run: Run, id: string, { at, epoch, accounts, url }: Locked): Promise<void> {
  const [row] = await run<{ version: number }>('disable_endpoint', [id, at, DISABLED_BECAUSE]);
  const [place = ''] = /^[a-z]+:\/\/[^/?#\\]+/i.exec(url) ?? [];
  const event = `${id}.${row?.version ?? 1}${epoch > 1 ? `.${epoch}` : ''}`;
  const data = { id, state: 'disabled', url: place, reason: DISABLED_BECAUSE };
  await run('report_event', [event, accounts[0] ?? 'main', id, 'endpoint.disabled', data, at]);
}
