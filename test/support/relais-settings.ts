import { sandboxKeys } from '../../src/app/sandbox.ts';

interface Places {
  readonly redisUrl: string;
  readonly databaseUrl: string;
  /** The two hosts of the sandbox. */
  readonly base: string;
  readonly crm: string;
}

/**
 * Default settings of relais in tests: the addresses of PostgreSQL, Redis and the sandbox, and the credentials. Free
 * ports and no limits; a test overrides them after these.
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
    // A request that the test did not send would distort its counts.
    BALANCE_INTERVAL: 'off',
    UPSTREAM_RATE: '0',
    // Tests run at night, too.
    QUIET_HOURS: 'off',
  };
}
