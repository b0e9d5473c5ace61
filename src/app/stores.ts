/** The stores of a process: everything that is recorded, read and changed, over one Redis. */
import type { Redis } from 'ioredis';
import type { AccountBook } from '../accounts.ts';
import type { Config } from '../config.ts';
import { EventStream } from '../events/stream.ts';
import type { Clock } from '../lib/clock.ts';
import type { QueueName } from '../kinds/due-queues.ts';
import type { Public } from '../lib/public.ts';
import type { Random } from '../lib/random.ts';
import type { Traces } from '../lib/traces.ts';
import { Accounts } from '../operations/accounts.ts';
import { ApiKeys } from '../operations/api-keys.ts';
import { AuditVerification } from '../operations/audit-verified.ts';
import { Audit, AuditSeals } from '../operations/audit.ts';
import { Balances } from '../operations/balances.ts';
import { Batches } from '../operations/batches.ts';
import { DayBook } from '../operations/book.ts';
import { Budgets } from '../operations/budgets.ts';
import { Campaigns } from '../operations/campaigns.ts';
import { Endpoints } from '../operations/endpoints.ts';
import { type Heartbeat, Recovery } from '../operations/heartbeat.ts';
import { keyDigestsOf, noteKeyDigest } from '../operations/key-hashes.ts';
import { KeptFiles } from '../operations/kept-files.ts';
import { SharedLimits } from '../operations/limits.ts';
import { Operations } from '../operations/operations.ts';
import { OptOuts } from '../operations/opt-outs.ts';
import { type Past, type PastForgetting, pastOfOthers } from '../operations/past.ts';
import { Persons } from '../operations/persons.ts';
import { Names } from '../operations/places.ts';
import { Purge } from '../operations/purge.ts';
import { Queries } from '../operations/queries.ts';
import { switchQueue } from '../operations/queue-switches.ts';
import { Rejections } from '../operations/rejections.ts';
import { Retries } from '../operations/retries.ts';
import { SameTexts } from '../operations/same-texts.ts';
import { Sessions } from '../operations/sessions.ts';
import { Slices } from '../operations/slices.ts';
import { Status } from '../operations/status.ts';
import { StopLinks } from '../operations/stop-links.ts';
import { Workers, workersHere } from '../operations/workers.ts';
import { acceptanceOnRedis } from '../producer/acceptance-store.ts';
import { timeOf } from '../redis/clock.ts';
import { number, text } from '../redis/scripts.ts';
import { opinionsOf } from '../settings/policy.ts';
import { redisTokenStores } from '../upstream/messaging/redis-tokens.ts';
import { redisRates } from '../upstream/redis-rates.ts';
import { deploymentOf } from './deployment.ts';
import { markSecrets, sealingSecrets } from './secrets.ts';

interface Needs {
  readonly config: Config;
  readonly book: AccountBook;
  readonly redis: Redis;
  readonly clock: Clock;
  readonly random: Random;
  readonly fence: (() => Promise<boolean>) | undefined;
  readonly heartbeat: Heartbeat;
  readonly past: Past | undefined;
  readonly forgetting: PastForgetting | undefined;
  readonly traces: Traces | undefined;
  readonly wake: (queue: QueueName, id: string, rev: string | number) => void;
}

type RedisStores = ReturnType<typeof redisStores>;

/** The stores as their users see them: a store of another kind can take the place of each. */
export type Stores = { readonly [Name in keyof RedisStores]: Seen<RedisStores[Name]> };

type Seen<Store> = Store extends (...asked: never) => unknown ? Store : Public<Store>;

export function redisStores(needs: Needs) {
  const { config, book, redis } = needs;
  return {
    ...recordsOf(needs),
    ...guardsOf(needs),
    ...accessOf(needs),
    ...eventsOf(needs),
    ...sharedUpstream(needs),
    status: new Status(redis),
    limits: new SharedLimits(redis, opinionsOf(config), { ours: deploymentOf(config, book) }),
    balances: new Balances(redis),
    dayBook: new DayBook(redis),
    rejections: new Rejections(redis),
    /** One for each worker of this process. */
    newWorker: () => new Workers(redis, { slots: config.WORKER_CONCURRENCY, random: needs.random }),
    workersHere: () => workersHere(redis),
    /** The clock that decides, ms since the epoch. */
    time: () => timeOf(redis),
    memory: async () => memoryIn(text(await redis.info('memory'))),
  };
}

function recordsOf(needs: Needs) {
  const { config, book, redis, clock, random, wake, fence, heartbeat, past, forgetting, traces } = needs;
  const limits = opinionsOf(config);
  const records = { redis, random, fence, heartbeat, past, traces };
  const keptFiles = new KeptFiles({ redis, random });
  return {
    acceptance: acceptanceOnRedis({
      ...records,
      limits,
      wake,
      batchWindowMs: config.SMS_BATCH_WINDOW,
      after: (ms, run) => clock.after(ms, run),
    }),
    operations: new Operations({ ...records, standingsOf: [...book.keys()] }),
    queries: new Queries(redis, past ?? pastOfOthers),
    names: Names.of({ redis, heartbeat }),
    slices: new Slices({ ...records, limits }),
    sameTexts: new SameTexts(redis),
    campaigns: new Campaigns(redis, { limits, traces }),
    retries: new Retries(redis, { limits }),
    optOuts: new OptOuts(redis),
    stopLinks: new StopLinks({ redis, random, past }),
    keptFiles,
    purge: new Purge(redis, { files: keptFiles, past: forgetting }),
    batches: new Batches(redis, random, { heartbeat, past }),
    recovery: new Recovery({ redis, random }),
  };
}

function guardsOf({ config, redis }: Needs) {
  const { TIMEZONE: timezone, SMS_PRICES_FILE: prices } = config;
  return {
    accounts: new Accounts(redis),
    budgets: new Budgets(redis, { timezone, prices: prices?.holds, limits: opinionsOf(config) }),
    switchQueue: (queue: string, how: Parameters<typeof switchQueue>[2]) => switchQueue(redis, queue, how),
    keyDigests: {
      of: (account: string) => keyDigestsOf(redis, account),
      note: (key: Parameters<typeof noteKeyDigest>[1], masterKey: Parameters<typeof noteKeyDigest>[2]) =>
        noteKeyDigest(redis, key, masterKey),
    },
  };
}

/** What all processes share of the provider: its rates and the SMS token. */
export function sharedUpstream({ config, redis, clock }: Pick<Needs, 'config' | 'redis' | 'clock'>) {
  return {
    rates: redisRates({ redis, clock, ratePerSecond: config.UPSTREAM_RATE }),
    tokenStores: redisTokenStores({ redis, contestedMs: config.HOLD_RECHECK }),
  };
}

function accessOf({ config, redis, clock, random }: Needs) {
  const audit = new Audit(redis);
  return {
    audit,
    auditSeals: new AuditSeals(redis, audit, sealingSecrets(config), markSecrets(config)),
    auditVerification: new AuditVerification(redis),
    apiKeys: new ApiKeys(redis),
    persons: new Persons(redis),
    sessions: new Sessions({ redis, clock, random }),
  };
}

function eventsOf({ redis, random, heartbeat }: Needs) {
  return {
    endpoints: new Endpoints({ redis, random }),
    events: new EventStream({
      redis,
      epoch: () => heartbeat.known().epoch,
      keptUpTo: (place) => heartbeat.keptUpTo(place),
      onLost: (place) => heartbeat.lost(place),
    }),
  };
}

function memoryIn(info: string): { readonly used: number; readonly max: number } {
  const read = (name: string): number => number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
  return { used: read('used_memory'), max: read('maxmemory') };
}
