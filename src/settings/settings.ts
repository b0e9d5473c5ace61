/**
 * What the environment may hold. This one schema gives the types, the start-up check, .env.example, docs/settings.md
 * and the first log line; and what processors know of it. A setting is declared here and nowhere else; config.ts
 * reads it.
 */
import { z } from 'zod';
import { readPrices } from '../files/prices.ts';
import { readQuietHours, readTimeZone } from '../lib/quiet-hours.ts';
import { toMs } from '../lib/clock.ts';
import type { Opinions } from '../operations/limits.ts';
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

/** Read by people in docs/settings.md; `secret` values are shown as set or missing, never themselves. */
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
  REDIS_URL: [redisUrl('redis://127.0.0.1:6379'), 'Where the records and queues live: redis:// or rediss://.'],
  REDIS_PREFIX: [
    z.string().default(DEFAULT_PREFIX).transform(orIssue(readPrefix)),
    'What all keys begin with, one name in braces: two deployments on one Redis need two.',
  ],
  REDIS_CA_FILE: [
    fileWith(readCertificates).optional(),
    'PEM file of the authority that signs the certificate of a `rediss://`, where Node.js does not know it.',
  ],
  REDIS_SENTINELS: [addresses().optional(), 'host:port,host:port of the sentinels, where there are some.'],
  REDIS_CLUSTER: [
    addresses().optional(),
    'host:port,host:port of some nodes of a Redis Cluster; `REDIS_URL` gives user, password and encryption.',
  ],
  REDIS_SENTINEL_NAME: [z.string().default('mymaster'), 'The name by which the sentinels know the primary.'],
  REDIS_SENTINEL_USER: [
    z.string().optional(),
    'The user name of relais with the sentinels, where they have users of their own.',
  ],
  REDIS_SENTINEL_PASSWORD: [
    secret(),
    'What the sentinels themselves ask for; the password of Redis stands in `REDIS_URL`.',
    'secret',
  ],
  REDIS_WAIT_REPLICAS: [count(0, { max: 10 }), 'How many replicas must hold a write before money or a text leaves.'],
  REDIS_PATIENCE: [
    z
      .string()
      .optional()
      .transform((value, context) => (value === undefined ? undefined : orIssue(toMs)(value, context))),
    'How long a process that starts waits for Redis before it ends with status 1. Default: as long as it must.',
  ],
  DURABILITY: [
    z.enum(['checked', 'asserted'], { error: 'must be checked or asserted' }).default('checked'),
    '`asserted`: the Redis hides its configuration, and you vouch for appendfsync always and noeviction.',
  ],
  ENVIRONMENT: [
    z
      .string()
      .regex(/^[\w-]{1,32}$/, 'must be letters, digits, - or _')
      .default('default'),
    'Part of every derived id, so that staging and live never meet.',
  ],
} as const;

const service = {
  SERVICE_BASE_URL: [httpUrl().optional(), 'The payment and disbursement area of the service.'],
  SERVICE_CRM_URL: [httpUrl().optional(), 'The messaging area of the service.'],
  SERVICE_MODE: [
    z.enum(['live', 'test'], { error: 'must be live or test' }).default('live'),
    '`test` uses the sandbox paths where the service has them.',
  ],
  LIVE_PATHS_IN_TEST: [
    z.enum(['refuse', 'send'], { error: 'must be refuse or send' }).default('refuse'),
    'In test mode, what to do with operations that have only a live path.',
  ],
  SERVICE_HEADER_PREFIX: [
    z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be letters, digits and -')
      .default('SERVICE'),
    'Gives the header names SERVICE-MASTER-KEY, SERVICE-PRIVATE-KEY and SERVICE-TOKEN; of `relais sandbox` too.',
  ],
  SERVICE_MASTER_KEY: [secret(), 'Main key of the account `main`.', 'secret'],
  SERVICE_PRIVATE_KEY: [secret(), 'Private key of the account `main`.', 'secret'],
  SERVICE_TOKEN: [secret(), 'Application token of the account `main`.', 'secret'],
  SERVICE_KEYS_BEFORE: [
    words(readFingerprint),
    'Fingerprints of the keys that those of `main` have taken the place of (`relais doctor` tells them).',
  ],
  SMS_USER_KEY: [secret(), 'User key of the messaging account.', 'secret'],
  SMS_SECRET_KEY: [secret(), 'Secret key of the messaging account.', 'secret'],
  SMS_APP_KEY: [secret(), 'Application key of the messaging account.', 'secret'],
  SMS_SENDER: [sender().optional(), 'The sender signature configured on the messaging account.'],
  ACCOUNTS_FILE: [
    fileWith(readAccountsText).optional(),
    'JSON file of several accounts: name → the same fields in camelCase.',
  ],
} as const;

const listeners = {
  PUBLIC_URL: [
    httpUrl().optional(),
    'Where the service reaches our webhooks listener, and people the page behind `{{stop}}` in a text.',
  ],
  CALLBACK_SECRET: [
    secret(),
    'Key of the callback paths and of the links of `{{stop}}`, 24 characters or more; a comma-separated list rotates it.',
    'secret',
  ],
  SEALING_SECRET: [
    secret(),
    'Key of what is kept sealed in Redis, 24 characters or more. To rotate it: the new one first, the old after a comma, ' +
      'then `relais secrets rotate`.',
    'secret',
  ],
  API_PORT: [port(3000), 'Port of the HTTP API; 0 picks a free one.'],
  WEBHOOKS_PORT: [port(3001), 'Port of the callback receiver.'],
  METRICS_PORT: [port(0), 'Port of /metrics, /healthz and /readyz; 0 picks a free one.'],
  HOST: [z.string().default('127.0.0.1'), 'Address to listen on.'],
  MAX_CONNECTIONS: [count(4_000, { min: 1 }), 'The most connections that a listener has open; more are hung up on.'],
  API_KEYS: [
    secret(),
    'name[/person]:role+role[@account+account]:secret-or-sha256:hex,… with the roles enqueue read approve operate admin. ' +
      'Two keys of one person are one where another must decide.',
    'secret',
  ],
  CONSOLE: [
    z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
    'The console of people at /console on the port of the API, and signing in from a browser.',
  ],
  API_RATE: [count(100), 'Requests per second and key, all processes together; 0 is unlimited.'],
} as const;

const provider = {
  OIDC_ISSUER: [issuer().optional(), 'Provider of identities (OpenID Connect) that people sign in by: https://….'],
  OIDC_CLIENT_ID: [z.string().min(1).optional(), 'What relais is called there.'],
  OIDC_CLIENT_SECRET: [secret(), 'What it knows relais by. Another one ends the sessions that it began.', 'secret'],
  OIDC_GROUPS: [
    z.string().optional(),
    'group:role+role[@account+account],… as in API_KEYS; the first that fits counts.',
  ],
  OIDC_GROUPS_CLAIM: [z.string().default('groups'), 'Where the provider names the groups of a person.'],
  OIDC_SCOPE: [z.string().default('openid email'), 'What is asked of it; some name groups only with a word more.'],
} as const;

const money = {
  DISBURSEMENT_RESUBMIT: [
    z.enum(['resubmit', 'strict'], { error: 'must be resubmit or strict' }).default('resubmit'),
    '`strict` never sends a disbursement twice, whatever the service says.',
  ],
  DISBURSEMENT_QUIET_PERIOD: [duration('60s'), 'No `created` counts as an answer about a submit younger than this.'],
  DISBURSEMENT_POLL: [durations('2s,5s,10s,20s,40s,1m,2m,5m,10m,30m'), 'Waits between looks; the last one repeats.'],
  DISBURSEMENT_LIMIT: [duration('72h'), 'After this a disbursement needs review, and is looked at daily.'],
  RECHECK_SUCCEEDED: [
    recheckTimes('24h,72h,7d'),
    'How long after its success a disbursement is looked at again, each time, and anew after anything has spoken against how it ended; `off`: never. Costs a request each.',
  ],
  MAX_DISBURSEMENT: [
    limit('MAX_DISBURSEMENT'),
    'The most a single disbursement may be. The default holds only while nobody has said anything, in any process.',
  ],
  MAX_PER_BENEFICIARY_DAY: [
    limit('MAX_PER_BENEFICIARY_DAY'),
    'The most that is accepted for one beneficiary (country and number) and day (UTC).',
  ],
  MAX_PER_DAY: [limit('MAX_PER_DAY'), 'The most that is accepted for an account and day (UTC).'],
  APPROVAL_ABOVE: [limit('APPROVAL_ABOVE'), 'A single disbursement above this awaits the approval of another key.'],
  CAMPAIGN_APPROVAL_ABOVE: [
    campaignApproval(),
    'A campaign above this awaits the approval of another key: 50000xof (estimated by `SMS_PRICES_FILE`), 1000recipients, or both.',
  ],
  DUPLICATE_WINDOW: [
    limit('DUPLICATE_WINDOW'),
    'The same amount to the same beneficiary within this time is refused, unless it says `allowDuplicate`.',
  ],
  EXTRA_WITHDRAW_MODES: [
    words(readWithdrawModeName),
    'Withdraw modes that the service has added since: comma-separated, spelt as it wants them.',
  ],
  HOLD_RECHECK: [duration('30s'), 'How often the condition of a hold is looked at.'],
} as const;

const collect = {
  INVOICE_POLL: [durations('10s,30s,1m,5m,15m'), 'Waits between looks at an unpaid invoice; looked at for 25h.'],
  PAYMENT_REQUEST_POLL: [durations('1m,5m,15m,1h,6h'), 'Waits between looks at a payment request; for 30 days.'],
  DIRECT_CREDIT: [
    onOff,
    'Direct credits move money in one step that cannot be asked about; the withdraw mode `service` can.',
  ],
  SOFTPAY_CARD: [onOff, 'Direct card payments: only for companies certified under the card-data security standard.'],
} as const;

const transport = {
  UPSTREAM_TIMEOUT: [duration('60s'), 'Longest wait for an answer of the service.'],
  UPSTREAM_CONNECT_TIMEOUT: [duration('5s'), 'Longest wait for a connection to the service.'],
  UPSTREAM_RATE: [
    count(50),
    'Requests per second for each account and area, all processes together; 0 is unlimited.',
  ],
} as const;

const messaging = {
  SMS_BATCH_WINDOW: [duration('50ms'), 'How long messages collect for a request; an OTP only where one just left.'],
  SMS_SETTLE_DELAY: [duration('60s'), 'How long after an unclear answer the statistics are asked.'],
  SMS_PRICES_FILE: [
    fileWith(readPrices).optional(),
    'JSON file of what a segment costs: country → XOF, such as {"SN": 20}. For the estimates of uploads and reports.',
  ],
  SMS_BUDGET_DAY: [
    limit('SMS_BUDGET_DAY'),
    'The most that the texts of an account may cost in a day of `TIMEZONE`, in XOF by `SMS_PRICES_FILE`; more waits.',
  ],
  SMS_BUDGET_MONTH: [limit('SMS_BUDGET_MONTH'), 'The same for a month.'],
  SMS_ON_UNKNOWN: [
    z.enum(['hold', 'resend'], { error: 'must be hold or resend' }).default('hold'),
    'Recipients in doubt that two looks did not find: left `unknown`, or sent to again.',
  ],
  SMS_SPLIT: [
    onOff.unwrap().default('on'),
    'A request refused for one bad recipient is sent again in parts, so that only the bad one fails.',
  ],
  SMS_LOGIN_ENCODING: [
    z
      .enum(['auto', 'form', 'json', 'form-as-json'], { error: 'must be auto, form, json or form-as-json' })
      .default('auto'),
    'How the SMS login is sent; the interface contradicts itself, `auto` finds out.',
  ],
  DEFAULT_COUNTRY: [
    country().optional(),
    'Where numbers without a country code belong, in campaigns and opt-outs that name no country: SN.',
  ],
  QUIET_HOURS: [
    z.string().default('21:00-08:00').transform(orIssue(readQuietHours)),
    'When campaigns that ask for quiet hours send nothing.',
  ],
  TIMEZONE: [
    z.string().default('Africa/Dakar').transform(orIssue(readTimeZone)),
    'Whose clock the quiet hours are read on, unless the campaign names another; and whose midnight ends a day in reports, and of the times in CSV.',
  ],
} as const;

const IDENTITY_KEPT_LEAST_MS = 30 * 86_400_000;

const history = {
  HISTORY_URL: [
    secret().refine((url) => url === undefined || /^postgres(ql)?:\/\//.test(url.reveal()), {
      error: 'must begin with postgres://',
    }),
    'The PostgreSQL that what is over is copied to: postgres://user:password@host/database. Absent: all stays in Redis alone.',
    'secret',
  ],
  HISTORY_AFTER: [
    durationOrOff('off'),
    'Payments, and batches, that are over for so long, and are read back from history, leave Redis, such as `7d`; `off`: none does.',
  ],
  HISTORY_TEXTS_AFTER: [durationOrOff('off'), 'The same of messages and campaigns, such as `3d`.'],
  IDENTITY_KEEP: [
    duration('400d').refine((ms) => ms >= IDENTITY_KEPT_LEAST_MS, { error: 'must be 30d or more' }),
    'How long the reference of what left Redis is taken: asked again it is a duplicate or a conflict, and never paid anew.',
  ],
} as const;

const running = {
  BALANCE_INTERVAL: [
    durationOrOff('10m'),
    'How often one worker for all looks at what the accounts have left; `off`: never. Costs a request each.',
  ],
  SWEEP_INTERVAL: [duration('1s'), 'How often the due index is swept.'],
  WORKER_CONCURRENCY: [
    count(50, { min: 1, max: 1_000 }),
    'Attempts in progress per process and main queue; of texts, requests in flight.',
  ],
  DRAIN_TIMEOUT: [
    z
      .string()
      .optional()
      .transform((value, context) => (value === undefined ? undefined : orIssue(toMs)(value, context))),
    'How long a stopping process lets attempts finish. Default: the time-outs of the service plus 5s.',
  ],
  SILENCE_LIMIT: [
    duration('15m'),
    'When nobody was at work for longer and something is open, a start is a recovery, unless a witness knows better.',
  ],
  WITNESS_FILE: [
    z.string().optional(),
    'A file that knows how far Redis had come, on another disk than Redis; `off`: none. Default: `.relais/witness`.',
  ],
  EVENTS_KEEP: [duration('30d'), 'How long events are kept.'],
  AUDIT_KEEP: [duration('400d'), 'How long lines of the audit are kept.'],
  AUDIT_MOST: [
    count(1_000_000, { min: 1_000 }),
    'So many lines of the audit are kept at most, the newest; a line takes about 350 bytes of Redis.',
  ],
  REPORTS_KEEP: [duration('400d'), 'How long the sums of a day are kept, for its report.'],
  ALLOW_LOOPBACK_ENDPOINTS: [
    z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
    'Event endpoints may be on this machine, over http too. For trying things out.',
  ],
  LOG_FORMAT: [
    z.enum(['json', 'pretty'], { error: 'must be json or pretty' }).default('json'),
    'json, or pretty: lines for people. `relais dev` takes pretty on a terminal.',
  ],
  LOG_LEVEL: [
    z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], { error: 'must be a level such as info' })
      .default('info'),
    'fatal, error, warn, info, debug, trace or silent.',
  ],
} as const;

const traces = {
  OTEL_EXPORTER_OTLP_ENDPOINT: [
    httpUrl().optional(),
    'Where traces are sent, over OTLP/HTTP (JSON): http://collector:4318. Not set: nothing is traced, and nothing is loaded for it.',
  ],
  OTEL_EXPORTER_OTLP_HEADERS: [
    secret(),
    'What the receiver of traces asks for with each request: name=value,name=value.',
    'secret',
  ],
  OTEL_SERVICE_NAME: [z.string().min(1).default('relais'), 'What this deployment is called in traces.'],
  OTEL_TRACES_SAMPLER_ARG: [
    z.coerce.number({ error: 'must be a share such as 0.1' }).min(0).max(1).default(1),
    'The share of requests that are traced, 0 to 1, where the `traceparent` of the caller does not say it.',
  ],
} as const;

const sandbox = {
  SANDBOX_PORT: [port(4010), 'Port of the payment area of `relais sandbox`.'],
  SANDBOX_CRM_PORT: [port(4011), 'Port of its messaging area.'],
  SANDBOX_CONTROL_PORT: [port(4012), 'Port of its books and faults.'],
  SANDBOX_STRICTNESS: [
    z.enum(['strict', 'lenient'], { error: 'must be strict or lenient' }).default('strict'),
    '`lenient`: what does not fit the interface, as a client that is not relais sends it, is booked and not refused.',
  ],
} as const;

const groups = {
  Redis: redis,
  'The service': service,
  Listeners: listeners,
  'Signing in by a provider of identities': provider,
  Disbursements: money,
  'Invoices, payment requests, direct credits': collect,
  Transport: transport,
  Messages: messaging,
  History: history,
  Running: running,
  Traces: traces,
  Sandbox: sandbox,
} as const;
for (const [name, members] of Object.entries(groups)) group(name, members);

const typesOf = <M extends Record<string, readonly [z.ZodType, ...unknown[]]>>(members: M) =>
  Object.fromEntries(Object.entries(members).map(([name, [type]]) => [name, type])) as { [N in keyof M]: M[N][0] };

export const settings = z.object({
  ...typesOf(redis),
  ...typesOf(service),
  ...typesOf(listeners),
  ...typesOf(provider),
  ...typesOf(money),
  ...typesOf(collect),
  ...typesOf(transport),
  ...typesOf(messaging),
  ...typesOf(history),
  ...typesOf(running),
  ...typesOf(traces),
  ...typesOf(sandbox),
});

export type Config = Readonly<z.output<typeof settings>>;

/** What the settings of a process ask of the limits. */
export function opinionsOf({ CAMPAIGN_APPROVAL_ABOVE: campaign, ...config }: Config): Opinions {
  return {
    ...config,
    CAMPAIGN_APPROVAL_ABOVE_XOF: campaign?.xof,
    CAMPAIGN_APPROVAL_ABOVE_RECIPIENTS: campaign?.recipients,
  };
}

/** What follows from several settings, or from the shape of a process. */
interface Derived {
  /** Twice what one exchange with upstream may take: a killed worker's operations are picked up when it ends. */
  readonly leaseMs: number;
  /** How many slices of all campaigns are out at a time; they share it. */
  readonly feedWindow: number;
}

/** Waits and limits as processors know them, all in ms. A setting that one of them needs has its line here. */
export const policyOf = (config: Config, derived: Derived) => ({
  ...derived,
  resubmit: config.DISBURSEMENT_RESUBMIT === 'resubmit',
  quietMs: config.DISBURSEMENT_QUIET_PERIOD,
  pollMs: config.DISBURSEMENT_POLL,
  limitMs: config.DISBURSEMENT_LIMIT,
  /** How long after its success a disbursement is looked at again, each time. */
  recheckMs: config.RECHECK_SUCCEEDED,
  invoicePollMs: config.INVOICE_POLL,
  paymentRequestPollMs: config.PAYMENT_REQUEST_POLL,
  holdRecheckMs: config.HOLD_RECHECK,
  settleDelayMs: config.SMS_SETTLE_DELAY,
  /** Whether a request that was refused for the sake of one recipient goes out in parts. */
  split: config.SMS_SPLIT === 'on',
  /** What becomes of recipients that two looks did not find, where the campaign does not say it. */
  onUnknown: config.SMS_ON_UNKNOWN,
  /** When campaigns that ask for quiet hours send nothing, and on whose clock. */
  quietHours: config.QUIET_HOURS,
  timezone: config.TIMEZONE,
  /** XOF per segment, by country. */
  prices: config.SMS_PRICES_FILE?.holds,
});

export type Policy = Readonly<ReturnType<typeof policyOf>>;
