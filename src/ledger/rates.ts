/**
 * Permits for requests to the provider. A process takes what its waiting requests need, and a few more for the next
 * 200 ms. A busy rate costs about five statements a second for each process.
 */
import type { Clock } from '../lib/clock.ts';
import type { Area } from '../provider/account.ts';
import {
  type Admission,
  BURST_PART,
  LONGEST_WAIT_MS,
  PAUSE_LOOK_MS,
  type Rates,
  type Urgency,
} from '../provider/rates.ts';
import { Permits, type TakenPermits } from './permits.ts';
import type { Database } from './pool.ts';

interface LedgerRatesOptions {
  readonly database: Pick<Database, 'run'>;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** For each account and area. 0: no rate, and only pauses are read. */
  readonly ratePerSecond: number;
}

/** How far ahead permits are taken for future requests, ms. */
const AHEAD_MS = 200;

interface Place {
  readonly account: string;
  readonly area: Area;
}

export class LedgerRates implements Rates {
  readonly #options: LedgerRatesOptions;
  readonly #permits = new Map<string, Permits>();
  /** On the monotonic clock. */
  readonly #pausedUntil = new Map<string, number>();
  readonly #readAt = new Map<string, number>();

  constructor(options: LedgerRatesOptions) {
    this.#options = options;
  }

  async admit(account: string, area: Area, urgency: Urgency): Promise<Admission> {
    const { clock, ratePerSecond } = this.#options;
    if (ratePerSecond === 0) await this.#readPause({ account, area });
    const pauseMs = this.#pauseMs({ account, area });
    if (pauseMs > LONGEST_WAIT_MS) return { admitted: false, retryAfterMs: pauseMs };
    if (ratePerSecond === 0) {
      if (pauseMs > 0) await clock.sleep(pauseMs);
      return { admitted: true, unlimited: true };
    }
    const permit = await this.#permitsOf({ account, area }, urgency).take();
    if ('retryAfterMs' in permit) return { admitted: false, retryAfterMs: permit.retryAfterMs };
    const waitMs = Math.ceil(Math.max(permit.freeAtMono - clock.monotonic(), this.#pauseMs({ account, area })));
    if (waitMs > 0) await clock.sleep(waitMs);
    return { admitted: true };
  }

  async pause(account: string, area: Area, ms: number): Promise<void> {
    const { clock, database } = this.#options;
    this.#pausedUntil.set(nameOf({ account, area }), clock.monotonic() + ms);
    if (ms < 1) return;
    try {
      await database.run('pause_provider', [account, area, Math.ceil(ms), null]);
    } catch (error) {
      // The answer that requested the pause is more important, and this process waits in any case.
      if (!(error instanceof Error)) throw error;
    }
  }

  #pauseMs(place: Place): number {
    const until = this.#pausedUntil.get(nameOf(place)) ?? 0;
    return Math.ceil(Math.max(until - this.#options.clock.monotonic(), 0));
  }

  /** While PostgreSQL is away, only the pauses of this process are known. */
  async #readPause({ account, area }: Place): Promise<void> {
    const { clock, database } = this.#options;
    const name = nameOf({ account, area });
    const now = clock.monotonic();
    if (now - (this.#readAt.get(name) ?? -PAUSE_LOOK_MS) < PAUSE_LOOK_MS) return;
    this.#readAt.set(name, now);
    const rows = await database
      .run<{ pause_ms: number }>('provider_pause', [account, area, null])
      .catch((): readonly { pause_ms: number }[] => []);
    const until = clock.monotonic() + (rows[0]?.pause_ms ?? 0);
    if (rows.length > 0) this.#pausedUntil.set(name, Math.max(this.#pausedUntil.get(name) ?? 0, until));
  }

  /** Their number is bounded by accounts, areas and urgencies, so none is removed. */
  #permitsOf({ account, area }: Place, urgency: Urgency): Permits {
    const { clock, ratePerSecond } = this.#options;
    const name = `${urgency} ${nameOf({ account, area })}`;
    const known = this.#permits.get(name);
    if (known) return known;
    const everyMs = 1_000 / ratePerSecond;
    const permits = new Permits({
      clock,
      goodForMs: AHEAD_MS,
      longestWaitMs: LONGEST_WAIT_MS,
      most: Math.max(1, Math.floor((ratePerSecond * AHEAD_MS) / 1_000)),
      take: (demand, wanted) => this.#take({ account, area }, urgency, { everyMs, demand, wanted }),
    });
    this.#permits.set(name, permits);
    return permits;
  }

  async #take(
    { account, area }: Place,
    urgency: Urgency,
    { everyMs, demand, wanted }: { readonly everyMs: number; readonly demand: number; readonly wanted: number },
  ): Promise<TakenPermits> {
    const { database, ratePerSecond } = this.#options;
    const burst = Math.max(1, Math.floor(ratePerSecond * BURST_PART));
    const asked = [
      account,
      area,
      urgency === 'look',
      everyMs,
      burst,
      demand,
      wanted,
      LONGEST_WAIT_MS,
      AHEAD_MS,
      null,
    ];
    const [row] = await database.run<TakenRow>('take_permits', asked);
    if (row === undefined) throw new Error('the ledger gave no permits');
    const { taken, all_ms: allMs, look_ms: lookMs, pause_ms: pauseMs } = row;
    return {
      taken,
      waitMs: (nth) => Math.max(0, pauseMs, allMs + nth * everyMs, lookMs === null ? 0 : lookMs + nth * 2 * everyMs),
    };
  }
}

interface TakenRow {
  readonly taken: number;
  readonly all_ms: number;
  readonly look_ms: number | null;
  readonly pause_ms: number;
}

const nameOf = ({ account, area }: Place): string => `${area}:${account}`;
