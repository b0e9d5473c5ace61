/** The store in PostgreSQL: its modules over one pool, and the parts that start and keep it. */
import { hostname } from 'node:os';
import type { Redis } from 'ioredis';
import type { Config } from '../config.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { type Random, systemRandom } from '../lib/random.ts';
import { ApiKeys } from '../ledger/api-keys.ts';
import { Audit } from '../ledger/audit.ts';
import { AuditSeals } from '../ledger/audit-seals.ts';
import { AuditVerification } from '../ledger/audit-verified.ts';
import { Balances } from '../ledger/balances.ts';
import { Batches } from '../ledger/batches.ts';
import { Budgets } from '../ledger/budgets.ts';
import type { OnCommitted } from '../ledger/committed.ts';
import type { DatabaseOptions } from '../ledger/database.ts';
import { Endpoints } from '../ledger/endpoints.ts';
import { EventStream } from '../ledger/event-stream.ts';
import { Holds } from '../ledger/holds.ts';
import { Journal } from '../ledger/journal.ts';
import { KeyHashes } from '../ledger/key-hashes.ts';
import { Memory } from '../ledger/lane.ts';
import { Life } from '../ledger/life.ts';
import { MoneyLimits } from '../ledger/limits.ts';
import { OperationStore } from '../ledger/operation-store.ts';
import { Operations, SCHEMA_VERSION } from '../ledger/operations.ts';
import { OptOuts } from '../ledger/opt-outs.ts';
import { Persons } from '../ledger/persons.ts';
import { Database } from '../ledger/pool.ts';
import { Queries } from '../ledger/queries.ts';
import { Rejections } from '../ledger/rejections.ts';
import { Sessions } from '../ledger/sessions.ts';
import { Status } from '../ledger/status.ts';
import { StopLinks } from '../ledger/stop-links.ts';
import { Switches } from '../ledger/switches.ts';
import { RedisWitness } from '../ledger/witness.ts';
import { Workers, workersHere } from '../ledger/workers.ts';
import { opinionsOf } from '../settings/policy.ts';
import type { StoreNeeds } from './container.ts';
import { markSecrets, sealingSecrets } from './secrets.ts';

interface Opened {
  readonly config: Config;
  readonly at: DatabaseOptions;
  readonly database: Database;
  readonly memory: Memory;
  readonly clock: Clock;
  readonly random: Random;
  readonly redis: Redis;
  readonly onCommitted: OnCommitted;
}

function lifeOf({ at, database, memory, clock, random, redis }: Opened, { config, quietly }: StoreNeeds, exit: () => void) {
  return new Life({
    database,
    at,
    memory,
    clock,
    random,
    deployment: config.ENVIRONMENT,
    slot: hostname(),
    version: '',
    schemaVersion: SCHEMA_VERSION,
    roles: [],
    witnesses: [new RedisWitness(redis)],
    needsWitness: false,
    onFenced: exit,
    quietly,
  });
}

/** Acts and reads over the pool. Nothing of them is on the way of money. */
export function ledgerStores(opened: Opened, needs: StoreNeeds) {
  const { database, clock, random, onCommitted, config } = opened;
  const { TIMEZONE: timezone, SMS_PRICES_FILE: prices } = config;
  const queries = new Queries({ database });
  const keyHashes = new KeyHashes({ database, clock });
  const switches = new Switches({ database, onCommitted });
  return {
    queries,
    status: new Status({ database, queries }),
    optOuts: new OptOuts({ database }),
    stopLinks: new StopLinks({ database, random }),
    batches: new Batches({ database }),
    accounts: new Holds({ database, clock, onCommitted }),
    limits: new MoneyLimits({ database, clock, own: opinionsOf(config), onCommitted }),
    budgets: new Budgets({ database, timezone, prices: prices?.holds, limits: opinionsOf(config) }),
    balances: new Balances({ database }),
    rejections: new Rejections({ database }),
    audit: new Audit({ database }),
    auditSeals: new AuditSeals({ database, secrets: markSecrets(config) }),
    auditVerification: new AuditVerification({ database }),
    apiKeys: new ApiKeys({ database, onCommitted }),
    persons: new Persons({ database }),
    sessions: new Sessions({ database, clock, random }),
    endpoints: new Endpoints({ database, random }),
    events: new EventStream({ database }),
    keyDigests: { of: (account: string) => keyHashes.of(account), note: keyHashes.note.bind(keyHashes) },
    switchQueue: switches.switchQueue.bind(switches),
    newWorker: () => new Workers({ database, slots: config.WORKER_CONCURRENCY, random }),
    workersHere: () => workersHere(database),
    time: async () => (await database.run<{ at: Date }>('time'))[0]?.at.getTime() ?? clock.now(),
    secrets: sealingSecrets(config),
    needs,
  };
}

export function openLedger(at: DatabaseOptions, needs: StoreNeeds) {
  const { config, redis, quietly, book, traces } = needs;
  const [clock, random, memory] = [systemClock, systemRandom, new Memory()];
  const database = new Database({ ...at, onError: (error) => quietly('PostgreSQL', error) });
  const opened: Opened = { config, at, database, memory, clock, random, redis, onCommitted: async () => undefined };
  const life = lifeOf(opened, needs, () => undefined);
  const journal = new Journal({ redis, process: life.name, clock, onHole: (error) => quietly('the journal', error) });
  const operations = new Operations({ database: at, process: life.name, clock, random, memory, limits: opinionsOf(config), journal });
  return { life, operations: new OperationStore({ operations, clock, accounts: [...book.keys()], leaseMs: 0, traces }), ...ledgerStores(opened, needs) };
}
