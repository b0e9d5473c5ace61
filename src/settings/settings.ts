/**
 * All environment variables. This schema gives the types, the start-up check, .env.example, docs/settings.md and the
 * first log line. A setting is declared only here; config.ts reads it.
 */
import { z } from 'zod';
import { readPrices } from '../files/prices.ts';
import { readUsualHours, readTimeZone } from '../lib/quiet-hours.ts';
import { readNetwork } from '../lib/addresses.ts';
import { toMs } from '../lib/clock.ts';
import { database } from './database.ts';
import { endpoints } from './endpoints.ts';
import { traces } from './traces.ts';
import { approvers } from './approvers.ts';
import { trial } from './trial.ts';
import { DEFAULT_PREFIX, readPrefix } from '../redis/connections.ts';
import {
  campaignApproval,
  count,
  country,
  duration,
  durationOrOff,
  durations,
  fileWith,
  httpUrl,
  issuer,
  limit,
  onOff,
  orIssue,
  port,
  readAccountsText,
  readCertificates,
  readFingerprint,
  readWithdrawModeName,
  recheckTimes,
  redisUrl,
  secret,
  sender,
  addresses,
  words,
} from './types.ts';
import { says } from '../messages/schemas.ts';
import { englishSettings } from '../messages/english-settings.ts';

/** For readers of docs/settings.md; `secret` values are shown only as set or missing. */
interface SettingMeta {
  readonly help: string;
  readonly group: string;
  readonly secret?: true;
}

export const metas = new Map<string, SettingMeta>();

function group(name: string, members: Record<string, readonly [z.ZodType, string, 'secret'?]>): void {
  for (const [setting, [, help, kind]] of Object.entries(members)) {
    metas.set(setting, { help, group: name, ...(kind === 'secret' ? { secret: true as const } : {}) });
  }
}

const redis = {
  REDIS_URL: [
    redisUrl('redis://127.0.0.1:6379'),
    'Redis server for the queues: redis:// or rediss://. Nothing that must be kept is stored there.',
  ],
  REDIS_PREFIX: [
    z.string().default(DEFAULT_PREFIX).transform(orIssue(readPrefix)),
    'Prefix of all Redis keys, with one name in braces. Two deployments on one Redis need two prefixes.',
  ],
  REDIS_CA_FILE: [
    fileWith(readCertificates).optional(),
    'PEM file of the authority that signs the `rediss://` certificate. Unset: the authorities of Node.js.',
  ],
  REDIS_SENTINELS: [addresses().optional(), 'Redis Sentinel addresses: host:port,host:port. Unset: no sentinels.'],
  REDIS_CLUSTER: [
    addresses().optional(),
    'Addresses of some Redis Cluster nodes: host:port,host:port. `REDIS_URL` gives user, password and encryption. Unset: no cluster.',
  ],
  REDIS_SENTINEL_NAME: [z.string().default('mymaster'), 'Name of the primary in Redis Sentinel.'],
  REDIS_SENTINEL_USER: [z.string().optional(), 'User name for Redis Sentinel. Unset: the default user.'],
  REDIS_SENTINEL_PASSWORD: [
    secret(),
    'Password for Redis Sentinel. The password of Redis itself is in `REDIS_URL`. Unset: no password.',
    'secret',
  ],
  ENVIRONMENT: [
    z
      .string()
      .regex(/^[\w-]{1,32}$/, says('letters_digits_dash_underscore'))
      .default('default'),
    'Name of the environment. It is part of every derived id, so that staging and live never share one.',
  ],
} as const;

const service = {
  SERVICE_BASE_URL: [httpUrl().optional(), englishSettings.SERVICE_BASE_URL],
  SERVICE_CRM_URL: [httpUrl().optional(), englishSettings.SERVICE_CRM_URL],
  SERVICE_MODE: [
    z.enum(['live', 'test']).default('live'),
    '`test`: use the test paths of the provider where it has them. `live`: use the live paths.',
  ],
  LIVE_PATHS_IN_TEST: [
    z.enum(['refuse', 'send']).default('refuse'),
    'In test mode, `refuse` or `send` the operations that have only a live path.',
  ],
  SERVICE_HEADER_PREFIX: [
    z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]*$/, says('letters_digits_dash'))
      .default('SERVICE'),
    'Prefix of the header names SERVICE-MASTER-KEY, SERVICE-PRIVATE-KEY and SERVICE-TOKEN; also for `relais sandbox`.',
  ],
  SERVICE_MASTER_KEY: [secret(), englishSettings.SERVICE_MASTER_KEY, 'secret'],
  SERVICE_PRIVATE_KEY: [secret(), englishSettings.SERVICE_PRIVATE_KEY, 'secret'],
  SERVICE_TOKEN: [secret(), englishSettings.SERVICE_TOKEN, 'secret'],
  SERVICE_KEYS_BEFORE: [
    words(readFingerprint),
    'Fingerprints of the earlier keys of the account `main`, separated by commas. `relais doctor` shows them.',
  ],
  SMS_USER_KEY: [secret(), englishSettings.SMS_USER_KEY, 'secret'],
  SMS_SECRET_KEY: [secret(), englishSettings.SMS_SECRET_KEY, 'secret'],
  SMS_APP_KEY: [secret(), englishSettings.SMS_APP_KEY, 'secret'],
  SMS_SENDER: [sender().optional(), 'Sender ID of the messaging account, at most 20 characters.'],
  ACCOUNTS_FILE: [
    fileWith(readAccountsText).optional(),
    'JSON file with several accounts: account name → the same fields in camelCase. Unset: one account, `main`.',
  ],
} as const;

const listeners = {
  PUBLIC_URL: [httpUrl().optional(), englishSettings.PUBLIC_URL],
  CALLBACK_SECRET: [secret(), englishSettings.CALLBACK_SECRET, 'secret'],
  SEALING_SECRET: [secret(), englishSettings.SEALING_SECRET, 'secret'],
  API_PORT: [port(3000), 'TCP port of the HTTP API. 0: a free port.'],
  WEBHOOKS_PORT: [port(3001), 'TCP port of the callback receiver. 0: a free port.'],
  METRICS_PORT: [port(0), 'TCP port of /metrics, /healthz and /readyz. 0: a free port.'],
  HOST: [z.string().default('127.0.0.1'), 'IP address to listen on.'],
  MAX_CONNECTIONS: [
    count(4_000, { min: 1 }),
    'Maximum number of open connections for each listener. Further connections are closed. One address has at most a quarter of them.',
  ],
  TRUSTED_PROXIES: [
    words(readNetwork),
    'Addresses or networks of your proxies, such as 10.0.0.5,10.1.0.0/16. relais reads the client from their X-Forwarded-For. Unset: a proxy is a client like any other.',
  ],
  API_KEYS: [
    secret(),
    'API keys: name[/person]:role+role[@account+account]:secret-or-sha256:hex,… with the roles enqueue (or only enqueue-sms or enqueue-payments) read approve operate admin. For approvals, two keys of one person count as one.',
    'secret',
  ],
  CONSOLE: [
    z.enum(['on', 'off']).default('on'),
    '`on`: the console at /console on the API port, with sign-in from a browser. `off`: no console.',
  ],
  API_RATE: [count(100), 'Maximum requests per second for each API key and API process. 0: no limit.'],
} as const;

const provider = {
  OIDC_ISSUER: [
    issuer().optional(),
    'Issuer URL of the identity provider (OpenID Connect) for sign-in to the console: https://…. Unset: sign-in with an API key only.',
  ],
  OIDC_CLIENT_ID: [z.string().min(1).optional(), 'Client id of relais at the identity provider.'],
  OIDC_CLIENT_SECRET: [
    secret(),
    'Client secret of relais at the identity provider. A new secret ends the sessions that started with the old one.',
    'secret',
  ],
  OIDC_GROUPS: [
    z.string().optional(),
    'Roles for each group of the identity provider: group:role+role[@account+account],… as in API_KEYS. The first match applies.',
  ],
  OIDC_GROUPS_CLAIM: [z.string().default('groups'), 'Name of the token claim that lists the groups of a user.'],
  OIDC_SCOPE: [
    z.string().default('openid email'),
    'Scopes that relais requests from the identity provider. Some providers send groups only with an additional scope.',
  ],
} as const;

const money = {
  DISBURSEMENT_RESUBMIT: [
    z.enum(['resubmit', 'strict']).default('resubmit'),
    '`resubmit`: submit again when the provider reports that nothing was submitted. `strict`: never submit a disbursement twice.',
  ],
  DISBURSEMENT_QUIET_PERIOD: [duration('60s'), 'Duration after a submit in which the answer `created` is ignored.'],
  DISBURSEMENT_POLL: [
    durations('2s,5s,10s,20s,40s,1m,2m,5m,10m,30m'),
    'Waits between status checks of a disbursement, as durations separated by commas. The last wait repeats.',
  ],
  DISBURSEMENT_LIMIT: [
    duration('72h'),
    'Duration after which a disbursement needs review and is checked once a day.',
  ],
  RECHECK_SUCCEEDED: [
    recheckTimes('24h,72h,7d'),
    'Ages after success, as durations separated by commas, at which a disbursement is checked again; the series restarts after contradicting evidence. Each check costs one request. `off`: no check.',
  ],
  MAX_DISBURSEMENT: [
    limit('MAX_DISBURSEMENT'),
    'Maximum amount of one disbursement, in XOF. `off`: no limit. The default applies only while no process and no operator has set a value.',
  ],
  MAX_PER_BENEFICIARY_DAY: [
    limit('MAX_PER_BENEFICIARY_DAY'),
    'Maximum accepted amount for each beneficiary (country and phone number) and day (UTC), in XOF. `off`: no limit.',
  ],
  MAX_PER_DAY: [
    limit('MAX_PER_DAY'),
    'Maximum accepted amount for each account and day (UTC), in XOF. `off`: no limit.',
  ],
  APPROVAL_ABOVE: [
    limit('APPROVAL_ABOVE'),
    'Amount in XOF above which one disbursement needs the approval of a different person. `off`: no approval.',
  ],
  CAMPAIGN_APPROVAL_ABOVE: [
    campaignApproval(),
    'Size above which a campaign needs the approval of a different person: 50000xof (estimated with `SMS_PRICES_FILE`), 1000recipients, or both. `off`: no approval.',
  ],
  DUPLICATE_WINDOW: [
    limit('DUPLICATE_WINDOW'),
    'Time, as a duration, in which the same amount to the same beneficiary is refused without `allowDuplicate`. `off`: no check.',
  ],
  EXTRA_WITHDRAW_MODES: [
    words(readWithdrawModeName),
    'Additional withdraw modes of the provider, separated by commas and spelt as the provider expects them.',
  ],
  HOLD_RECHECK: [duration('30s'), 'Wait, as a duration, between checks of the cause of a hold.'],
} as const;

const collect = {
  INVOICE_POLL: [
    durations('10s,30s,1m,5m,15m'),
    'Waits between status checks of an unpaid invoice, as durations separated by commas. Checks end after 25 hours.',
  ],
  PAYMENT_REQUEST_POLL: [
    durations('1m,5m,15m,1h,6h'),
    'Waits between status checks of a payment request, as durations separated by commas. Checks end after 30 days.',
  ],
  DIRECT_CREDIT: [
    onOff,
    '`on`: allow direct credits, which have no status check at the provider. `off`: refuse them; the withdraw mode `service` does the same and has a status check.',
  ],
  SOFTPAY_CARD: [
    onOff,
    '`on`: allow direct card payments, only for companies certified under the card-data security standard. `off`: refuse them.',
  ],
} as const;

const transport = {
  UPSTREAM_TIMEOUT: [duration('60s'), 'Maximum wait for an answer of the provider, as a duration.'],
  UPSTREAM_CONNECT_TIMEOUT: [duration('5s'), 'Maximum duration of connecting to the provider.'],
  UPSTREAM_RATE: [
    count(50),
    'Maximum requests per second to the provider for each account and interface, over all processes. 0: no limit.',
  ],
} as const;

const messaging = {
  SMS_BATCH_WINDOW: [
    duration('50ms'),
    'Time, as a duration, during which messages are collected for one request. A one-time password waits only if another one has just been sent.',
  ],
  SMS_SETTLE_DELAY: [duration('60s'), 'Duration between an unclear answer and the check of the SMS statistics.'],
  SMS_PRICES_FILE: [
    fileWith(readPrices).optional(),
    'JSON file with the price of an SMS segment in XOF for each country, such as {"SN": 20}. Unset: no cost estimates in uploads and reports.',
  ],
  SMS_BUDGET_DAY: [
    limit('SMS_BUDGET_DAY'),
    'Maximum SMS cost for each account and day of `TIMEZONE`, in XOF by `SMS_PRICES_FILE`. Further SMS wait. `off`: no limit.',
  ],
  SMS_BUDGET_MONTH: [
    limit('SMS_BUDGET_MONTH'),
    'Maximum SMS cost for each account and calendar month of `TIMEZONE`, in XOF by `SMS_PRICES_FILE`. Further SMS wait. `off`: no limit.',
  ],
  SMS_ON_UNKNOWN: [
    z.enum(['hold', 'resend']).default('hold'),
    'Recipients in doubt after two status checks: `hold` leaves them `unknown`, `resend` sends to them again, so they can get the SMS twice.',
  ],
  SMS_SPLIT: [
    onOff.unwrap().default('on'),
    '`on`: a request refused because of one invalid recipient is sent again in parts, so that only the invalid recipient fails. `off`: all its recipients fail.',
  ],
  SMS_LOGIN_ENCODING: [
    z.enum(['auto', 'form', 'json', 'form-as-json']).default('auto'),
    'Encoding of the SMS sign-in request. `auto` tries the encodings, because the provider documentation contradicts itself.',
  ],
  DEFAULT_COUNTRY: [
    country().optional(),
    'Country of phone numbers without a country code, in campaigns and opt-outs without a country: two letters, such as SN. Unset: such numbers are not accepted.',
  ],
  QUIET_HOURS: [
    z.string().default('21:00-08:00').transform(orIssue(readUsualHours)),
    'Hours in which campaigns and SMS to payees are not sent, such as 21:00-08:00; a campaign can set its own. `off`: they are sent at any hour.',
  ],
  TIMEZONE: [
    z.string().default('Africa/Dakar').transform(orIssue(readTimeZone)),
    'Time zone, such as Africa/Dakar, of the quiet hours of campaigns without their own, of the days of reports and of times in CSV files.',
  ],
} as const;

const running = {
  BALANCE_INTERVAL: [
    durationOrOff('10m'),
    'Interval, as a duration, at which one worker checks the balances of all accounts. Each check costs one request. `off`: no check.',
  ],
  SWEEP_INTERVAL: [duration('1s'), 'Interval, as a duration, at which the poller looks for due operations.'],
  WORKER_CONCURRENCY: [
    count(50, { min: 1, max: 1_000 }),
    'Maximum number of attempts in progress for each process and main queue; for SMS, of requests in progress.',
  ],
  DRAIN_TIMEOUT: [
    z
      .string()
      .optional()
      .transform((value, context) => (value === undefined ? undefined : orIssue(toMs)(value, context))),
    'Time, as a duration, that a stopping process gives its attempts to finish. Unset: the time-outs of the provider plus 5s.',
  ],
  WITNESS_FILE: [
    z.string().optional(),
    'Path of a file, on another disk than PostgreSQL, that records how far the ledger had come. Unset: no file.',
  ],
  EVENTS_KEEP: [duration('30d'), 'Retention of events, as a duration.'],
  AUDIT_KEEP: [duration('400d'), 'Retention of audit log lines, as a duration.'],
  REPORTS_KEEP: [duration('400d'), 'Retention of the daily totals for reports, as a duration.'],
  LOG_FORMAT: [
    z.enum(['json', 'pretty']).default('json'),
    '`json`, or `pretty` for people. `relais dev` uses `pretty` on a terminal.',
  ],
  LOG_LEVEL: [
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    'Lowest level of the log: fatal, error, warn, info, debug, trace or silent.',
  ],
} as const;

const sandbox = {
  SANDBOX_PORT: [port(4010), 'TCP port of the payment interface of `relais sandbox`.'],
  SANDBOX_CRM_PORT: [port(4011), 'TCP port of the messaging interface of `relais sandbox`.'],
  SANDBOX_CONTROL_PORT: [port(4012), 'TCP port of the records and faults of `relais sandbox`.'],
  SANDBOX_STRICTNESS: [
    z.enum(['strict', 'lenient']).default('strict'),
    '`strict`: the simulator refuses requests that do not fit the interface. `lenient`: it accepts those of clients other than relais.',
  ],
} as const;

const groups = {
  PostgreSQL: database,
  Redis: redis,
  'The provider': service,
  Listeners: listeners,
  'Signing in by a provider of identities': provider,
  Disbursements: money,
  'Invoices, payment requests, direct credits': collect,
  Transport: transport,
  Messages: messaging,
  'Webhook endpoints': endpoints,
  Approvals: approvers,
  Trial: trial,
  Running: running,
  Traces: traces,
  Sandbox: sandbox,
} as const;
for (const [name, members] of Object.entries(groups)) group(name, members);

const typesOf = <M extends Record<string, readonly [z.ZodType, ...unknown[]]>>(members: M) =>
  Object.fromEntries(Object.entries(members).map(([name, [type]]) => [name, type])) as { [N in keyof M]: M[N][0] };

export const settings = z.object({
  ...typesOf(database),
  ...typesOf(redis),
  ...typesOf(service),
  ...typesOf(listeners),
  ...typesOf(provider),
  ...typesOf(money),
  ...typesOf(collect),
  ...typesOf(transport),
  ...typesOf(messaging),
  ...typesOf(endpoints),
  ...typesOf(approvers),
  ...typesOf(trial),
  ...typesOf(running),
  ...typesOf(traces),
  ...typesOf(sandbox),
});

export type Config = Readonly<z.output<typeof settings>>;
