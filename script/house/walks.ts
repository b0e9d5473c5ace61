/** What works for one disbursement, and for one row of a file: found by letting one of each happen, and nothing else. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { sandboxKeys } from '../../src/app/sandbox.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { Asking } from '../demonstration/asking.ts';
import { type DemoPostgres, openPostgres } from '../demonstration/postgres.ts';
import { isGenerated, isSandbox } from './tree.ts';
import { type Covered, type Worker, readCoverage, sourceLinesOf, sourcePathOf, workers } from './coverage.ts';
import { build, watch } from './watched.ts';

export interface Walks {
  readonly disbursement: readonly Worker[];
  readonly recipient: readonly Worker[];
}

const KEY = 'house-secret';
const EVENT_LIMIT_MS = 60_000;

/** What a walk does at the door, and the event that ends it. */
interface Work {
  readonly ask: (api: Asking) => Promise<void>;
  readonly ends: string;
}

/** Named as the walks they are; each through the API, as a caller does it. */
const works: Readonly<Record<keyof Walks, Work>> = {
  disbursement: {
    ask: async (api) => {
      const asked = {
        accountAlias: '771234567',
        amount: 5_000,
        withdrawMode: 'wallet-a-senegal',
        reference: 'house',
      };
      await api.post('/v1/disbursements', asked);
    },
    ends: 'disbursement.succeeded',
  },
  recipient: {
    ask: async (api) => {
      const made = { name: 'house', text: 'Bonjour {{nom}}', country: 'SN', reference: 'house' };
      const { id } = await api.post<{ id: string }>('/v1/campaigns', made);
      await api.post(`/v1/campaigns/${id}/recipients`, 'to;nom\n771234567;Awa', 'text/csv');
      await api.post(`/v1/campaigns/${id}/start`);
    },
    ends: 'campaign.finished',
  },
};

/** Everything that has to be gone at the end, whatever happens in between. */
interface Stage {
  readonly postgres: DemoPostgres;
  readonly redis: EmbeddedRedis;
  readonly sandbox: Sandbox;
  readonly built: string;
  readonly folder: string;
  readonly onKill: (kill: () => void) => void;
}

/** `root`: the tree that is measured, with its packages installed. */
export async function measureWalks(root: string): Promise<Walks> {
  const folder = join(root, 'node_modules', `.measure-house-${process.pid}`);
  const kills: (() => void)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const end = (): void => kills.toReversed().forEach((kill) => kill());
  process.once('exit', end);
  try {
    const built = await build(root, folder);
    const binary = process.env['REDIS_SERVER_BIN'];
    const redis = await startEmbeddedRedis(binary ? { binary } : {});
    const postgres = await openPostgres();
    const sandbox = await startSandbox();
    try {
      return await walkEach({ postgres, redis, sandbox, built, folder, onKill: (kill) => void kills.push(kill) });
    } finally {
      await sandbox.stop();
      await postgres.stop();
      await redis.stop();
    }
  } finally {
    process.off('exit', end);
    end();
  }
}

/** The idle process lives as long as the longest walk, so that whatever happens by the clock happens in it too. */
async function walkEach(stage: Stage): Promise<Walks> {
  const startedMono = performance.now();
  const disbursement = await covered(stage, 'disbursement', 1, (at) => work(at, works.disbursement));
  const recipient = await covered(stage, 'recipient', 2, (at) => work(at, works.recipient));
  const longestMs = performance.now() - startedMono;
  const idle = await covered(stage, 'idle', 3, () => new Promise((resolve) => setTimeout(resolve, longestMs)));
  const told = (working: readonly Covered[]): readonly Worker[] =>
    workers({ working, idle }, sourceLinesOf)
      .map(({ url, lines }) => ({ path: sourcePathOf(url, stage.built), lines }))
      .filter((file) => !isSandbox(file) && !isGenerated(file))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  return { disbursement: told(disbursement), recipient: told(recipient) };
}

interface Place {
  readonly api: Asking;
  readonly databaseUrl: string;
  readonly schema: string;
}

/** Each process has a schema and a Redis database of its own, so that no process finds work of another. */
async function covered(
  { postgres, redis, sandbox, built, folder, onKill }: Stage,
  name: string,
  database: number,
  during: (place: Place) => Promise<unknown>,
): Promise<readonly Covered[]> {
  const coverage = join(folder, name);
  mkdirSync(coverage);
  const schema = `house_${name}`;
  const env = {
    DATABASE_URL: postgres.url,
    DATABASE_SCHEMA: schema,
    REDIS_URL: `${redis.url}/${database}`,
    SERVICE_BASE_URL: sandbox.base,
    SERVICE_CRM_URL: sandbox.crm,
    ...sandboxKeys,
    CALLBACK_SECRET: 'house-callback',
    API_KEYS: `house:enqueue+read+operate:${KEY}`,
    API_PORT: '0',
    WEBHOOKS_PORT: '0',
    METRICS_PORT: '0',
    QUIET_HOURS: 'off',
    LOG_LEVEL: 'warn',
  };
  const process = await watch({ built, env, coverage, started: onKill });
  await during({ api: new Asking(process.api, KEY), databaseUrl: postgres.url, schema });
  await process.stop();
  return readCoverage(coverage, built);
}

/** The end is read from PostgreSQL: a request to the API would be counted as work. */
async function work({ api, databaseUrl, schema }: Place, { ask, ends }: Work): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await ask(api);
    const untilMono = performance.now() + EVENT_LIMIT_MS;
    for (let seen: readonly string[] = []; !seen.includes(ends); ) {
      if (performance.now() > untilMono)
        throw new Error(`no ${ends} within ${EVENT_LIMIT_MS} ms; seen: ${seen.join(' ')}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      const { rows } = await client.query<{ type: string }>(`select distinct type from ${schema}.event`);
      seen = rows.map(({ type }) => type);
    }
  } finally {
    await client.end();
  }
}
