/** Redis servers and sentinels of every condition, each a process of its own that ends with this one. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, vi } from 'vitest';
import { freePort } from '../../src/lib/listening.ts';
import { type ConnectionRecipe, waitUntilReady } from '../../src/redis/connections.ts';
import { findRedisServer, supervise } from '../../src/redis/embedded.ts';

export interface Server {
  readonly port: number;
  readonly pid: number;
  readonly dir: string;
  /** A client that looks from outside, ready. */
  readonly redis: Redis;
  stop(): Promise<void>;
}

const DURABLE = {
  bind: '127.0.0.1',
  appendonly: 'yes',
  appendfsync: 'always',
  'no-appendfsync-on-rewrite': 'no',
  save: '',
  'maxmemory-policy': 'noeviction',
};
const READY_LIMIT_MS = 20_000;

/** As on a disk with so much room: what does not fit is an error to Redis, and not the signal that would kill it. */
const WITH_ROOM_FOR = (blocks: number): string => `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" "$@"`;
const BLOCK_BYTES = 512;

/**
 * `client`: how the looking client connects, where a port on loopback is not enough. `roomBytes`: how long a file of
 * it may become.
 */
export async function startServer(
  settings: Readonly<Record<string, string>> = {},
  client: ConnectionRecipe = {},
  roomBytes?: number,
): Promise<Server> {
  const dir = settings['dir'] ?? mkdtempSync(join(tmpdir(), 'relais-server-'));
  const port = Number(settings['tls-port'] ?? settings['port'] ?? (await freePort()));
  const all = { ...DURABLE, port: String(port), ...settings, dir };
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  const command = [findRedisServer(), ...args];
  const limited = roomBytes === undefined ? [] : ['/bin/sh', '-c', WITH_ROOM_FOR(Math.ceil(roomBytes / BLOCK_BYTES))];
  return started({ command: [...limited, ...command], dir, keep: settings['dir'] !== undefined, port, client });
}

export async function startSentinel(
  primary: number,
  settings: readonly string[] = [],
  client: ConnectionRecipe = {},
): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), 'relais-sentinel-'));
  const port = await freePort();
  const file = join(dir, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${dir}`,
    `sentinel monitor mymaster 127.0.0.1 ${primary} 2`,
    'sentinel down-after-milliseconds mymaster 1000',
    'sentinel failover-timeout mymaster 10000',
    ...settings,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const command = [findRedisServer(), file, '--sentinel'];
  return started({ command, dir, keep: false, port, client });
}

/** Each has found the one replica and the other sentinels: from then on they can agree on who comes after the primary. */
export async function untilAcquainted(sentinels: readonly Server[]): Promise<void> {
  const [replicas, others] = ['1', String(sentinels.length - 1)];
  const known = async (): Promise<void> => {
    for (const one of sentinels) {
      const told = (await one.redis.call('SENTINEL', 'master', 'mymaster')) as string[];
      const fact = (name: string) => told[told.indexOf(name) + 1];
      expect([fact('num-slaves'), fact('num-other-sentinels')]).toEqual([replicas, others]);
    }
  };
  await vi.waitFor(known, { timeout: READY_LIMIT_MS, interval: 50 });
}

interface Start {
  readonly command: readonly string[];
  readonly dir: string;
  readonly keep: boolean;
  readonly port: number;
  readonly client: ConnectionRecipe;
}

async function started({ command: [program = '', ...args], dir, keep, port, client }: Start): Promise<Server> {
  const server = supervise({ program, args, dir, keep });
  const pid = await server.pid;
  server.release();
  const redis = new Redis({ host: '127.0.0.1', port, retryStrategy: () => 50, ...client });
  // Servers come and go here; a test that needs this one notices by its commands.
  redis.on('error', () => undefined);
  const early = server.ended.then((last) => Promise.reject(new Error(`Redis ended: ${last}`)));
  early.catch(() => undefined);
  await Promise.race([waitUntilReady(redis, READY_LIMIT_MS), early]);
  return {
    port,
    pid,
    dir,
    redis,
    stop: async () => {
      redis.disconnect();
      await server.stop();
    },
  };
}
