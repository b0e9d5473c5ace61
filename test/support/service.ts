/** All roles in this process, with their own database and sandbox. For *.parts.test.ts. */
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { Agent, type Dispatcher, request } from 'undici';
import { systemClock } from '../../src/lib/clock.ts';
import { loadConfig } from '../../src/config.ts';
import { startRoles } from '../../src/app/run.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { assertDeclared } from './contract.ts';
import { type FreshLedger, freshLedger } from './fresh-ledger.ts';
import { freshRedis } from './fresh-redis.ts';
import { relaisSettings } from './relais-settings.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // Tests read answers freely; the shapes are under test.
  readonly body: any;
}

export interface Call {
  readonly body?: unknown;
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** For an endless answer: it is read until it contains this. */
  readonly until?: string;
  /** Another loopback address: 127.x.y.z. */
  readonly from?: string;
}

/** A connection per request, so that none stays open. */
const from = (localAddress: string): Dispatcher => new Agent({ localAddress, pipelining: 0 });

export interface Service {
  readonly api: string;
  readonly webhooks: string;
  readonly metrics: string;
  readonly redis: Redis;
  /** For another process with the same records. */
  readonly redisUrl: string;
  readonly ledger: FreshLedger;
  readonly databaseUrl: string;
  readonly sandbox: Sandbox;
  /** Fails if the route does not declare the answer. */
  call(method: string, path: string, call?: Call): Promise<Answer>;
  /** For a GET of events, after every reported event is published. */
  published(path: string, call?: Call): Promise<Answer>;
  /** Repeats the request until the answer matches; fails with the last one after two minutes. */
  until(path: string, wanted: (body: any) => boolean): Promise<any>;
  books(section?: string): Promise<any>;
  control(method: string, path: string, body?: unknown): Promise<any>;
  /** Stops relais, and leaves the simulator and Redis running for reads. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

/** Two keys with all rights, one read-only, and one for another account. */
export const KEYS = [
  'maker:enqueue+read+approve+operate+admin:maker-secret',
  'checker:enqueue+read+approve+operate:checker-secret',
  'reader:read:reader-secret',
  'stranger:enqueue+read+approve+operate@other:stranger-secret',
].join(',');

const WAIT_MS = 120_000;
const ASK_EVERY_MS = 25;

interface ServiceParts extends Pick<SandboxOptions, 'onLine'> {
  /** Without a worker only the test itself does anything. */
  readonly roles?: Parameters<typeof startRoles>[1];
  /** Default: all of them. */
  readonly queues?: Parameters<typeof startRoles>[2];
  readonly openRedis?: typeof freshRedis;
  /** Default: the address of the ledger. */
  readonly databaseOf?: (ledger: FreshLedger) => Promise<string>;
  readonly logger?: Logger;
}

export async function startService(
  env: Readonly<Record<string, string>> = {},
  {
    onLine,
    roles = ['worker', 'webhooks', 'api'],
    queues,
    openRedis = freshRedis,
    databaseOf,
    logger,
  }: ServiceParts = {},
): Promise<Service> {
  const [fresh, ledger] = [await openRedis(), await freshLedger({ isNew: true })];
  const databaseUrl = (await databaseOf?.(ledger)) ?? ledger.url;
  const sandbox = await startSandbox(onLine ? { onLine } : {});
  const running = await startRoles(
    loadConfig({
      ...relaisSettings({ ...sandbox, redisUrl: fresh.url, databaseUrl }),
      CALLBACK_SECRET: 'callback-secret',
      API_KEYS: KEYS,
      UPSTREAM_TIMEOUT: '2s',
      UPSTREAM_CONNECT_TIMEOUT: '1s',
      DISBURSEMENT_POLL: '200ms,500ms,1s',
      DISBURSEMENT_QUIET_PERIOD: '1s',
      SWEEP_INTERVAL: '50ms',
      SMS_SETTLE_DELAY: '300ms',
      HOLD_RECHECK: '300ms',
      LOG_LEVEL: 'silent',
      ...env,
    }),
    roles,
    queues,
    logger ? { logger } : {},
  );
  const { api = '', webhooks = '', metrics = '' } = running.urls;
  let drained: Promise<void> | undefined;
  const drain = (): Promise<void> => (drained ??= running.stop());
  const call: Service['call'] = async (method, path, how = {}) => {
    const answer = await ask(`${api}${path}`, method, how);
    assertDeclared(method, path, answer);
    return answer;
  };
  const control: Service['control'] = async (method, path, body) =>
    (await ask(`${sandbox.control}${path}`, method, { body, key: null })).body;
  return {
    api,
    webhooks,
    metrics,
    redis: fresh.redis,
    redisUrl: fresh.url,
    ledger,
    databaseUrl,
    sandbox,
    call,
    control,
    published: async (path, how) => {
      const giveUp = AbortSignal.timeout(WAIT_MS);
      for (;;) {
        const waiting = await ledger.query('select from relais.outbox where refused is null limit 1');
        if (waiting.length === 0) return call('GET', path, how);
        if (giveUp.aborted) throw new Error('events are not published');
        await systemClock.sleep(ASK_EVERY_MS);
      }
    },
    books: (section) => control('GET', section ? `/books/${section}` : '/books'),
    until: async (path, wanted) => {
      const giveUp = AbortSignal.timeout(WAIT_MS);
      for (;;) {
        const { body } = await call('GET', path);
        if (wanted(body)) return body;
        if (giveUp.aborted) throw new Error(`${path} stayed ${JSON.stringify(body)}`);
        await systemClock.sleep(ASK_EVERY_MS);
      }
    },
    drain,
    stop: async () => {
      await drain();
      await sandbox.stop();
      await fresh.close();
      await ledger.close();
    },
  };
}

export async function ask(
  url: string,
  method: string,
  { body, key = 'maker-secret', headers, from: address, until }: Call,
): Promise<Answer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const answer = await request(url, {
    method: method as 'GET',
    ...(address === undefined ? {} : { dispatcher: from(address) }),
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined || raw ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? null : raw ? body : JSON.stringify(body),
  });
  const text = until === undefined ? await answer.body.text() : await readUntil(answer.body, until);
  const json = /[/+]json/.test(String(answer.headers['content-type']));
  return { status: answer.statusCode, headers: answer.headers, body: json && text ? JSON.parse(text) : text };
}

async function readUntil(body: Dispatcher.ResponseData['body'], wanted: string): Promise<string> {
  let text = '';
  for await (const part of body.setEncoding('utf8')) {
    text += String(part);
    if (text.includes(wanted)) break;
  }
  return text;
}
