/** relais as three processes, on a separate database and Redis, watched by a real Prometheus with our rules. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { request } from 'undici';
import { loadConfig } from '../../src/config.ts';
import { startRoles } from '../../src/app/run.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { type Prometheus, startPrometheus, until } from './prometheus.ts';
import { startRelais } from '../support/relais-process.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { relaisSettings } from '../support/relais-settings.ts';
import { readOps } from './rules-files.ts';

type Facts = Readonly<Record<string, unknown>>;

export interface Watched {
  readonly prometheus: Prometheus;
  readonly server: EmbeddedRedis;
  readonly redis: Redis;
  readonly ledger: FreshLedger;
  readonly sandbox: Sandbox;
  readonly urls: { readonly api: string; readonly webhooks: string; readonly workerMetrics: string };
  readonly api: (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<Facts>;
  /** The sandbox's control API: faults, settings. */
  readonly control: (method: 'POST' | 'DELETE', path: string, body?: unknown) => Promise<Facts>;
  /** The sandbox's records, a row each. */
  readonly books: (name: string) => Promise<readonly Facts[]>;
  /** The pid of the worker if it is a separate process; otherwise of this one. */
  readonly workerPid: number;
  /** Restarts Redis at its address with its data. */
  readonly startRedis: () => Promise<void>;
  stop(): Promise<void>;
}

export interface WatchedOptions {
  /** The worker is a separate process, which can be frozen. */
  readonly workerApart?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
}

export const CALLBACK_SECRET = 'callback-secret';

const QUICK = {
  UPSTREAM_TIMEOUT: '2s',
  UPSTREAM_CONNECT_TIMEOUT: '1s',
  DISBURSEMENT_POLL: '200ms,500ms,1s',
  DISBURSEMENT_LIMIT: '20s',
  DISBURSEMENT_QUIET_PERIOD: '1s',
  // Each poll is a statement, and concurrent tests share PostgreSQL and a process.
  SWEEP_INTERVAL: '250ms',
  SMS_SETTLE_DELAY: '300ms',
  HOLD_RECHECK: '300ms',
  LOG_LEVEL: 'silent',
  DATABASE_POOL: '16',
};

/** An age that an alert reports. Fewer seconds would only measure a slow machine. */
const AGE_MOST_S = 3;

/** Minutes in the rules become seconds here: each condition has to last for two. */
export function quickly(rules: string): string {
  return rules
    .replaceAll(/^( +for: ).*$/gm, '$12s')
    .replaceAll(/(seconds(?::max)?(?:\{[^}]*\})?\)? > )(\d+)$/gm, (_all, left: string, limit: string) => {
      return `${left}${Math.min(AGE_MOST_S, Number(limit))}`;
    });
}

export async function startWatched(
  change: (rules: string) => string = (rules) => rules,
  { workerApart = false, settings: special = {} }: WatchedOptions = {},
): Promise<Watched> {
  const dir = mkdtempSync(join(tmpdir(), 'relais-watched-'));
  let server = await startEmbeddedRedis({ dir });
  const ledger = await freshLedger({ isNew: true });
  const sandbox = await startSandbox();
  const redis = new Redis(server.url);
  // Redis may be killed here; a test that needs this client notices by its commands.
  redis.on('error', () => undefined);
  const settings: Record<string, string> = {
    ...relaisSettings({ ...sandbox, redisUrl: server.url, databaseUrl: ledger.url }),
    ...QUICK,
    ...special,
    CALLBACK_SECRET,
    API_KEYS: 'maker:enqueue+read+approve+operate:maker-secret,checker:read+approve:checker-secret',
    ALLOW_LOOPBACK_ENDPOINTS: 'on',
  };
  const webhooks = await startRoles(loadConfig(settings), ['webhooks']);
  const known = { ...settings, PUBLIC_URL: webhooks.urls.webhooks ?? '' };
  const api = await startRoles(loadConfig(known), ['api']);
  const worker = workerApart
    ? await startRelais(known, 'worker')
    : { ...(await startRoles(loadConfig(known), ['worker'])), pid: process.pid };
  const targets = [webhooks, api, worker].map(({ urls }) => urls.metrics ?? '');
  const prometheus = await startPrometheus({
    targets,
    rules: ['alerts', 'recording'].map((file) => change(readOps(`prometheus/rules/${file}.yml`))),
  });
  const scraped = async (): Promise<boolean> =>
    (await prometheus.targets()).filter(({ health }) => health === 'up').length === targets.length;
  await until('every target is up', scraped, 120_000);
  return {
    prometheus,
    server,
    redis,
    ledger,
    sandbox,
    urls: {
      api: api.urls.api ?? '',
      webhooks: webhooks.urls.webhooks ?? '',
      workerMetrics: worker.urls.metrics ?? '',
    },
    api: async (method, path, body) => factsOf(await ask(`${api.urls.api}${path}`, method, body)),
    control: async (method, path, body) => factsOf(await ask(`${sandbox.control}${path}`, method, body)),
    books: async (name) => rowsOf(await ask(`${sandbox.control}/books/${name}`, 'GET')),
    workerPid: worker.pid,
    startRedis: async () => {
      await server.stop();
      server = await startEmbeddedRedis({ dir, port: server.port });
    },
    stop: async () => {
      await prometheus.stop();
      await worker.stop();
      await api.stop();
      await webhooks.stop();
      redis.disconnect();
      await sandbox.stop();
      await server.stop();
      await ledger.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function ask(url: string, method: 'GET' | 'POST' | 'DELETE', body?: unknown): Promise<unknown> {
  const answer = await request(url, {
    method,
    headers: { authorization: 'Bearer maker-secret', 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  const seen: unknown = text === '' ? {} : JSON.parse(text);
  if (answer.statusCode >= 400) throw new Error(`${method} ${url}: ${answer.statusCode} ${JSON.stringify(seen)}`);
  return seen;
}

function factsOf(told: unknown): Facts {
  if (typeof told !== 'object' || told === null) throw new TypeError(`no facts: ${JSON.stringify(told)}`);
  return { ...told };
}

function rowsOf(told: unknown): readonly Facts[] {
  if (!Array.isArray(told)) throw new TypeError(`no rows: ${JSON.stringify(told)}`);
  return told.map(factsOf);
}
