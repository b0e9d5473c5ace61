/** Everything a storm needs, started: Redis, the service, relais in four processes, and the wires between them. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/lib/listening.ts';
import { Child } from './child.ts';
import { Damage } from './damage.ts';
import { type History, historyOf } from './history.ts';
import { imageReader, type Images } from './images.ts';
import { FIRST_LIMIT } from './limit-changes.ts';
import { Link } from './link.ts';
import type { Mode } from './options.ts';
import { settingsOf } from './plan.ts';
import { Power } from './power.ts';
import { RedisClock } from './redis-clock.ts';
import { Tap } from './tap.ts';
import { certificateIn } from './terminator.ts';
import type { WorldName } from './worlds.ts';

export const WORKERS = 3;

export interface World {
  readonly dir: string;
  readonly power: Power;
  readonly sandbox: Child;
  /** The API and the callback receiver. */
  readonly door: Child;
  readonly workers: readonly Child[];
  /** All that lead to Redis: one for the door, then one for each worker, then those of history. */
  readonly links: readonly Link[];
  /** Absent: all stays in Redis. */
  readonly history: History | undefined;
  readonly taps: { readonly base: Tap; readonly crm: Tap };
  readonly images: Images;
  readonly damage: Damage;
  /** Absent: the clock of Redis is the true one. */
  readonly redisClock: RedisClock | undefined;
  readonly worlds: ReadonlySet<WorldName>;
  /** What every process of ours was told at first. */
  readonly settings: Readonly<Record<string, string>>;
  readonly program: string;
  readonly api: string;
  readonly webhooks: string;
  readonly control: string;
  readonly stop: () => Promise<void>;
}

export interface WorldPlan {
  readonly dir: string;
  readonly program: string;
  readonly mode: Mode;
  readonly seed: number;
  readonly worlds: ReadonlySet<WorldName>;
  /** Whether what is over goes to PostgreSQL, and leaves Redis. */
  readonly history?: boolean;
  /** Whether a torn file of Redis is mended before it starts again. */
  readonly mends: boolean;
  /** The record that a disburse_id belongs to. */
  readonly idOf: (disburseId: string) => string | undefined;
  /** What every process of ours is told besides. */
  readonly more?: Readonly<Record<string, string>>;
}

export async function startWorld(plan: WorldPlan): Promise<World> {
  const { dir, program, mode, seed } = plan;
  mkdirSync(join(dir, 'redis'), { recursive: true });
  const redisClock = plan.worlds.has('clock') ? RedisClock.in(dir) : undefined;
  const power = await Power.on({ dir: join(dir, 'redis'), mends: plan.mends, binary: redisClock?.binary });
  const sandbox = await startSandbox('sandbox', plan);
  const { images, before, close: closeReader } = imageReader(power, plan.idOf);
  const damage = new Damage(seed, plan.worlds);
  const certificate = plan.worlds.has('tls') ? certificateIn(dir) : undefined;
  const tapTo = (area: string): Promise<Tap> =>
    Tap.to({ target: portOf(sandbox.urls[area]), before, bend: (exchange) => damage.bend(exchange), certificate });
  const taps = { base: await tapTo('base'), crm: await tapTo('crm') };
  const links = await Promise.all(Array.from({ length: WORKERS + 1 }, () => Link.to(power.port)));
  const ports = { apiPort: await freePort(), webhooksPort: await freePort() };
  const settings = {
    ...settingsOf({ redisUrl: '', base: taps.base.url, crm: taps.crm.url, ...ports }, mode),
    WITNESS_FILE: join(dir, 'witness'),
    ...(certificate ? { NODE_EXTRA_CA_CERTS: certificate.file } : {}),
    ...(plan.worlds.has('limits') ? { MAX_DISBURSEMENT: String(FIRST_LIMIT) } : {}),
    ...plan.more,
  };
  const history = plan.history ? await historyOf({ dir, program, redisPort: power.port }, settings) : undefined;
  const child = (name: string, roles: string, link: Link | undefined, more = {}): Child =>
    new Child({
      name,
      program,
      args: ['run', '--roles', roles],
      settings: { ...settings, ...more, REDIS_URL: `redis://127.0.0.1:${link?.port ?? 0}` },
      log: join(dir, `${name}.log`),
    });
  const door = child('door', 'api,webhooks', links[0], history?.doorSettings);
  const workers = Array.from({ length: WORKERS }, (_, index) =>
    child(`worker-${index + 1}`, 'worker', links[index + 1]),
  );
  const scribes = history?.scribes ?? [];
  for (const one of [door, ...workers, ...scribes.map(({ process }) => process)]) await one.start();
  const stop = async (): Promise<void> => {
    await Promise.all([...workers, door].map((one) => one.kill()));
    await history?.stop();
    await sandbox.kill();
    for (const link of links) await link.close();
    for (const tap of Object.values(taps)) await tap.refuse();
    closeReader();
    await power.stop();
  };
  const { apiPort, webhooksPort } = ports;
  return {
    dir,
    program,
    settings,
    worlds: plan.worlds,
    power,
    redisClock,
    sandbox,
    door,
    workers,
    links: [...links, ...scribes.map(({ toRedis }) => toRedis)],
    history,
    taps,
    images,
    damage,
    api: `http://127.0.0.1:${apiPort}`,
    webhooks: `http://127.0.0.1:${webhooksPort}`,
    control: sandbox.urls['control'] ?? '',
    stop,
  };
}

export async function startSandbox(
  name: string,
  { dir, program, seed }: Pick<WorldPlan, 'dir' | 'program' | 'seed'>,
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
