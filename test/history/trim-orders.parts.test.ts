/**
 * A payment leaves Redis while two doors are asked for it again, somebody reads it, and the service takes its word back:
 * every order of their steps in Redis, with the end of the process that trims before any of its own. It is never
 * accepted anew, its last word is never lost, and it is never denied. Each guard that is taken away is missed.
 */
import type { Redis } from 'ioredis';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { HistoryReader } from '../../src/history/reader.ts';
import { HistoryStore } from '../../src/history/store.ts';
import type { Trimmer } from '../../src/history/trimmer.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { keys } from '../../src/operations/keys.ts';
import { Operations } from '../../src/operations/operations.ts';
import { Queries } from '../../src/operations/queries.ts';
import type { Acceptance } from '../../src/producer/acceptance.ts';
import { type Actor, inEveryOrder, type Turn } from '../support/every-order.ts';
import { type FreshPostgres, freshPostgres } from '../support/fresh-postgres.ts';
import { keysLike, storeOfThisFile } from '../support/fresh-redis.ts';
import { historyWorld, PAID, trimmerOf, writerOf } from './history-world.ts';
import { inTurn } from './in-turn.ts';
import { without } from './without.ts';
import { acceptanceOver } from '../support/acceptance.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const DAY_MS = 86_400_000;
const NOW = systemClock.now();
const LATER = NOW + 8 * DAY_MS;
const KEY = 'caller-key-1';
const ASKED = {
  account: 'main',
  amount: 500,
  accountAlias: '771000000',
  withdrawMode: 'wallet-a-senegal',
  reference: 'salary-10-awa',
};

const store = storeOfThisFile();
let database: FreshPostgres;
let outside: Client;
let history: HistoryStore;
let reader: HistoryReader;
beforeAll(async () => {
  database = await freshPostgres();
  outside = new Client({ connectionString: database.url });
  outside.on('error', () => undefined);
  await outside.connect();
  history = await HistoryStore.open(
    { url: database.url, newName: () => systemRandom.hex(8), timezone: 'UTC' },
    () => undefined,
  );
  // Each process of each order listens to it.
  store.redis.setMaxListeners(0);
  reader = new HistoryReader(database.url, () => undefined);
});
afterAll(async () => {
  await reader?.close();
  await outside?.end();
  history?.destroy();
  await database?.close();
});

/** A guard that is taken away: of a script, or the comparison with history. */
interface Mutant {
  readonly trimWithout?: RegExp;
  readonly acceptWithout?: RegExp;
  readonly comparesNothing?: true;
}

const OF_TRIM = 'sha1hex(table.concat(pieces))';
const OF_ACCEPT = 'claim_reference(o)';

function door(redis: Redis): Acceptance {
  return acceptanceOver({
    redis,
    random: systemRandom,
    environment: 'test',
    wake: () => undefined,
    batchWindowMs: 0,
    after: () => () => undefined,
  });
}

/** A door writes by scripts alone. */
const ACCEPTS = /^eval/;

/** Redis and PostgreSQL as they stand before each order: a payment that was asked for with a key and a reference. */
class Beginning {
  readonly id: string;
  readonly #held: readonly (readonly [key: string, dump: Buffer])[];

  private constructor(id: string, held: readonly (readonly [key: string, dump: Buffer])[]) {
    this.id = id;
    this.#held = held;
  }

  /** It is paid, and was copied. `isInHistory` false: history has lost it since, which nobody has noticed. */
  static async make({ isInHistory = true } = {}): Promise<Beginning> {
    const { redis } = store;
    await redis.flushdb();
    await copy();
    await outside.query('delete from relais.disbursements; drop table if exists before');
    const answer = await door(redis).disbursement(ASKED, KEY);
    if (answer.outcome !== 'accepted') throw new Error(`it was not accepted: ${answer.outcome}`);
    await historyWorld(redis, NOW).go(answer.id, ...PAID);
    await copy();
    await outside.query('create table before as table relais.disbursements');
    if (!isInHistory) await outside.query('delete from before');
    const dumps = (await keysLike(redis, '*')).map(async (key) => [key, await redis.dumpBuffer(key)] as const);
    const held = (await Promise.all(dumps)).flatMap(([key, dump]) => (dump ? [[key, dump] as const] : []));
    return new Beginning(answer.id, held);
  }

  async restore(): Promise<void> {
    await store.redis.flushdb();
    const pipeline = store.redis.pipeline();
    for (const [key, dump] of this.#held) pipeline.restore(key, 0, dump);
    await pipeline.exec();
    await outside.query('delete from relais.disbursements; insert into relais.disbursements table before');
  }
}

const writer = (trimmer?: Pick<Trimmer, 'pass'>) =>
  writerOf(store.redis, () => database.url, { open: async () => history, ...(trimmer && { trimmer }) });
const copy = (): Promise<void> => writer().pass();

/** One payment, told in one order. */
class Telling {
  readonly #id: string;
  readonly #mutant: Mutant;
  readonly #operations = (redis: Redis) => new Operations({ redis, random: systemRandom, now: () => LATER });
  #state = 'succeeded';
  #wasSpokenOf = false;

  constructor(id: string, mutant: Mutant) {
    this.#id = id;
    this.#mutant = mutant;
  }

  /** Its steps are in turn from where it has read what may leave to where that has left: the others only read. */
  trims({ mayDie = false } = {}): Actor {
    const acts = async (turn: Turn): Promise<void> => {
      let isOpen = false;
      const when: Turn = (step) => (isOpen ? turn(step) : step());
      const at = (step: string): void => {
        isOpen = step !== 'trimmed';
      };
      await this.#trimmer(inTurn(this.#toTrim(), when), at).pass(this.#compared());
    };
    return { name: 'the process that trims', acts, ...(mayDie && { mayDie }) };
  }

  /** Each way of asking for it again. */
  asks(...ways: readonly (keyof Telling['ways'])[]): Actor[] {
    return ways.map((way) => ({
      name: `the door that is asked ${way}`,
      acts: (turn) => this.ways[way](inTurn(this.#toAccept(), turn, ACCEPTS)),
    }));
  }

  readonly ways = {
    'with the same key': async (redis: Redis) => {
      const answer = await door(redis).disbursement(ASKED, KEY);
      expect(answer, 'the same key').toMatchObject({ outcome: 'duplicate', id: this.#id });
    },
    'with the reference alone': async (redis: Redis) => {
      const answer = await door(redis).disbursement(ASKED);
      expect(answer, 'the reference').toMatchObject({ outcome: 'conflict', existingId: this.#id });
    },
    'for something else': async (redis: Redis) => {
      const answer = await door(redis).disbursement({ ...ASKED, amount: 600 }, KEY);
      expect(answer, 'the same key for another amount').toMatchObject({ outcome: 'conflict', existingId: this.#id });
    },
  };

  /** Somebody reads it by its id. */
  reads(): Actor {
    const acts = async (turn: Turn): Promise<void> => {
      const record = await new Queries(inTurn(store.redis, turn), reader).read('disbursement', this.#id);
      expect(record?.state, 'it is read').toBe('succeeded');
    };
    return { name: 'somebody who reads it', acts };
  }

  /** An attempt that finds it there writes that the service took it back. */
  reverses(): Actor {
    const acts = async (turn: Turn): Promise<void> => {
      const redis = inTurn(store.redis, turn);
      const record = await new Queries(redis).read('disbursement', this.#id);
      if (record === undefined) return;
      const { is } = await this.#operations(redis).transition(record, undefined, {
        to: 'reversed',
        event: undefined,
      });
      if (is === 'applied') this.#state = 'reversed';
    };
    return { name: 'the attempt that hears it was taken back', acts };
  }

  /** The service calls. */
  hears(): Actor {
    const said = { operation: 'callback', code: 'failed' } as const;
    const acts = async (turn: Turn): Promise<void> => {
      const operations = this.#operations(inTurn(store.redis, turn));
      const { is } = await operations.nudge('disbursement', this.#id, said, 5_000);
      expect(is, 'the callback').not.toBe('none');
      this.#wasSpokenOf = true;
    };
    return { name: 'the callback', acts };
  }

  /** An attempt that finds it there adds a line to what is known of it. */
  notes(): Actor {
    const acts = async (turn: Turn): Promise<void> => {
      const redis = inTurn(store.redis, turn);
      await this.#operations(redis).appendEvidence(this.#id, { operation: 'callback', code: 'failed' });
      this.#wasSpokenOf ||= (await store.redis.exists(keys.record(this.#id))) === 1;
    };
    return { name: 'the attempt that notes a line', acts };
  }

  /** All is copied and may leave; then it is asked for again, and its last word is looked for. */
  async isKept(): Promise<void> {
    for (let passes = 0; passes < 2; passes += 1) {
      const trimmer = this.#trimmer(this.#toTrim());
      await writer({ pass: () => trimmer.pass(this.#compared()) }).pass();
      // A look that found nothing new has been made.
      await store.redis.zrem(keys.due('status-poll'), this.#id);
    }
    for (const ask of Object.values(this.ways)) await ask(this.#toAccept());
    expect(await keysLike(store.redis, 'op:dsb_*'), 'no other payment').not.toContainEqual(
      expect.not.stringMatching(this.#id),
    );
    const record = await new Queries(store.redis, reader).read('disbursement', this.#id);
    expect(record?.state, 'its last word').toBe(this.#state);
    if (this.#wasSpokenOf) expect(JSON.stringify(record?.fields), 'what was said').toContain('callback');
  }

  #toTrim(): Redis {
    const { trimWithout: guard } = this.#mutant;
    return guard ? without(store.redis, OF_TRIM, guard) : store.redis;
  }

  #toAccept(): Redis {
    const { acceptWithout: guard } = this.#mutant;
    return guard ? without(store.redis, OF_ACCEPT, guard) : store.redis;
  }

  #trimmer(redis: Redis, at?: (step: string) => void) {
    return trimmerOf(redis, this.#operations(redis), { now: () => LATER, ...(at && { at }) });
  }

  /** The clock of history is too far from ours for identities to be given up: none is looked for. */
  #compared(): Parameters<Trimmer['pass']>[0] {
    return {
      name: history.name,
      fact: (name) => history.fact(name),
      now: async () => 0,
      row: (table, id) => history.row(table, id),
      write: (copies, facts) => history.write(copies, facts),
      compare: (copies) => history.compare(copies),
      differing: (given) => history.differing(given),
      has: this.#mutant.comparesNothing
        ? async ({ count }) => Array.from({ length: count }, () => true)
        : (given) => history.has(given),
    };
  }
}

type Cast = (telling: Telling) => readonly Actor[];

/** How many orders there are. */
async function tellAll(cast: Cast, mutant: Mutant = {}): Promise<number> {
  const beginning = await Beginning.make({ isInHistory: !mutant.comparesNothing });
  return inEveryOrder(async (play) => {
    await beginning.restore();
    const telling = new Telling(beginning.id, mutant);
    await play(cast(telling));
    await telling.isKept();
  });
}

const casts: readonly (readonly [who: string, cast: Cast])[] = [
  ['a door, and the process may die', (t) => [t.trims({ mayDie: true }), ...t.asks('with the same key')]],
  ['two doors', (t) => [t.trims(), ...t.asks('for something else', 'with the reference alone')]],
  ['an attempt that hears of it', (t) => [t.trims(), t.reverses()]],
  ['an attempt that notes a line', (t) => [t.trims(), t.notes()]],
  ['a callback', (t) => [t.trims(), t.hears()]],
  ['somebody who reads it', (t) => [t.trims(), t.reads()]],
];

test.for(casts)('it leaves beside %s', async ([who, cast]) => {
  const orders = await tellAll(cast);
  expect(orders, who).toBeGreaterThan(3);
});

test('it leaves only once history has it, where history had lost it', async () => {
  const beginning = await Beginning.make({ isInHistory: false });
  await inEveryOrder(async (play) => {
    await beginning.restore();
    const telling = new Telling(beginning.id, {});
    await play([telling.trims(), telling.reads()]);
    await telling.isKept();
  });
});

/** As an assertion begins; the steps that led to a failure are told below it, whatever it was. */
const ACCEPTED_ANEW = /^(the same key|the reference):/;
const withDoors: Cast = (t) => [t.trims(), ...t.asks('with the same key', 'with the reference alone')];
const withAttempt: Cast = (t) => [t.trims(), t.reverses()];

/** With each of them, what then breaks. */
const mutants: readonly (readonly [guard: string, mutant: Mutant, cast: Cast, breaks: RegExp])[] = [
  ['the stub', { trimWithout: /redis\.call\('HSET', stubs, stubName,[^\n]*/ }, withDoors, ACCEPTED_ANEW],
  [
    'the question after a stub',
    { acceptWithout: /if not fingerprint and r\.stubs then[^]*?\n  end/ },
    withDoors,
    ACCEPTED_ANEW,
  ],
  [
    'the comparison with what was read',
    { trimWithout: /if redis\.sha1hex[^\n]*/ },
    (t) => [t.trims(), t.notes()],
    /^what was said:/,
  ],
  [
    'the comparison of the revision, and of what waits',
    { trimWithout: /if redis\.sha1hex[^]*?if is_needed\(id, r\.lease[^\n]*/ },
    withAttempt,
    /^its last word:/,
  ],
  ['the reading back before the trim', { comparesNothing: true }, withAttempt, /^its last word:/],
];

test.for(mutants)('%s is missed where it is taken away', async ([, mutant, cast, breaks]) => {
  await expect(tellAll(cast, mutant)).rejects.toThrow(breaks);
});
