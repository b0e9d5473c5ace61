/** A deployment as an operator has it: Redis on a folder that can be copied and put back, the doors and a worker. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../src/lib/listening.ts';
import { Asking } from '../../script/demonstration/asking.ts';
import type { Ended, Processes, RunningProcess } from '../../script/demonstration/processes.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { relaisSettings } from './relais-settings.ts';
import { openProcesses } from './world.ts';

type Settings = Readonly<Record<string, string>>;

export type Shell = (...args: readonly string[]) => Promise<string>;

const MAKER = 'maker-secret-of-24-characters';
const CHECKER = 'checker-secret-of-24-characters';

export class Deployment {
  readonly maker: Asking;
  readonly checker: Asking;
  readonly control: Asking;
  readonly processes: Processes;
  readonly settings: Settings;
  readonly #dir: string;
  readonly #port: number;
  readonly #closing: (() => unknown)[] = [];
  #redis: EmbeddedRedis;
  #ours: RunningProcess[] = [];
  #started = 0;

  private constructor(parts: {
    dir: string;
    redis: EmbeddedRedis;
    processes: Processes;
    settings: Settings;
    control: string;
    closing: (() => unknown)[];
  }) {
    const { dir, redis, processes, settings, control, closing } = parts;
    this.#dir = dir;
    this.#redis = redis;
    this.#port = redis.port;
    this.processes = processes;
    this.settings = settings;
    this.#closing = closing;
    const api = `http://127.0.0.1:${settings['API_PORT']}`;
    this.maker = new Asking(api, MAKER);
    this.checker = new Asking(api, CHECKER);
    this.control = new Asking(control);
  }

  static async open(more: Settings = {}): Promise<Deployment> {
    const closing: (() => unknown)[] = [];
    const dir = mkdtempSync(join(tmpdir(), 'relais-deployment-'));
    closing.push(() => rmSync(dir, { recursive: true, force: true }));
    const redis = await startEmbeddedRedis({ dir });
    const opened = openProcesses();
    closing.push(() => opened.close());
    const free = { SANDBOX_PORT: '0', SANDBOX_CRM_PORT: '0', SANDBOX_CONTROL_PORT: '0' };
    const { urls } = await opened.processes.start('sandbox', ['sandbox'], free);
    const [api, webhooks] = [await freePort(), await freePort()];
    const settings = {
      ...relaisSettings({ redisUrl: redis.url, base: urls['base'] ?? '', crm: urls['crm'] ?? '' }),
      CALLBACK_SECRET: 'callback-secret-of-24-characters',
      API_KEYS: `maker:enqueue+read+operate:${MAKER},checker:read+approve+operate:${CHECKER}`,
      API_PORT: String(api),
      WEBHOOKS_PORT: String(webhooks),
      PUBLIC_URL: `http://127.0.0.1:${webhooks}`,
      UPSTREAM_TIMEOUT: '1s',
      UPSTREAM_CONNECT_TIMEOUT: '500ms',
      DISBURSEMENT_QUIET_PERIOD: '1s',
      DISBURSEMENT_POLL: '500ms,1s',
      INVOICE_POLL: '500ms,1s',
      PAYMENT_REQUEST_POLL: '500ms,1s',
      SMS_SETTLE_DELAY: '500ms',
      SWEEP_INTERVAL: '200ms',
      HOLD_RECHECK: '1s',
      ...more,
    };
    return new Deployment({
      dir,
      redis,
      processes: opened.processes,
      settings,
      control: urls['control'] ?? '',
      closing,
    });
  }

  /** The doors first, then a worker. */
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

  /** Of the doors. */
  get metrics(): Asking {
    return new Asking(this.#ours[0]?.urls['metrics'] ?? '');
  }

  /** A connection of the test's own, for looking from outside. */
  redis(): Redis {
    const redis = new Redis(this.#port, '127.0.0.1', { maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    this.#closing.push(() => redis.disconnect());
    return redis;
  }

  /** Copies the folder of Redis while it runs, as a backup does. */
  copy(): string {
    const copy = mkdtempSync(join(tmpdir(), 'relais-copy-'));
    this.#closing.push(() => rmSync(copy, { recursive: true, force: true }));
    cpSync(this.#dir, copy, { recursive: true });
    return copy;
  }

  /** Stops Redis, puts the copy in the place of its folder, and starts it again at the same address. */
  async putBack(copy: string): Promise<void> {
    await this.#redis.stop();
    rmSync(this.#dir, { recursive: true, force: true });
    cpSync(copy, this.#dir, { recursive: true });
    this.#redis = await startEmbeddedRedis({ dir: this.#dir, port: this.#port });
  }

  /** A command of an operator who may approve and operate. */
  command(...args: readonly string[]): Promise<Ended & { readonly stdout: string; readonly log: string }> {
    return this.processes.run(args, { RELAIS_URL: this.checker.base, RELAIS_API_KEY: CHECKER });
  }

  /** The commands of a person, by their key: what they print, or why they did not end well. */
  shellOf(key: string, url = this.maker.base): Shell {
    return async (...args) => {
      const { code, stdout, log } = await this.processes.run(args, {
        RELAIS_URL: url,
        RELAIS_API_KEY: key,
      });
      if (code !== 0) throw new Error(`relais ${args.join(' ')} ended with ${code}: ${stdout}${log.slice(-2_000)}`);
      return stdout;
    };
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(1).toReversed()) await close();
    await this.#redis.stop();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
