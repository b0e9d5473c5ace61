/** The stores of a process: the modules of the ledger over one pool and a few lanes. */
import type { Redis } from 'ioredis';
import type { AccountBook } from '../accounts.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import type { Traces } from '../lib/traces.ts';
import { ApiKeys } from '../ledger/api-keys.ts';
import { Audit } from '../ledger/audit.ts';
import { AuditSeals } from '../ledger/audit-seals.ts';
import { AuditVerification } from '../ledger/audit-verified.ts';
import { Balances } from '../ledger/balances.ts';
import { Batches } from '../ledger/batches.ts';
import { Budgets } from '../ledger/budgets.ts';
import { Campaigns } from '../ledger/campaigns.ts';
import { type OnCommitted, journaledIn } from '../ledger/committed.ts';
import type { DatabaseOptions } from '../ledger/database.ts';
import { DayBook } from '../ledger/day-book.ts';
import { Diagnostics } from '../ledger/diagnostics.ts';
import { Endpoints } from '../ledger/endpoints.ts';
import { EventStream } from '../ledger/event-stream.ts';
import { Holds } from '../ledger/holds.ts';
import { Journal } from '../ledger/journal.ts';
import { KeptFiles } from '../ledger/kept-files.ts';
import { KeyHashes } from '../ledger/key-hashes.ts';
import { Memory } from '../ledger/lane.ts';
import { type LifeOptions, Life } from '../ledger/life.ts';
import { MoneyLimits } from '../ledger/limits.ts';
import { Messages } from '../ledger/messages.ts';
import { OperationStore } from '../ledger/operation-store.ts';
import { Operations, SCHEMA_VERSION } from '../ledger/operations.ts';
import { OptOuts } from '../ledger/opt-outs.ts';
import { Partitions } from '../ledger/partitions.ts';
import { Persons } from '../ledger/persons.ts';
import { Database } from '../ledger/pool.ts';
import { Purge } from '../ledger/purge.ts';
import { Queries } from '../ledger/queries.ts';
import { LedgerRates } from '../ledger/rates.ts';
import { Recipients } from '../ledger/recipients.ts';
import { RecoveryDesk, type RecoveryOptions } from '../ledger/recovery.ts';
import { Rejections } from '../ledger/rejections.ts';
import { Server } from '../ledger/server.ts';
import { SameTexts } from '../ledger/same-texts.ts';
import { Sessions } from '../ledger/sessions.ts';
import { SmsCharges } from '../ledger/sms-charges.ts';
import { SmsRequests } from '../ledger/sms-requests.ts';
import { ledgerTokenStores } from '../ledger/sms-token.ts';
import { Status } from '../ledger/status.ts';
import { StopLinks } from '../ledger/stop-links.ts';
import { Switches } from '../ledger/switches.ts';
import { Uploads } from '../ledger/uploads.ts';
import { processName } from '../ledger/processes.ts';
import { FileWitness, RedisWitness, type Witness } from '../ledger/witness.ts';
import { Workers, workersHere } from '../ledger/workers.ts';
import { payeeOf } from '../provider/capabilities.ts';
import { opinionsOf } from '../settings/policy.ts';
import { markSecrets } from './secrets.ts';

export interface StoreNeeds {
  readonly config: Config;
  readonly book: AccountBook;
  /** For the queues; no part of the ledger waits for it. */
  readonly redis: Redis;
  readonly clock: Clock;
  readonly random: Random;
  readonly quietly: (message: string, error: unknown) => void;
  readonly traces: Traces | undefined;
  readonly leaseMs: number;
  /** Receives the duration of each committed transaction of a lane, ms. */
  readonly onCommit?: (ms: number) => void;
  readonly process: Pick<LifeOptions, 'slot' | 'version' | 'roles' | 'onFenced'>;
}

interface Over {
  readonly database: Database;
  readonly at: DatabaseOptions;
  readonly onCommitted: OnCommitted;
}

export type Stores = ReturnType<typeof openStores>;

export function databaseOf(config: Config): DatabaseOptions {
  return {
    url: config.DATABASE_URL?.reveal() ?? '',
    schema: config.DATABASE_SCHEMA,
    prepared: config.DATABASE_PREPARED === 'on',
    ca: config.DATABASE_CA_FILE?.holds,
    server: new Server(),
  };
}

export function openStores(needs: StoreNeeds) {
  const { config, redis, clock, quietly, onCommit } = needs;
  const at = { ...databaseOf(config), onCommit };
  const size = config.DATABASE_POOL - CONNECTIONS_BESIDE_THE_POOL;
  const database = new Database({ ...at, size, onError: (error) => quietly('PostgreSQL', error) });
  // Callers' requests never delay a beat: other processes take a silent process for dead.
  const beating = new Database({ ...at, size: 1, onError: (error) => quietly('PostgreSQL', error) });
  const memory = new Memory();
  const name = processName(needs.process.slot, needs.random);
  const witnesses = witnessesOf(needs, name);
  const life = lifeOf(needs, { at, name, database: beating, memory, witnesses });
  const onHole = (error: unknown): void => quietly('the journal of what leaves', error);
  const deployment = (): string | undefined => life.standing?.deployment;
  const journal = new Journal({ redis, deployment, process: name, clock, onHole });
  life.journalIn(journal);
  const onCommitted = journaledIn(journal, life, quietly);
  const over = { database, at, onCommitted };
  const lanes = { at, memory, journal, onCommitted, name };
  const guards = guardsOf(needs, over);
  return {
    database,
    beating,
    life,
    journal,
    ...lanesOf(needs, lanes),
    ...recordsOf(over),
    ...smsOf(needs, over, { ...lanes, ...guards }),
    ...guards,
    ...accessOf(needs, over),
    ...reportsOf(needs, over),
    diagnostics: new Diagnostics({ database, schema: config.DATABASE_SCHEMA }),
    recoveryDesk: <Says>(
      of: Pick<RecoveryOptions<Says>, 'quietMs' | 'settleMs' | 'says' | 'erase' | 'beneficiaryOf'>,
    ) =>
      new RecoveryDesk({
        ...of,
        database,
        redis,
        witnesses,
        clock,
        quietly,
        beat: () => life.beat().catch((error: unknown) => quietly('the beat', error)),
      }),
  };
}

/**
 * Lanes and beats: `Operations` has ten lanes; results of SMS requests, their checks, effects and beats have one
 * connection each.
 */
const CONNECTIONS_BESIDE_THE_POOL = 14;

function witnessesOf({ config, redis }: StoreNeeds, process: string): readonly Witness[] {
  const { WITNESS_FILE: path } = config;
  const inFile = path === undefined ? [] : [new FileWitness({ path, process })];
  return [new RedisWitness(redis), ...inFile];
}

/** Prefix of this deployment's slots on this machine. */
function deploymentName({ ENVIRONMENT: environment, DATABASE_SCHEMA: schema }: Config): string {
  return `${environment}-${schema}`;
}

function lifeOf(
  { config, clock, quietly, process, leaseMs }: StoreNeeds,
  over: Pick<LifeOptions, 'at' | 'name' | 'database' | 'memory' | 'witnesses'>,
): Life {
  return new Life({
    ...over,
    ...process,
    clock,
    quietly,
    deployment: deploymentName(config),
    schemaVersion: SCHEMA_VERSION,
    needsWitness: config.WITNESS === 'required',
    suspendMs: leaseMs + config.SMS_SETTLE_DELAY,
  });
}

interface Lanes {
  readonly at: DatabaseOptions;
  readonly memory: Memory;
  readonly journal: Journal;
  readonly onCommitted: OnCommitted;
  readonly name: string;
}

/** Money operations share statements on lanes of their own. */
function lanesOf(
  { config, book, clock, random, traces, leaseMs }: StoreNeeds,
  { at, name, memory, journal, onCommitted }: Lanes,
) {
  const limits = opinionsOf(config);
  const shared = new Operations({
    database: at,
    process: name,
    clock,
    random,
    memory,
    journal,
    limits,
  });
  const options = { operations: shared, clock, accounts: [...book.keys()], leaseMs, traces, onCommitted };
  return {
    sharedOperations: shared,
    operations: new OperationStore(options),
    judging: new OperationStore({ ...options, dryRun: true }),
  };
}

function recordsOf({ database, onCommitted }: Over) {
  const queries = new Queries({ database });
  return {
    queries,
    status: new Status({ database, queries }),
    batches: new Batches({ database, onCommitted }),
    rejections: new Rejections({ database }),
    purge: new Purge({ database, onCommitted }),
  };
}

interface SmsOver extends Lanes {
  readonly limits: MoneyLimits;
  readonly budgets: Budgets;
}

/** Campaigns, messages, recipients and opt-outs. */
function smsOf(
  { clock, random, traces, quietly, leaseMs }: StoreNeeds,
  { database, onCommitted }: Over,
  { limits, budgets, ...lanes }: SmsOver,
) {
  const campaigns = new Campaigns({ database, limits: () => limits.inForce(), traces, onCommitted });
  return {
    campaigns,
    uploads: new Uploads({ database, random, clock, partitions: new Partitions({ database }), process: lanes.name }),
    recipients: new Recipients({ database }),
    keptFiles: new KeptFiles({ database, random }),
    optOuts: new OptOuts({ database, onCommitted }),
    stopLinks: new StopLinks({ database, random }),
    messages: new Messages({ database, onCommitted }),
    sameTexts: new SameTexts({ database, beneficiaryOf: (to) => payeeOf(to, undefined) }),
    charges: new SmsCharges({ database, budgets, clock }),
    smsRequests: new SmsRequests({
      database: lanes.at,
      memory: lanes.memory,
      process: lanes.name,
      campaigns,
      clock,
      random,
      journal: lanes.journal,
      leaseMs,
      sendMs: leaseMs / 2,
      onRefused: (error) => quietly('the result of an SMS request', error),
    }),
  };
}

function guardsOf({ config, clock, random }: StoreNeeds, { database, onCommitted }: Over) {
  const { TIMEZONE: timezone, SMS_PRICES_FILE: prices, UPSTREAM_RATE: ratePerSecond } = config;
  const limits = opinionsOf(config);
  const switches = new Switches({ database, onCommitted });
  return {
    accounts: new Holds({ database, clock, onCommitted }),
    limits: new MoneyLimits({ database, own: limits, onCommitted }),
    budgets: new Budgets({ database, timezone, prices: prices?.holds, limits }),
    balances: new Balances({ database }),
    rates: new LedgerRates({ database, clock, ratePerSecond }),
    tokenStores: ledgerTokenStores({ database, contestedMs: config.HOLD_RECHECK }),
    switches,
    newWorker: () => new Workers({ database, slots: config.WORKER_CONCURRENCY, random }),
    workersHere: () => workersHere(database),
  };
}

function accessOf({ config, clock, random }: StoreNeeds, { database, onCommitted }: Over) {
  return {
    apiKeys: new ApiKeys({ database, onCommitted }),
    persons: new Persons({ database }),
    sessions: new Sessions({ database, clock, random }),
    keyHashes: new KeyHashes({ database, clock }),
    audit: new Audit({ database }),
    auditSeals: new AuditSeals({ database, secrets: markSecrets(config) }),
    auditVerification: new AuditVerification({ database }),
  };
}

function reportsOf({ random }: StoreNeeds, { database }: Over) {
  return {
    endpoints: new Endpoints({ database, random }),
    events: new EventStream({ database }),
    dayBook: new DayBook({ database }),
  };
}
