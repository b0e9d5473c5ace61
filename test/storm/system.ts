/**
 * The environment of a storm: PostgreSQL, Redis, the sandbox, relais in four processes, and the connections between
 * them.
 */
import { join } from 'node:path';
import { freePort } from '../../src/lib/listening.ts';
import { Child } from './child.ts';
import { FaultyRedis } from '../support/faulty-redis.ts';
import { StormDatabase } from './database.ts';
import { Damage } from './damage.ts';
import { imageReader, type Images } from './images.ts';
import { FIRST_LIMIT } from './limit-changes.ts';
import { Link } from '../support/link.ts';
import type { Mode } from './options.ts';
import { settingsOf } from './plan.ts';
import { Tap } from './tap.ts';
import type { Scenario } from './scenarios.ts';

export const WORKERS = 3;

export interface System {
  readonly dir: string;
  readonly database: StormDatabase;
  readonly redis: FaultyRedis;
  readonly sandbox: Child;
  /** The API and the callback receiver. */
  readonly front: Child;
  readonly workers: readonly Child[];
  /** To PostgreSQL: one for the API, then one for each worker. */
  readonly links: readonly Link[];
  /** To Redis, in the same order. */
  readonly redisLinks: readonly Link[];
  readonly taps: { readonly base: Tap; readonly crm: Tap };
  readonly images: Images;
  readonly damage: Damage;
  readonly scenarios: ReadonlySet<Scenario>;
  /** The initial settings of every process of ours. */
  readonly settings: Readonly<Record<string, string>>;
  readonly program: string;
  readonly api: string;
  readonly webhooks: string;
  readonly control: string;
  /** Aborted when `stop` begins: no fault begins after that. */
  readonly stopping: AbortSignal;
  readonly stop: () => Promise<void>;
}

export interface SystemPlan {
  readonly dir: string;
  readonly program: string;
  readonly mode: Mode;
  readonly seed: number;
  readonly scenarios: ReadonlySet<Scenario>;
  /** The record of a disburse_id. */
  readonly idOf: (disburseId: string) => string | undefined;
  /** Additional settings of every process of ours. */
  readonly more?: Readonly<Record<string, string>>;
}

export async function startSystem(plan: SystemPlan): Promise<System> {
  const { dir, program, mode, seed } = plan;
  const database = await StormDatabase.in(join(dir, 'postgres'));
  const redis = await FaultyRedis.start();
  const sandbox = await startSandbox('sandbox', plan);
  const { images, before, close: closeReader } = imageReader(database.url, plan.idOf);
  const damage = new Damage(seed, plan.scenarios);
  const tapTo = (area: string): Promise<Tap> =>
    Tap.to({ target: portOf(sandbox.urls[area]), before, bend: (exchange) => damage.bend(exchange) });
  const taps = { base: await tapTo('base'), crm: await tapTo('crm') };
  const linksTo = (port: number): Promise<Link[]> =>
    Promise.all(Array.from({ length: WORKERS + 1 }, () => Link.to(port)));
  const links = await linksTo(database.port);
  const redisLinks = await linksTo(redis.port);
  const ports = { apiPort: await freePort(), webhooksPort: await freePort() };
  const settings = {
    ...settingsOf({ redisUrl: '', databaseUrl: '', base: taps.base.url, crm: taps.crm.url, ...ports }, mode),
    WITNESS_FILE: join(dir, 'witness'),
    ...(plan.scenarios.has('limits') ? { MAX_DISBURSEMENT: String(FIRST_LIMIT) } : {}),
    ...plan.more,
  };
  const through = (url: string, link: Link | undefined): string =>
    Object.assign(new URL(url), { port: String(link?.port ?? 0) }).href;
  const child = (name: string, roles: string, at: number): Child =>
    new Child({
      name,
      program,
      args: ['run', '--roles', roles],
      settings: {
        ...settings,
        DATABASE_URL: through(database.url, links[at]),
        REDIS_URL: through(redis.url, redisLinks[at]),
      },
      log: join(dir, `${name}.log`),
    });
  const front = child('front', 'api,webhooks', 0);
  const workers = Array.from({ length: WORKERS }, (_, index) => child(`worker-${index + 1}`, 'worker', index + 1));
  for (const one of [front, ...workers]) await one.start();
  const stopping = new AbortController();
  const stop = async (): Promise<void> => {
    stopping.abort();
    await Promise.all([...workers, front].map((one) => one.kill()));
    await sandbox.kill();
    for (const link of [...links, ...redisLinks]) await link.close();
    for (const tap of Object.values(taps)) await tap.refuse();
    await closeReader();
    await redis.stop();
    await database.stop();
  };
  const { apiPort, webhooksPort } = ports;
  return {
    dir,
    program,
    settings,
    scenarios: plan.scenarios,
    database,
    redis,
    sandbox,
    front,
    workers,
    links,
    redisLinks,
    taps,
    images,
    damage,
    api: `http://127.0.0.1:${apiPort}`,
    webhooks: `http://127.0.0.1:${webhooksPort}`,
    control: sandbox.urls['control'] ?? '',
    stopping: stopping.signal,
    stop,
  };
}

export async function startSandbox(
  name: string,
  { dir, program, seed }: Pick<SystemPlan, 'dir' | 'program' | 'seed'>,
): Promise<Child> {
  const sandbox = new Child({
    name,
    program,
    args: ['sandbox', '--seed', String(seed)],
    settings: { SANDBOX_PORT: '0', SANDBOX_CRM_PORT: '0', SANDBOX_CONTROL_PORT: '0', LOG_LEVEL: 'warn' },
    log: join(dir, `${name}.log`),
  });
  await sandbox.start();
  return sandbox;
}

const portOf = (url: string | undefined): number => Number(new URL(url ?? 'http://127.0.0.1:0').port);
