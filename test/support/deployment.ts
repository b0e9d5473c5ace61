/**
 * An operator's deployment: PostgreSQL that can be backed up and restored, Redis, the API, the receiver and a worker.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { freePort } from '../../src/lib/listening.ts';
import { Asking } from './asking.ts';
import type { Ended, Processes, RunningProcess } from './processes.ts';
import { copyFolder } from '../storm/database.ts';
import { FaultyRedis } from '../support/faulty-redis.ts';
import { type OwnPostgres, startPostgres } from './postgres.ts';
import { relaisSettings } from './relais-settings.ts';
import { openProcesses } from './world.ts';

type Settings = Readonly<Record<string, string>>;

const READY = { timeout: 120_000, interval: 50 };
const MAKER = 'maker-secret-of-24-characters';
const CHECKER = 'checker-secret-of-24-characters';

export class Deployment {
  readonly maker: Asking;
  readonly checker: Asking;
  readonly control: Asking;
  readonly processes: Processes;
  readonly settings: Settings;
  readonly bell: FaultyRedis;
  readonly postgres: OwnPostgres;
  readonly #closing: (() => unknown)[];
  #ours: RunningProcess[] = [];
  #started = 0;

  private constructor(parts: {
    bell: FaultyRedis;
    postgres: OwnPostgres;
    processes: Processes;
    settings: Settings;
    control: string;
    closing: (() => unknown)[];
  }) {
    this.bell = parts.bell;
    this.postgres = parts.postgres;
    this.processes = parts.processes;
    this.settings = parts.settings;
    this.#closing = parts.closing;
    const api = `http://127.0.0.1:${parts.settings['API_PORT']}`;
    this.maker = new Asking(api, MAKER);
    this.checker = new Asking(api, CHECKER);
    this.control = new Asking(parts.control);
  }

  static async open(more: Settings = {}): Promise<Deployment> {
    const closing: (() => unknown)[] = [];
    const postgres = await startPostgres();
    closing.push(() => postgres.stop());
    const bell = await FaultyRedis.start();
    closing.push(() => bell.stop());
    const opened = openProcesses();
    closing.push(() => opened.close());
    const free = { SANDBOX_PORT: '0', SANDBOX_CRM_PORT: '0', SANDBOX_CONTROL_PORT: '0' };
    const { urls } = await opened.processes.start('sandbox', ['sandbox'], free);
    const [api, webhooks] = [await freePort(), await freePort()];
    const settings = {
      ...relaisSettings({
        redisUrl: bell.url,
        databaseUrl: postgres.url,
        base: urls['base'] ?? '',
        crm: urls['crm'] ?? '',
      }),
      CALLBACK_SECRET: 'callback-secret-of-24-characters',
      API_KEYS: `maker:enqueue+read+operate:${MAKER},checker:read+approve+operate:${CHECKER}`,
      API_PORT: String(api),
      WEBHOOKS_PORT: String(webhooks),
      PUBLIC_URL: `http://127.0.0.1:${webhooks}`,
      // No answer is lost here, so a slow machine alone must not cause a time-out.
      UPSTREAM_TIMEOUT: '10s',
      UPSTREAM_CONNECT_TIMEOUT: '2s',
      DISBURSEMENT_QUIET_PERIOD: '1s',
      DISBURSEMENT_POLL: '500ms,1s',
      INVOICE_POLL: '500ms,1s',
      PAYMENT_REQUEST_POLL: '500ms,1s',
      SMS_SETTLE_DELAY: '500ms',
      SWEEP_INTERVAL: '200ms',
      HOLD_RECHECK: '1s',
      ...more,
    };
    const { processes } = opened;
    return new Deployment({ bell, postgres, processes, settings, control: urls['control'] ?? '', closing });
  }

  /** The API and the receiver first, then a worker. */
  async start(): Promise<void> {
    this.#started += 1;
    const { processes, settings } = this;
    const nth = this.#started;
    this.#ours.push(await processes.start(`doors-${nth}`, ['run', '--roles', 'api,webhooks'], settings));
    this.#ours.push(await processes.start(`worker-${nth}`, ['run', '--roles', 'worker'], settings));
  }

  async stop(): Promise<void> {
    for (const one of this.#ours.splice(0).toReversed()) await one.stop();
  }

  /** Of the API. */
  get metrics(): Asking {
    return new Asking(this.#ours[0]?.urls['metrics'] ?? '');
  }

  /** Copies the data of PostgreSQL, which is stopped meanwhile. Resolves when the API has it again. */
  async copy(): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'relais-copy-'));
    this.#closing.push(() => rmSync(folder, { recursive: true, force: true }));
    const copy = join(folder, 'data');
    await this.postgres.halt();
    copyFolder(this.postgres.data, copy);
    await this.postgres.start();
    if (this.#ours.length > 0)
      await vi.waitUntil(async () => (await this.metrics.ask('/readyz')).status === 200, READY);
    return copy;
  }

  /** Restores PostgreSQL from the backup, at the same address. */
  async restore(copy: string): Promise<void> {
    await this.postgres.halt();
    rmSync(this.postgres.data, { recursive: true, force: true });
    copyFolder(copy, this.postgres.data);
    await this.postgres.start();
  }

  /** A command of an operator who may approve and operate. */
  command(...args: readonly string[]): Promise<Ended & { readonly stdout: string; readonly log: string }> {
    return this.processes.run(args, { RELAIS_URL: this.checker.base, RELAIS_API_KEY: CHECKER });
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).toReversed()) await close();
  }
}
