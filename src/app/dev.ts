/**
 * `relais dev`: an embedded PostgreSQL and Redis, the sandbox and all roles in one process, without configuration.
 */
import { createServer } from 'node:http';
import { type Part, startAll } from './parts.ts';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { roles } from '../cli/io.ts';
import { loadConfig } from '../config.ts';
import { PortTaken, listening } from '../lib/listening.ts';
import { systemRandom } from '../lib/random.ts';
import { startEmbeddedRedis } from '../redis/embedded.ts';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import { type Surroundings, aborted, startRoles } from './run.ts';
import type { Urls } from './processor-context.ts';
import { sandboxKeys } from './sandbox.ts';

type Settings = Record<string, string | undefined>;

export async function dev({ env, signal, ready }: Surroundings): Promise<number> {
  // Keys and addresses of the environment are ignored: nothing here may connect beyond this machine.
  const settings: Settings = { ...forPeople(), ...anyHour, ...env, ...devSettings() };
  await leaveTakenPorts(settings);
  const urls: Urls & { base?: string; crm?: string; control?: string; redis?: string; database?: string } = {};
  const stop = await startAll([
    postgresPart(settings, urls),
    redisPart(settings, urls),
    sandboxPart(settings, urls),
    {
      name: 'relais',
      start: async () => {
        const running = await startRoles(loadConfig(settings), roles);
        Object.assign(urls, running.urls);
        return running.stop;
      },
    },
  ]);
  ready({ ready: true, ...urls });
  await aborted(signal);
  await stop();
  return 0;
}

/** A terminal shows only important lines; a program that reads a pipe gets every line as JSON. */
const forPeople = (): Settings => (process.stderr.isTTY ? { LOG_FORMAT: 'pretty', LOG_LEVEL: 'warn' } : {});

/** The sandbox sends no real SMS, so a first test must work at night too. */
const anyHour: Settings = { QUIET_HOURS: 'off' };

function devSettings(): Settings {
  return {
    SERVICE_MODE: 'live',
    SERVICE_HEADER_PREFIX: 'SERVICE',
    ...sandboxKeys,
    HOST: '127.0.0.1',
    API_KEYS: 'dev:enqueue+read+approve+operate:dev,checker:read+approve:checker,root:admin:root',
    PUBLIC_URL: undefined,
    ACCOUNTS_FILE: undefined,
    REDIS_SENTINELS: undefined,
    REDIS_CLUSTER: undefined,
    DATABASE_CA_FILE: undefined,
    CALLBACK_SECRET: systemRandom.hex(16),
  };
}

/** Another program, such as a second `relais dev`, may use the ports: the printed addresses show the actual ones. */
async function leaveTakenPorts(settings: Settings): Promise<void> {
  const { HOST, ...config } = loadConfig(settings);
  for (const setting of ['API_PORT', 'WEBHOOKS_PORT', 'METRICS_PORT', ...SANDBOX_PORTS] as const) {
    const server = createServer();
    try {
      await listening(server, { port: config[setting], host: HOST, setting });
    } catch (error) {
      if (!(error instanceof PortTaken)) throw error;
      settings[setting] = '0';
    } finally {
      await new Promise((closed) => server.close(closed));
    }
  }
}

const SANDBOX_PORTS = ['SANDBOX_PORT', 'SANDBOX_CRM_PORT', 'SANDBOX_CONTROL_PORT'] as const;

function redisPart(settings: Settings, urls: { redis?: string }): Part {
  return {
    name: 'the embedded Redis',
    start: async () => {
      const binary = settings['REDIS_SERVER_BIN'];
      const redis = await startEmbeddedRedis(binary ? { binary } : {});
      settings['REDIS_URL'] = redis.url;
      urls.redis = redis.url;
      return () => redis.stop();
    },
  };
}

/** Runs first, so that a missing server stops everything else. DATABASE_URL replaces the embedded server. */
function postgresPart(settings: Settings, urls: { database?: string }): Part {
  return {
    name: 'PostgreSQL',
    start: async () => {
      if (settings['DATABASE_URL']) return async () => undefined;
      const { openEmbeddedPostgres } = await import('../ledger/embedded.ts');
      const folder = mkdtempSync(join(tmpdir(), 'relais-postgres-'));
      const own = await openEmbeddedPostgres(folder, { endsWithUs: true });
      settings['DATABASE_URL'] = own.url;
      urls.database = own.url;
      return () => own.remove();
    },
  };
}

function sandboxPart(settings: Settings, urls: Partial<Pick<Sandbox, 'base' | 'crm' | 'control'>>): Part {
  return {
    name: 'the sandbox',
    start: async () => {
      const config = loadConfig(settings);
      const sandbox = await startSandbox({
        settings: { strictness: config.SANDBOX_STRICTNESS },
        ports: { base: config.SANDBOX_PORT, crm: config.SANDBOX_CRM_PORT, control: config.SANDBOX_CONTROL_PORT },
      });
      settings['SERVICE_BASE_URL'] = sandbox.base;
      settings['SERVICE_CRM_URL'] = sandbox.crm;
      const { base, crm, control } = sandbox;
      Object.assign(urls, { base, crm, control });
      return () => sandbox.stop();
    },
  };
}
