/** A Redis, a PostgreSQL and the writer between them; the tests lead operations to their ends by hand. */
import type { Redis } from 'ioredis';
import { afterEach, beforeEach } from 'vitest';
import { EventStream } from '../../src/events/stream.ts';
import { payeesWith } from '../../src/history/payees.ts';
import type { Compared } from '../../src/history/older-copy.ts';
import { HistoryStore } from '../../src/history/store.ts';
import { Trimmer, type TrimmerOptions } from '../../src/history/trimmer.ts';
import { HistoryWriter, type WriterStep } from '../../src/history/writer.ts';
import type { disbursement } from '../../src/kinds/disbursement.ts';
import { fingerprint } from '../../src/lib/ids.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Audit } from '../../src/operations/audit.ts';
import { Balances } from '../../src/operations/balances.ts';
import { Batches } from '../../src/operations/batches.ts';
import { Campaigns } from '../../src/operations/campaigns.ts';
import { acceptMissing, HistoryDesk } from '../../src/operations/history.ts';
import type { AcceptedAt, NewOperation } from '../../src/operations/accepting.ts';
import { Operations } from '../../src/operations/operations.ts';
import { keys } from '../../src/operations/keys.ts';
import type { SetAside } from '../../src/operations/set-aside.ts';
import { Queries } from '../../src/operations/queries.ts';
import { Trimming } from '../../src/operations/trimming.ts';
import { type Announced, eventOf } from '../../src/operations/transition.ts';
import { copyOf } from '../support/fresh-redis.ts';
import { type FreshPostgres, freshPostgres } from '../support/fresh-postgres.ts';

type State = keyof typeof disbursement.states;

export interface HistoryWorld {
  readonly operations: Operations;
  readonly balances: Balances;
  accept(id: string, amount?: number): Promise<void>;
  ask(id: string, more?: Partial<NewOperation<'disbursement'>>): Promise<AcceptedAt>;
  /** Each step tells callers what its kind tells of it. */
  go(id: string, ...states: readonly State[]): Promise<void>;
  turnTo(ms: number): void;
  acceptMissing(by: string): Promise<boolean>;
}

export const PAID = ['created', 'submitting', 'pending', 'succeeded'] as const;

/** `fence`: whether the replicas have what was written. */
export function historyWorld(redis: Redis, begins: number, fence?: () => Promise<boolean>): HistoryWorld {
  let now = begins;
  const operations = new Operations({ redis, random: systemRandom, now: () => now, fence });
  return {
    operations,
    balances: new Balances(redis),
    turnTo: (ms) => {
      now = ms;
    },
    acceptMissing: (by) => acceptMissing(redis, by),
    accept: async (id, amount = 500) => void (await operations.accept(asked(id, amount))),
    ask: (id, more = {}) => operations.accept({ ...asked(id, 500), ...more }),
    async go(id, ...states) {
      for (const to of states) {
        const record = await new Queries(redis).read('disbursement', id);
        if (!record) throw new Error(`no ${id}`);
        const event = isTold(to) ? eventOf(record, to) : undefined;
        const { is } = await operations.transition(record, undefined, { to, event });
        if (is !== 'applied') throw new Error(`${id} did not become ${to}: ${is}`);
      }
    },
  };
}

function asked(id: string, amount: number): NewOperation<'disbursement'> {
  const fields = { amount, accountAlias: '771000000', disburseId: id, withdrawMode: 'wallet-a-senegal' };
  const own = { kind: 'disbursement', id, account: 'main', state: 'queued', xof: amount, fields } as const;
  return { ...own, fingerprint: fingerprint(id), dueInMs: 0, reference: `of-${id}`, phone: 'SN 771000000' };
}

const TOLD: readonly string[] = ['succeeded', 'failed', 'reversed', 'rejected', 'cancelled', 'needs_review', 'held'];
const isTold = (state: State): state is State & Announced<'disbursement'> => TOLD.includes(state);

/** Of a file of tests: Redis, PostgreSQL and the clock between them are new for each test, and it is `begins`. */
export function historyOfThisFile(store: { readonly redis: Redis }, begins: number) {
  let database: FreshPostgres;
  let world: HistoryWorld;
  let now = begins;
  beforeEach(async () => {
    database = await freshPostgres();
    now = begins;
    world = historyWorld(store.redis, begins);
  });
  afterEach(() => database?.close());
  return {
    get database() {
      return database;
    },
    get world() {
      return world;
    },
    now: () => now,
    /** As if so much time had gone by. */
    turnTo: (ms: number): void => {
      now = ms;
      world.turnTo(ms);
    },
    /** Copies what waits, and takes out what may leave. */
    pass: async (parts: Omit<TrimmerParts, 'now'> = {}, operations = world.operations): Promise<void> => {
      const trimmer = trimmerOf(store.redis, operations, { now: () => now, ...parts });
      const writer = writerOf(store.redis, () => database.url, { trimmer });
      try {
        await writer.pass();
      } finally {
        await writer.close();
      }
    },
  };
}

/** A copy is made now; what is given back puts it in the place of what is there then, and relais has noticed it. */
export async function noticedCopyOf(redis: Redis): Promise<() => Promise<void>> {
  const putBack = await copyOf(redis);
  return async () => {
    await putBack();
    await redis.hset(keys.heartbeat, 'recovering', 'rolled_back');
  };
}

interface WriterParts {
  readonly name?: string;
  readonly accounts?: readonly string[];
  readonly at?: (step: WriterStep) => Promise<void> | void;
  readonly trimmer?: Pick<Trimmer, 'pass'>;
  readonly now?: () => number;
  readonly onMissing?: (compared: Compared) => void;
  readonly onSetAside?: (some: readonly SetAside[]) => void;
  readonly witness?: ConstructorParameters<typeof HistoryWriter>[0]['witness'];
  /** A connection that stands already, in the place of a new one. */
  readonly open?: () => Promise<HistoryStore>;
}

/** `url` is asked for with each connection. */
export function writerOf(
  redis: Redis,
  url: () => string,
  { name = 'one', accounts = ['main'], at, trimmer, now, onMissing, onSetAside, witness, open }: WriterParts = {},
): HistoryWriter {
  return new HistoryWriter({
    redis,
    desk: new HistoryDesk(redis, name, now),
    events: new EventStream({ redis }),
    audit: new Audit(redis),
    balances: new Balances(redis),
    campaigns: new Campaigns(redis),
    batches: new Batches(redis, systemRandom),
    accounts,
    payeeOf: payeesWith([]),
    ...(trimmer ? { trimmer } : {}),
    onMissing,
    onSetAside,
    ...(witness ? { witness } : {}),
    open:
      open ??
      (() =>
        HistoryStore.open(
          { url: url(), newName: () => systemRandom.hex(8), timezone: 'Africa/Dakar' },
          () => undefined,
        )),
    ...(at ? { at } : {}),
  });
}

interface TrimmerParts extends Partial<Pick<TrimmerOptions, 'after' | 'at' | 'keepsTurn' | 'pages'>> {
  readonly now: () => number;
}

const DAY_MS = 86_400_000;

export function trimmerOf(redis: Redis, operations: Operations, { now, after, ...more }: TrimmerParts) {
  const payeeOf = payeesWith([]);
  const trimming = new Trimming({ redis, keepMs: 400 * DAY_MS, payeeOf, now });
  const desk = new HistoryDesk(redis, 'trimmer');
  const campaigns = new Campaigns(redis);
  const batches = new Batches(redis, systemRandom);
  const options = {
    trimming,
    desk,
    campaigns,
    batches,
    operations,
    payeeOf,
    after: after ?? { disbursement: 7 * DAY_MS },
  };
  return Object.assign(new Trimmer({ ...options, ...more }), { trimming });
}
