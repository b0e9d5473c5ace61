/**
 * A batch leaves Redis while its file comes again, under its own name and under another, and somebody reads it: every
 * order of their steps in Redis, with the end of the process that trims before any of its own. It is never accepted anew,
 * none of its rows is lost, and what is open is known to be. Each guard that is taken away is missed.
 */
import type { Redis } from 'ioredis';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { HistoryReader } from '../../src/history/reader.ts';
import { HistoryStore } from '../../src/history/store.ts';
import type { Trimmer } from '../../src/history/trimmer.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { fingerprint } from '../../src/lib/ids.ts';
import { systemRandom } from '../../src/lib/random.ts';
import type { BatchRow } from '../../src/operations/batch-rows.ts';
import { Batches, type BatchAccepted } from '../../src/operations/batches.ts';
import { keys } from '../../src/operations/keys.ts';
import { Operations } from '../../src/operations/operations.ts';
import { Queries } from '../../src/operations/queries.ts';
import { type Actor, inEveryOrder, type Turn } from '../support/every-order.ts';
import { type FreshPostgres, freshPostgres } from '../support/fresh-postgres.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { trimmerOf, writerOf } from './history-world.ts';
import { inTurn } from './in-turn.ts';
import { without } from './without.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const DAY_MS = 86_400_000;
const LATER = systemClock.now() + 8 * DAY_MS;
const AFTER = { batch: 7 * DAY_MS };
const REFUSED = 'not_accepted: amount is above MAX_DISBURSEMENT';

const BATCH = {
  id: 'bat_1',
  account: 'main',
  fingerprint: fingerprint('main\nab'),
  contentHash: 'ab',
  state: 'awaiting_approval',
  dueInMs: DAY_MS,
  fields: {
    by: 'maker',
    totals: JSON.stringify({ count: 3, xof: 600, countries: {}, modes: {} }),
    problems: '{"count":0,"list":[]}',
    warnings: '{"count":0,"list":[]}',
    columns: '["Nom"]',
  },
  tells: {},
} as const;
const ROWS: readonly BatchRow[] = [1, 2, 3].map((row) => ({
  row: row + 1,
  id: `dsb_${row}`,
  reference: `r-${row}`,
  accountAlias: '771234567',
  amount: 100 * row,
  withdrawMode: 'wallet-a-senegal',
  own: [`Awa\t${row}`],
  ...(row === 3 && { allowDuplicate: true as const, debitAccountNumber: 'SN123' }),
}));

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
  store.redis.setMaxListeners(0);
  reader = new HistoryReader(database.url, () => undefined);
});
afterAll(async () => {
  await reader?.close();
  await outside?.end();
  history?.destroy();
  await database?.close();
});

const writer = (trimmer?: Pick<Trimmer, 'pass'>) =>
  writerOf(store.redis, () => database.url, { open: async () => history, ...(trimmer && { trimmer }) });

/** It was approved, one row was refused, and then it needed a person, who called it off. */
async function begin({ isInHistory }: { readonly isInHistory: boolean }): Promise<void> {
  const { redis } = store;
  await redis.flushdb();
  await outside.query('delete from relais.batches; delete from relais.batch_rows');
  await writer().pass();
  const batches = new Batches(redis, systemRandom);
  await batches.accept(BATCH, ROWS);
  const operations = new Operations({ redis, random: systemRandom });
  for (const to of ['running', 'needs_review', 'cancelled'] as const) {
    const record = await new Queries(redis).read('batch', BATCH.id);
    if (!record) throw new Error('it is not there');
    const { is } = await operations.transition(record, undefined, { to, set: to === 'running' ? { fed: 1 } : {} });
    expect(is).toBe('applied');
    await batches.refuse(BATCH.id, { 1: REFUSED });
  }
  await writer().pass();
  expect(await outside.query('select from relais.batch_rows')).toMatchObject({ rowCount: 3 });
  if (!isInHistory) await outside.query('delete from relais.batch_rows');
}

interface Mutant {
  readonly trimWithout?: RegExp;
  readonly acceptWithout?: RegExp;
  readonly comparesNothing?: true;
}

const OF_TRIM = 'sha1hex(table.concat(pieces))';
const OF_ACCEPT = 'unstaged';
/** A process that trims writes by scripts alone. */
const WRITES = /^eval/;

class Telling {
  readonly #mutant: Mutant;
  #before: unknown;

  constructor(mutant: Mutant) {
    this.#mutant = mutant;
  }

  async begins(): Promise<void> {
    await begin({ isInHistory: this.#mutant.comparesNothing === undefined });
    this.#before = await this.#rows(store.redis);
  }

  /** `which`: of its steps in Redis. */
  trims({ mayDie = false, which = /./ } = {}): Actor {
    const acts = async (turn: Turn): Promise<void> => {
      let isOpen = false;
      const when: Turn = (step) => (isOpen ? turn(step) : step());
      const at = (step: string): void => {
        isOpen = step !== 'trimmed';
      };
      await this.#trimmer(inTurn(this.#toTrim(), when, which), at).pass(this.#compared());
    };
    return { name: 'the process that trims', acts, ...(mayDie && { mayDie }) };
  }

  /** The same file, from the same hand or from another program that gave it a key. */
  comes(...ways: readonly (keyof Telling['ways'])[]): Actor[] {
    return ways.map((way) => ({
      name: `the file that comes ${way}`,
      acts: (turn) => this.ways[way](inTurn(this.#toAccept(), turn, /^(eval|get$)/)),
    }));
  }

  readonly ways = {
    again: async (redis: Redis): Promise<void> => {
      expect(await this.#accept(redis), 'the same file').toEqual({
        outcome: 'duplicate',
        id: 'bat_1',
        state: 'cancelled',
      });
    },
    'under its key with other bytes': async (redis: Redis): Promise<void> => {
      const other = { fingerprint: fingerprint('main\ncd'), contentHash: 'cd' };
      expect(await this.#accept(redis, other), 'other bytes').toEqual({ outcome: 'conflict', id: 'bat_1' });
    },
    'under another key': async (redis: Redis): Promise<void> => {
      expect(await this.#accept(redis, { id: 'bat_2' }), 'another key').toMatchObject({ outcome: 'accepted' });
    },
  };

  reads(): Actor {
    const acts = async (turn: Turn): Promise<void> => {
      expect(await this.#rows(inTurn(store.redis, turn)), 'its rows').toEqual(this.#before);
    };
    return { name: 'somebody who reads it', acts };
  }

  /** An attempt that was slow refuses a row now. */
  refuses(): Actor {
    const acts = (turn: Turn): Promise<void> =>
      new Batches(inTurn(store.redis, turn), systemRandom).refuse('bat_1', { 1: 'otherwise' });
    return { name: 'an attempt that was slow', acts };
  }

  async isKept({ isOpenElsewhere = false } = {}): Promise<void> {
    for (let passes = 0; passes < 3; passes += 1) {
      const trimmer = this.#trimmer(this.#toTrim());
      await writer({ pass: () => trimmer.pass(this.#compared()) }).pass();
    }
    expect(await store.redis.exists(keys.record('bat_1'), keys.batchRows('bat_1')), 'it left').toBe(0);
    await this.ways.again(this.#toAccept());
    expect(await this.#rows(store.redis), 'its rows').toEqual(this.#before);
    if (!isOpenElsewhere) return;
    expect(await this.#accept(this.#toAccept(), { id: 'bat_3' }), 'while it is open').toEqual({
      outcome: 'open',
      id: 'bat_2',
    });
  }

  #accept(redis: Redis, more: object = {}): Promise<BatchAccepted> {
    return new Batches(redis, systemRandom).accept({ ...BATCH, ...more }, ROWS);
  }

  async #rows(redis: Redis): Promise<unknown> {
    const record = await new Queries(redis, reader).read('batch', 'bat_1');
    if (!record) throw new Error('it is denied');
    const pages = new Batches(redis, systemRandom, { past: reader }).rowsNow(record, { from: 0, to: 3 });
    const rows: unknown[] = [];
    for await (const page of pages) rows.push(...page);
    return [record.state, record.totals, rows];
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
    const operations = new Operations({ redis, random: systemRandom, now: () => LATER });
    return trimmerOf(redis, operations, { now: () => LATER, after: AFTER, ...(at && { at }) });
  }

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

async function tellAll(cast: Cast, mutant: Mutant = {}, more: { readonly isOpenElsewhere?: boolean } = {}) {
  return inEveryOrder(async (play) => {
    const telling = new Telling(mutant);
    await telling.begins();
    await play(cast(telling));
    await telling.isKept(more);
  });
}

const withAnother: Cast = (t) => [t.trims(), ...t.comes('under another key')];
const OPEN = { isOpenElsewhere: true };

test.for<[string, Cast, object?]>([
  ['its own file, and the process may die', (t) => [t.trims({ mayDie: true, which: WRITES }), ...t.comes('again')]],
  ['other bytes under its key', (t) => [t.trims(), ...t.comes('under its key with other bytes')]],
  ['its file under another key', withAnother, OPEN],
  ['somebody who reads it', (t) => [t.trims({ which: WRITES }), t.reads()]],
  ['an attempt that was slow', (t) => [t.trims(), t.refuses()]],
])('a batch leaves beside %s', async ([who, cast, more]) => {
  expect(await tellAll(cast, {}, more), who).toBeGreaterThan(3);
});

const again: Cast = (t) => [t.trims(), ...t.comes('again')];

test.for<[string, Mutant, Cast, RegExp, object?]>([
  ['the stub', { trimWithout: /redis\.call\('HSET', stubs, stubName,[^\n]*/ }, again, /the same file/],
  ['the question after a stub', { acceptWithout: /local print, ended = [^]*?ended\} end\n/ }, again, /the same file/],
  [
    'whose the bytes are by now',
    { trimWithout: /(?<=if named) and redis\.call\('GET', named\) == id/ },
    withAnother,
    /while it is open/,
    OPEN,
  ],
  ['the reading back of its rows', { comparesNothing: true }, (t) => [t.trims(), t.reads()], /not have all rows/],
])('%s is missed where it is taken away', async ([, mutant, cast, breaks, more]) => {
  await expect(tellAll(cast, mutant, more)).rejects.toThrow(breaks);
});
