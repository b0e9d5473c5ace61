/** The API role alone, on a Redis that is given. For tests of several processes at one door. */
import { loadConfig } from '../../src/config.ts';
import { startRoles } from '../../src/app/run.ts';

export interface Running {
  readonly url: string;
  stop(): Promise<void>;
}

export async function apiOn(redisUrl: string, env: Readonly<Record<string, string>> = {}): Promise<Running> {
  const running = await startRoles(
    loadConfig({
      REDIS_URL: redisUrl,
      SERVICE_BASE_URL: 'http://127.0.0.1:9',
      SERVICE_CRM_URL: 'http://127.0.0.1:9',
      CALLBACK_SECRET: 'callback-secret',
      API_PORT: '0',
      WITNESS_FILE: 'off',
      API_RATE: '0',
      LOG_LEVEL: 'silent',
      ...env,
    }),
    ['api'],
  );
  return { url: running.urls.api ?? '', stop: () => running.stop() };
}
