/** The times of a storm, short enough that leases end during it. All in ms. */
import { join } from 'node:path';
import { relaisSettings } from '../support/relais-settings.ts';
import type { Mode } from './options.ts';

export const UPSTREAM_TIMEOUT_MS = 1_000;
const UPSTREAM_CONNECT_TIMEOUT_MS = 1_000;

/** Twice the longest exchange. */
export const LEASE_MS = 2 * (UPSTREAM_TIMEOUT_MS + UPSTREAM_CONNECT_TIMEOUT_MS);
/** For a job: an attempt may make two exchanges, and must end in half of it. */
export const LOCK_MS = 2 * LEASE_MS;
/** The delay of a late effect from its request: after the caller has given up. */
export const LATE_MS = 1_500;
/** Longer than any effect that outlives its request. */
export const QUIET_MS = 2_000;
export const SETTLE_MS = 300;

export const CALLBACK_SECRET = 'callback-canary-of-the-storm';
export const API_SECRET = 'api-canary-of-the-storm';
/** The key of another person, for decisions that need two. */
export const SECOND_SECRET = 'second-api-canary-of-the-storm';
export const keysOfStorm = [
  `storm:enqueue+read+approve+operate:${API_SECRET}`,
  `second:read+approve+operate:${SECOND_SECRET}`,
].join(',');
export const ENVIRONMENT = 'storm';

export interface Addresses {
  readonly redisUrl: string;
  readonly databaseUrl: string;
  readonly base: string;
  readonly crm: string;
  readonly apiPort: number;
  readonly webhooksPort: number;
}

/** The settings of every process of ours. None come from the caller's environment. */
export function settingsOf(to: Addresses, mode: Mode): Readonly<Record<string, string>> {
  return {
    ...relaisSettings(to),
    ENVIRONMENT,
    CALLBACK_SECRET,
    PUBLIC_URL: `http://127.0.0.1:${to.webhooksPort}`,
    API_PORT: String(to.apiPort),
    WEBHOOKS_PORT: String(to.webhooksPort),
    API_KEYS: keysOfStorm,
    SOFTPAY_CARD: 'on',
    DIRECT_CREDIT: 'on',
    UPSTREAM_TIMEOUT: `${UPSTREAM_TIMEOUT_MS}ms`,
    UPSTREAM_CONNECT_TIMEOUT: `${UPSTREAM_CONNECT_TIMEOUT_MS}ms`,
    DISBURSEMENT_RESUBMIT: mode,
    DISBURSEMENT_QUIET_PERIOD: `${QUIET_MS}ms`,
    DISBURSEMENT_POLL: '300ms,500ms,1s',
    RECHECK_SUCCEEDED: '1s,3s',
    SMS_SETTLE_DELAY: `${LATE_MS}ms`,
    HOLD_RECHECK: '1s',
    SWEEP_INTERVAL: '200ms',
    WORKER_CONCURRENCY: '20',
    // Durations of attempts are read from log lines, and more lines make a leak more likely.
    LOG_LEVEL: 'debug',
  };
}

/** The required part of the environment. */
export function bareEnvironment(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'REDIS_SERVER_BIN'];
  const inherited = kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return { ...Object.fromEntries(inherited), ...settings };
}

export const defaultProgram = join(import.meta.dirname, '../../bin/relais.js');
