/** Everything a storm needs, started: Redis, the service, relais in four processes, and the wires between them. */
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Child } from './child.ts';
import { type Image, isSubmit, submitNames } from './hearsay.ts';
import { Link } from './link.ts';
import type { Mode } from './options.ts';
import { type Addresses, settingsOf } from './plan.ts';
import { Power } from './power.ts';
import { type Exchange, Tap } from './tap.ts';

export const WORKERS = 3;

export interface World {
  readonly dir: string;
  readonly power: Power;
  readonly sandbox: Child;
  /** The API and the callback receiver. */
  readonly door: Child;
  readonly workers: readonly Child[];
  /** One for the door, then one for each worker. */
  readonly links: readonly Link[];
  readonly taps: { readonly base: Tap; readonly crm: Tap };
  readonly images: ReadonlyMap<Exchange, Image>;
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
  /** Whether a torn file of Redis is mended before it starts again. */
  readonly mends: boolean;
  /** The record that a disburse_id belongs to. */
  readonly idOf: (disburseId: string) => string | undefined;
}

export async function startWorld(plan: WorldPlan): Promise<World> {
  const { dir, program, mode, seed } = plan;
  mkdirSync(join(dir, 'redis'), { recursive: true });
  const power = await Power.on(join(dir, 'redis'), plan.mends);
  const sandbox = new Child({
    name: 'sandbox',
    program,
    args: ['sandbox', '--seed', String(seed)],
    settings: { SANDBOX_PORT: '0', SANDBOX_CRM_PORT: '0', SANDBOX_CONTROL_PORT: '0', LOG_LEVEL: 'warn' },
    log: join(dir, 'sandbox.log'),
  });
  await mustStart(sandbox);
  const { images, before, closeReader } = imageReader(power.port, plan.idOf);
  const taps = {
    base: await Tap.to({ target: portOf(sandbox.urls['base']), before }),
    crm: await Tap.to({ target: portOf(sandbox.urls['crm']), before: () => undefined }),
  };
  const links = await Promise.all(Array.from({ length: WORKERS + 1 }, () => Link.to(power.port)));
  const ports = { apiPort: await freePort(), webhooksPort: await freePort() };
  const child = (name: string, roles: string, link: Link | undefined): Child => {
    const redisUrl = `redis://127.0.0.1:${link?.port ?? 0}`;
    const to: Addresses = { redisUrl, base: taps.base.url, crm: taps.crm.url, ...ports };
    return new Child({
      name,
      program,
      args: ['run', '--roles', roles],
      settings: settingsOf(to, mode),
      log: join(dir, `${name}.log`),
    });
  };
  const door = child('door', 'api,webhooks', links[0]);
  const workers = Array.from({ length: WORKERS }, (_, index) =>
    child(`worker-${index + 1}`, 'worker', links[index + 1]),
  );
  for (const one of [door, ...workers]) await mustStart(one);
  return {
    dir,
    power,
    sandbox,
    door,
    workers,
    links,
    taps,
    images,
    api: `http://127.0.0.1:${ports.apiPort}`,
    webhooks: `http://127.0.0.1:${ports.webhooksPort}`,
    control: sandbox.urls['control'] ?? '',
    stop: async () => {
      await Promise.all([...workers, door].map((one) => one.kill()));
      await sandbox.kill();
      for (const link of links) await link.close();
      for (const tap of Object.values(taps)) await tap.refuse();
      closeReader();
      await power.stop();
    },
  };
}

async function mustStart(child: Child): Promise<void> {
  if (!(await child.start())) throw new Error(`${child.plan.name} did not start; see ${child.plan.log}`);
}

/** Reads the record of every submit that is on its way, past the wires, straight from Redis. */
function imageReader(port: number, idOf: WorldPlan['idOf']) {
  const redis = new Redis({
    port,
    host: '127.0.0.1',
    enableOfflineQueue: false,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 1_000,
    retryStrategy: () => 50,
  });
  // Redis is killed often; a record that could not be read then is counted as not seen.
  redis.on('error', () => undefined);
  const images = new Map<Exchange, Image>();
  const read = async (exchange: Exchange): Promise<void> => {
    const id = idOf(submitNames(exchange).disburseId);
    if (id === undefined) return;
    try {
      const [state, token, sends] = await redis.hmget(`{relais}:op:${id}`, 'state', 'token', 'sends');
      images.set(exchange, { state: state ?? '', token: token ?? '', sends: Number(sends ?? 0) });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
    }
  };
  const before = (exchange: Exchange): Promise<void> | undefined => (isSubmit(exchange) ? read(exchange) : undefined);
  return { images, before, closeReader: () => redis.disconnect() };
}

const portOf = (url: string | undefined): number => Number(new URL(url ?? 'http://127.0.0.1:0').port);

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
