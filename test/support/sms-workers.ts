/** Workers of campaigns over a real ledger, with a scripted provider. */
import { vi } from 'vitest';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { readQuietHours } from '../../src/lib/quiet-hours.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Budgets } from '../../src/ledger/budgets.ts';
import { Holds } from '../../src/ledger/holds.ts';
import { Memory } from '../../src/ledger/lane.ts';
import { OptOuts } from '../../src/ledger/opt-outs.ts';
import type { Database } from '../../src/ledger/pool.ts';
import { SameTexts } from '../../src/ledger/same-texts.ts';
import { SmsCharges } from '../../src/ledger/sms-charges.ts';
import { SmsRequests } from '../../src/ledger/sms-requests.ts';
import type { SmsContext } from '../../src/processors/sms/context.ts';
import { SmsWorker } from '../../src/processors/sms/worker.ts';
import type { Opinions } from '../../src/kinds/limits.ts';
import type { UpstreamAccount } from '../../src/provider/client.ts';
import type { FreshLedger } from './fresh-ledger.ts';
import type { CampaignBench } from './ledger-campaigns.ts';
import { SmsProvider } from './sms-provider.ts';

const LEASE_MS = 60_000;
export const SETTLE_DELAY_MS = 60_000;
export const RECHECK_MS = 30_000;
const PATIENCE_MS = 120_000;
const LOOK_MS = 10;

export interface WorkerOptions {
  readonly concurrency?: number;
  readonly limits?: Opinions;
  readonly prices?: Readonly<Record<string, number>>;
  readonly policy?: Partial<SmsContext['policy']>;
  readonly upstream?: SmsContext['upstream'];
  readonly sweepMs?: number;
  /** Default: an account of the simulator. */
  readonly account?: UpstreamAccount;
}

export interface OpenWorker {
  readonly worker: SmsWorker;
  readonly context: SmsContext;
  readonly requests: SmsRequests;
  readonly errors: unknown[];
  readonly process: string;
}

export class SmsBench {
  readonly provider = new SmsProvider();
  readonly holds: Holds;
  readonly optOuts: OptOuts;
  readonly #ledger: FreshLedger;
  readonly #database: Database;
  readonly #bench: CampaignBench;
  readonly #clock: Clock;
  readonly #open: OpenWorker[] = [];

  constructor(ledger: FreshLedger, database: Database, bench: CampaignBench) {
    this.#ledger = ledger;
    this.#database = database;
    this.#bench = bench;
    this.#clock = { ...systemClock, now: () => bench.now() };
    this.holds = new Holds({ database, clock: systemClock, now: () => new Date(bench.now()) });
    this.optOuts = new OptOuts({ database });
  }

  /** Not started yet. */
  open({
    concurrency = 8,
    limits = {},
    prices,
    policy,
    upstream,
    sweepMs = 50,
    account,
  }: WorkerOptions = {}): OpenWorker {
    const database = this.#database;
    const budgets = new Budgets({ database, timezone: 'Africa/Dakar', limits, ...(prices && { prices }) });
    const errors: unknown[] = [];
    const process = `worker-${systemRandom.hex(4)}`;
    const requests = new SmsRequests({
      database: { url: this.#ledger.url, schema: this.#ledger.schema },
      memory: new Memory(),
      campaigns: this.#bench.campaigns,
      process,
      clock: systemClock,
      random: systemRandom,
      leaseMs: LEASE_MS,
      sendMs: LEASE_MS / 2,
      now: () => this.#bench.now(),
      onRefused: (error) => errors.push(error),
    });
    const context: SmsContext = {
      clock: this.#clock,
      policy: {
        leaseMs: LEASE_MS,
        limitMs: 72 * 3_600_000,
        holdRecheckMs: RECHECK_MS,
        settleDelayMs: SETTLE_DELAY_MS,
        split: true,
        onUnknown: 'hold',
        quietHours: readQuietHours('21:00-08:00'),
        timezone: 'Africa/Dakar',
        prices,
        ...policy,
      },
      accounts: this.holds,
      upstream: upstream ?? { messaging: this.provider, admit: async () => ({ admitted: true }) },
      campaigns: this.#bench.campaigns,
      requests,
      optOuts: this.optOuts,
      sameTexts: new SameTexts({ database, beneficiaryOf: (to) => to }),
      charges: new SmsCharges({ database, budgets, clock: systemClock }),
      budgets,
      names: ['main', 'other'],
      account: (name) => ({
        upstream: account ?? ({ name, smsSender: 'SHOP' } as UpstreamAccount),
        fingerprint: 'keys-1',
      }),
      closed: () => undefined,
      concurrency,
      sweepMs,
      onError: (error) => errors.push(error),
    };
    const opened = { worker: new SmsWorker(context), context, requests, errors, process };
    this.#open.push(opened);
    return opened;
  }

  start(options?: WorkerOptions): OpenWorker {
    const opened = this.open(options);
    opened.worker.start();
    return opened;
  }

  async until(isSo: () => Promise<boolean> | boolean): Promise<void> {
    await vi.waitUntil(isSo, { timeout: PATIENCE_MS, interval: LOOK_MS });
  }

  async untilStanding(id: string, standing: string): Promise<void> {
    let last = '';
    await vi
      .waitUntil(async () => (last = await this.#bench.standing(id)) === standing, {
        timeout: PATIENCE_MS,
        interval: LOOK_MS,
      })
      .catch(() => {
        throw new Error(`${id} stayed ${last}: ${this.#open.flatMap(({ errors }) => errors).join('; ')}`);
      });
  }

  /** Like a killed process: results in flight are never written. */
  async kill(killed: OpenWorker): Promise<void> {
    this.#open.splice(this.#open.indexOf(killed), 1);
    await killed.requests.close();
    void killed.worker.stop();
  }

  async close(): Promise<void> {
    for (const { worker, requests } of this.#open) {
      await worker.stop();
      await requests.close();
    }
  }

  /** How often each recipient of the upload was sent to. */
  timesSent(recipients: number, phoneAt: (at: number) => string): ReadonlyMap<number, number> {
    const byPhone = new Map<string, number>();
    for (const { to } of this.provider.book) byPhone.set(to, (byPhone.get(to) ?? 0) + 1);
    const counts = new Map<number, number>();
    for (let at = 0; at < recipients; at += 1) {
      const times = byPhone.get(phoneAt(at)) ?? 0;
      counts.set(times, (counts.get(times) ?? 0) + 1);
    }
    return counts;
  }
}
