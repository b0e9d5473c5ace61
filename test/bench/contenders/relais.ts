/** relais as it is deployed: a process with the doors, one or more workers, a Redis that forgets nothing. */
import { Redis } from 'ioredis';
import { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { freePort } from '../../../src/lib/listening.ts';
import type { EmbeddedRedis } from '../../../src/redis/embedded.ts';
import { SHIPPED_ARGS, SHIPPED_ENV } from '../../../script/shipped.ts';
import { relaisSettings } from '../../support/relais-settings.ts';
import type { Pids } from '../measure.ts';
import { type Program, startProgram } from '../programs.ts';
import type { Stage } from '../stage.ts';
import { CALLBACK_SECRET, CONCURRENCY } from '../work.ts';

export interface Relais {
  readonly redis: EmbeddedRedis;
  /** For looking from outside; not used while anything is measured, but for the one question whether it is over. */
  readonly look: Redis;
  readonly door: Program;
  readonly workers: readonly Program[];
  readonly api: string;
  /** One more process, as a supervisor starts one in the place of another. */
  start(name: string, roles: string): Promise<Program>;
  ask<T>(method: 'GET' | 'POST', path: string, body?: object | Iterable<string>): Promise<T>;
  /** By name, with Redis and the sandbox. */
  pids(): Pids;
  /** Of Redis, bytes. */
  usedMemory(): Promise<number>;
  stop(): Promise<void>;
}

export interface RelaisPlan {
  readonly workers?: number;
  readonly concurrency?: number;
  /** Default: one of the stage. It is stopped with the rest. */
  readonly redis?: EmbeddedRedis;
  readonly settings?: Readonly<Record<string, string>>;
  /** What `node` is told before the program: to profile it, say. */
  readonly nodeOptions?: readonly string[];
}

export async function startRelais(stage: Stage, plan: RelaisPlan = {}): Promise<Relais> {
  const redis = plan.redis ?? (await stage.redis());
  const webhooksPort = await freePort();
  const settings = {
    ...settingsOf(stage, redis.url, webhooksPort),
    WORKER_CONCURRENCY: String(plan.concurrency ?? CONCURRENCY),
    ...plan.settings,
  };
  const { dir, program } = stage;
  const start = (name: string, roles: string): Promise<Program> =>
    startProgram({
      name,
      args: [...SHIPPED_ARGS, ...(plan.nodeOptions ?? []), program, 'run', '--roles', roles],
      settings: { ...SHIPPED_ENV, ...settings },
      dir,
    });
  const door = await start('door', 'api,webhooks');
  const workers = await Promise.all(
    Array.from({ length: plan.workers ?? 1 }, (_, index) => start(`worker-${index + 1}`, 'worker')),
  );
  const later: Program[] = [];
  const look = new Redis({ port: redis.port, host: '127.0.0.1', keyPrefix: '{relais}:' });
  const agent = new Agent({ headersTimeout: 600_000, bodyTimeout: 600_000 });
  const api = door.urls['api'] ?? '';
  const scraping = scrape([door, ...workers], agent);
  return {
    redis,
    look,
    door,
    workers,
    api,
    start: async (name, roles) => {
      const one = await start(name, roles);
      later.push(one);
      return one;
    },
    ask: (method, path, body) => ask(agent, method, `${api}${path}`, body),
    pids: () => ({
      ...Object.fromEntries(
        workers.map(({ pid }, index) => [workers.length === 1 ? 'worker' : `worker ${index + 1}`, pid]),
      ),
      door: door.pid,
      redis: redis.pid,
      sandbox: stage.sandbox.pid,
    }),
    usedMemory: async () => memoryOfData(await look.info('memory')),
    stop: async () => {
      clearInterval(scraping);
      look.disconnect();
      await Promise.all([door, ...workers, ...later].map((one) => one.stop()));
      await agent.close();
      await redis.stop();
    },
  };
}

function settingsOf({ base, crm }: Stage, redisUrl: string, webhooksPort: number): Record<string, string> {
  return {
    ...relaisSettings({ redisUrl, base, crm }),
    CALLBACK_SECRET,
    PUBLIC_URL: `http://127.0.0.1:${webhooksPort}`,
    WEBHOOKS_PORT: String(webhooksPort),
    DISBURSEMENT_QUIET_PERIOD: '2s',
  };
}

/** What Redis holds at this moment for its connections and its file comes and goes, and is no record of ours. */
export function memoryOfData(info: string): number {
  const bytes = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  return bytes('used_memory') - bytes('mem_clients_normal') - bytes('mem_aof_buffer');
}

const SCRAPE_EVERY_MS = 5_000;

/** As a Prometheus would, only more often. */
function scrape(programs: readonly Program[], agent: Agent): NodeJS.Timeout {
  const one = async ({ urls }: Program): Promise<void> => {
    const { body } = await request(`${urls['metrics']}/metrics`, { dispatcher: agent });
    await body.dump();
  };
  return setInterval(() => {
    // A page that did not come is what a scraper lives with; it has no part in what is measured.
    for (const program of programs) void one(program).catch(() => undefined);
  }, SCRAPE_EVERY_MS);
}

async function ask<T>(
  agent: Agent,
  method: 'GET' | 'POST',
  url: string,
  body?: object | Iterable<string>,
): Promise<T> {
  const isFile = typeof body === 'object' && Symbol.iterator in body;
  const answer = await request(url, {
    method,
    dispatcher: agent,
    headers: { authorization: 'Bearer dev', 'content-type': isFile ? 'text/csv' : 'application/json' },
    ...(body === undefined ? {} : { body: isFile ? Readable.from(body) : JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${method} ${url} answered ${answer.statusCode} ${text}`);
  return JSON.parse(text) as T;
}
