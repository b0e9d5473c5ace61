/** Counts what the stations announce. No station knows that it is counted. */
import type { Clock } from '../lib/clock.ts';
import type { ExchangeSummary } from '../upstream/verdict.ts';
import type { WholeName } from './declarations.ts';
import { createInstruments, type Instruments } from './instruments.ts';
import { OTHER, contradictions } from './labels.ts';
import { ttlCache } from './ttl-cache.ts';
import { readWhole, type Whole, type WholeSources } from './whole.ts';

export interface MetricsOptions extends WholeSources {
  /** Whether a write that Redis answered survives a loss of power, as far as this process knows. */
  readonly durable: () => boolean;
  readonly recovering: () => boolean;
  /** Used share of Redis' maxmemory, as far as this process knows; null without a limit. */
  readonly memoryShare: () => number | null;
  readonly clock: Clock;
  /** Told when the whole could not be read. The scrape is answered all the same. */
  readonly onError: (error: unknown) => void;
}

/** What is counted of an attempt. Its reason is left out: reasons may quote upstream. */
interface CountedAttempt {
  readonly queue: string;
  readonly result: { readonly outcome: string; readonly reason: string };
  readonly durationMs: number;
}

type CountedExchange = Pick<ExchangeSummary, 'operation' | 'code' | 'durationMs' | 'strangeCodes'>;

/** Every function may be handed on by itself. None of them throws or waits. */
export interface Metrics {
  readonly attemptFinished: (attempt: CountedAttempt) => void;
  readonly exchanged: (seen: CountedExchange) => void;
  readonly callbackReceived: (kind: string, verdict: string) => void;
  readonly eventDelivered: (outcome: string) => void;
  readonly wrongKey: (answer: '401' | '429') => void;
  /** A write reached, after so many ms, all the places where it must be. */
  readonly fenced: (ms: number) => void;
  readonly lockLost: (jobs: number) => void;
  /** What this process was started for. */
  readonly rolesAre: (roles: readonly string[]) => void;
  /** For how long its workers have taken nothing although jobs wait, ms by queue. A queue it has no worker of is absent. */
  readonly workersSeen: (stuckMs: ReadonlyMap<string, number>) => void;
  /** Everything in the text format of Prometheus, within two seconds whatever Redis does. */
  readonly scrape: () => Promise<string>;
  readonly contentType: string;
}

/** Scrapes come every 15 s from each Prometheus; a person who reloads a page must not become a load on Redis. */
const KEEP_MS = 1_000;
const LIMIT_MS = 1_500;

export function createMetrics(options: MetricsOptions): Metrics {
  const { clock, durable, recovering, memoryShare, onError } = options;
  const instruments = createInstruments();
  const read = () => readWhole(options, clock.now());
  const whole = ttlCache({ read, clock, keepMs: KEEP_MS, limitMs: LIMIT_MS, onError });
  return {
    ...listeners(instruments),
    contentType: instruments.contentType,
    async scrape() {
      const seen = await whole();
      showWhole(instruments, seen);
      instruments.replace('relais_redis_up', [{ labels: {}, value: seen ? 1 : 0 }]);
      instruments.replace('relais_recovering', [{ labels: {}, value: recovering() ? 1 : 0 }]);
      instruments.replace('relais_redis_durable', [{ labels: {}, value: durable() ? 1 : 0 }]);
      const share = memoryShare();
      instruments.replace('relais_redis_memory_ratio', share === null ? [] : [{ labels: {}, value: share }]);
      return instruments.print();
    },
  };
}

/** Messaging has codes of its own: as labels of payments they would be hundreds of series that cannot happen. */
function isOfItsArea(operation: string, code: string): boolean {
  return operation.startsWith('sms_') || !/^(ERROR_|token_|login_)/.test(code);
}

function listeners({ count, observe, replace }: Instruments) {
  return {
    attemptFinished({ queue, result, durationMs }: CountedAttempt): void {
      count('relais_attempts_total', { queue, settlement: result.outcome });
      observe('relais_attempt_duration_seconds', { queue }, durationMs / 1_000);
      const contradiction = contradictions.find((word) => word === result.reason);
      if (contradiction !== undefined) count('relais_contradictions_total', { contradiction });
    },
    exchanged({ operation, code, durationMs, strangeCodes = 0 }: CountedExchange): void {
      count('relais_upstream_requests_total', { operation, code: isOfItsArea(operation, code) ? code : OTHER });
      observe('relais_upstream_request_duration_seconds', { operation }, durationMs / 1_000);
      if (operation === 'sms_login' && code === 'ok') count('relais_sms_logins_total', {});
      if (strangeCodes > 0) count('relais_sms_item_code_unknown_total', {}, strangeCodes);
    },
    callbackReceived: (kind: string, verdict: string): void => count('relais_callbacks_total', { kind, verdict }),
    eventDelivered: (outcome: string): void => count('relais_event_delivery_total', { outcome }),
    wrongKey: (answer: '401' | '429'): void => count('relais_wrong_keys_total', { answer }),
    fenced: (ms: number): void => observe('relais_fence_duration_seconds', {}, ms / 1_000),
    lockLost: (jobs: number): void => count('relais_lost_locks_total', {}, jobs),
    rolesAre: (roles: readonly string[]): void =>
      replace(
        'relais_roles',
        roles.map((role) => ({ labels: { role }, value: 1 })),
      ),
    workersSeen: (stuckMs: ReadonlyMap<string, number>): void =>
      replace(
        'relais_worker_stuck_seconds',
        [...stuckMs].map(([queue, ms]) => ({ labels: { queue }, value: ms / 1_000 })),
      ),
  };
}

const NOTHING_SEEN: Whole = {
  relais_jobs: [],
  relais_oldest_job_age_seconds: [],
  relais_backlog_seconds: [],
  relais_operations: [],
  relais_in_doubt_xof: [],
  relais_oldest_in_doubt_seconds: [],
  relais_messages_total: [],
  relais_chunks_in_doubt: [],
  relais_oldest_chunk_in_doubt_seconds: [],
  relais_events_total: [],
  relais_unreadable_records: [],
  relais_held: [],
};

/** What is not known is absent: a last known value would look like today's. */
function showWhole(instruments: Instruments, seen: Whole = NOTHING_SEEN): void {
  for (const name of Object.keys(seen) as WholeName[]) instruments.replace(name, seen[name]);
}
