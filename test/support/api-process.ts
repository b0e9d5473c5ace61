/** Only the API role, on a given database and Redis. For tests with several processes. */
import { loadConfig } from '../../src/config.ts';
import { startRoles } from '../../src/app/run.ts';
import { type FreshLedger, freshLedger } from './fresh-ledger.ts';
import { freshRedis } from './fresh-redis.ts';

export interface Running {
  readonly url: string;
  stop(): Promise<void>;
}

export interface Stores {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

/** New ones, for tests without a service. */
export async function freshStores(): Promise<Stores & Pick<FreshLedger, 'query' | 'close'>> {
  const [redis, ledger] = [await freshRedis(), await freshLedger({ isNew: true })];
  return {
    databaseUrl: ledger.url,
    redisUrl: redis.url,
    query: (sql) => ledger.query(sql),
    close: async () => {
      await redis.close();
      await ledger.close();
    },
  };
}

export async function apiOn(
  { databaseUrl, redisUrl }: Stores,
  env: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const running = await startRoles(
    loadConfig({
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      SERVICE_BASE_URL: 'http://127.0.0.1:9',
      SERVICE_CRM_URL: 'http://127.0.0.1:9',
      CALLBACK_SECRET: 'callback-secret',
      API_PORT: '0',
      API_RATE: '0',
      LOG_LEVEL: 'silent',
      ...env,
    }),
    ['api'],
  );
  return { url: running.urls.api ?? '', stop: () => running.stop() };
}
