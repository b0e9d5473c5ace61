import { sandboxKeys } from '../../src/app/sandbox.ts';

interface Places {
  readonly redisUrl: string;
  readonly databaseUrl: string;
  /** The two hosts of the sandbox. */
  readonly base: string;
  readonly crm: string;
}

/**
 * What every relais that a test starts is told: where PostgreSQL, Redis and the sandbox are, and as whom it is known there. Its ports
 * are free ones, and nothing holds it back; who needs it otherwise says so after these.
 */
export function relaisSettings({ redisUrl, databaseUrl, base, crm }: Places): Readonly<Record<string, string>> {
  return {
    REDIS_URL: redisUrl,
    DATABASE_URL: databaseUrl,
    SERVICE_BASE_URL: base,
    SERVICE_CRM_URL: crm,
    ...sandboxKeys,
    API_PORT: '0',
    WEBHOOKS_PORT: '0',
    METRICS_PORT: '0',
    API_RATE: '0',
    // A request that the test did not ask for would be counted among those that it did.
    BALANCE_INTERVAL: 'off',
    UPSTREAM_RATE: '0',
    // Tests run at night, too.
    QUIET_HOURS: 'off',
  };
}
