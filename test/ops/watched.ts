/** relais as three processes would be, on a Redis of its own, watched by a real Prometheus that loads our rules. */
import { Redis } from 'ioredis';
import { request } from 'undici';
import { loadConfig } from '../../src/config.ts';
import { startRoles } from '../../src/parts/run.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { type Sandbox, defaultCredentials, startSandbox } from '../../src/sandbox/sandbox.ts';
import { type Prometheus, startPrometheus, until } from './prometheus.ts';
import { readOps } from './rules-files.ts';

export interface Watched {
  readonly prometheus: Prometheus;
  readonly server: EmbeddedRedis;
  readonly redis: Redis;
  readonly sandbox: Sandbox;
  readonly urls: { readonly api: string; readonly webhooks: string; readonly workerMetrics: string };
  readonly api: (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<Record<string, unknown>>;
  readonly stopWorker: () => Promise<void>;
  stop(): Promise<void>;
}

const QUICK = {
  UPSTREAM_TIMEOUT: '2s',
  UPSTREAM_CONNECT_TIMEOUT: '1s',
  DISBURSEMENT_POLL: '200ms,500ms,1s',
  DISBURSEMENT_LIMIT: '20s',
  DISBURSEMENT_QUIET_PERIOD: '1s',
  SWEEP_INTERVAL: '50ms',
  SMS_SETTLE_DELAY: '300ms',
  HOLD_RECHECK: '300ms',
  LOG_LEVEL: 'silent',
};

/**
 * `quickly`: what takes minutes in the rules takes seconds here. Each condition has to last for two, and each age counts
 * for sixty times what it is.
 */
export function quickly(rules: string): string {
  return rules
    .replaceAll(/^( +for: ).*$/gm, '$12s')
    .replaceAll(/(seconds(?::max)?(?:\{[^}]*\})?\)? > )(\d+)$/gm, (_all, left: string, limit: string) => {
      return `${left}${Number(limit) / 60}`;
    });
}

export async function startWatched(change: (rules: string) => string = (rules) => rules): Promise<Watched> {
  const server = await startEmbeddedRedis();
  const sandbox = await startSandbox();
  const redis = new Redis(server.url);
  const { masterKey, privateKey, token, smsUserKey, smsSecretKey, smsAppKey, smsSender } = defaultCredentials;
  const settings: Record<string, string> = {
    ...QUICK,
    REDIS_URL: server.url,
    SERVICE_BASE_URL: sandbox.base,
    SERVICE_CRM_URL: sandbox.crm,
    SERVICE_MASTER_KEY: masterKey,
    SERVICE_PRIVATE_KEY: privateKey,
    SERVICE_TOKEN: token,
    SMS_USER_KEY: smsUserKey,
    SMS_SECRET_KEY: smsSecretKey,
    SMS_APP_KEY: smsAppKey,
    SMS_SENDER: smsSender,
    CALLBACK_SECRET: 'callback-secret',
    API_KEYS: 'maker:enqueue+read+approve+operate:maker-secret,checker:read+approve:checker-secret',
    ALLOW_LOOPBACK_ENDPOINTS: 'on',
    API_PORT: '0',
    WEBHOOKS_PORT: '0',
  };
  const webhooks = await startRoles(loadConfig(settings), ['webhooks']);
  const known = { ...settings, PUBLIC_URL: webhooks.urls.webhooks ?? '' };
  const api = await startRoles(loadConfig(known), ['api']);
  const worker = await startRoles(loadConfig(known), ['worker']);
  const targets = [webhooks, api, worker].map(({ urls }) => urls.metrics ?? '');
  const prometheus = await startPrometheus({
    targets,
    rules: ['alerts', 'recording'].map((file) => change(readOps(`prometheus/rules/${file}.yml`))),
  });
  let working = true;
  const stopWorker = async (): Promise<void> => {
    if (!working) return;
    working = false;
    await worker.stop();
  };
  const scraped = async (): Promise<boolean> =>
    (await prometheus.targets()).filter(({ health }) => health === 'up').length === targets.length;
  await until('every target is up', scraped, 20_000);
  return {
    prometheus,
    server,
    redis,
    sandbox,
    urls: {
      api: api.urls.api ?? '',
      webhooks: webhooks.urls.webhooks ?? '',
      workerMetrics: worker.urls.metrics ?? '',
    },
    api: (method, path, body) => ask(`${api.urls.api}${path}`, method, body),
    stopWorker,
    stop: async () => {
      await prometheus.stop();
      await stopWorker();
      await api.stop();
      await webhooks.stop();
      redis.disconnect();
      await sandbox.stop();
      await server.stop();
    },
  };
}

async function ask(url: string, method: 'GET' | 'POST', body?: unknown): Promise<Record<string, unknown>> {
  const answer = await request(url, {
    method,
    headers: { authorization: 'Bearer maker-secret', 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const seen = (await answer.body.json()) as Record<string, unknown>;
  if (answer.statusCode >= 400) throw new Error(`${method} ${url}: ${answer.statusCode} ${JSON.stringify(seen)}`);
  return seen;
}
