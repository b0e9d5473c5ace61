/**
 * Payments end, are asked for again, are spoken of and leave Redis in any order, while passes break off between any two
 * steps: none is accepted twice, and of each the last word is in Redis or in history. Each guard that is taken away is
 * missed.
 */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Trimmer, trimmerSteps } from '../../src/history/trimmer.ts';
import { fingerprint } from '../../src/lib/ids.ts';
import { type Random, seededRandom } from '../../src/lib/random.ts';
import { keys } from '../../src/operations/keys.ts';
import { Queries } from '../../src/operations/queries.ts';
import { stubsLeft } from '../../src/operations/stubs.ts';
import { freshDatabase, type FreshPostgres } from '../support/fresh-postgres.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { type OwnPostgres, startPostgres } from '../support/postgres.ts';
import { historyWorld, PAID, trimmerOf, writerOf } from './history-world.ts';
import { without } from './without.ts';

vi.setConfig({ testTimeout: 240_000 });

const DAY_MS = 86_400_000;
const NOON = Date.parse('2026-10-01T12:00:00Z');
const PAYMENTS = 6;
const STEPS = 60;
const SEEDS = 4;

const store = storeOfThisFile();
let server: OwnPostgres;
let database: FreshPostgres;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());
beforeEach(async () => {
  database = await freshDatabase(server.url);
});

/** What of the guards is taken away. */
interface Mutant {
  /** In the words of the script. */
  readonly without?: RegExp;
  readonly comparesNothing?: boolean;
}

/** Where each may go from where it is. */
const WORDS = {
  succeeded: ['reversed'],
  failed: ['succeeded', 'needs_review'],
  needs_review: ['succeeded', 'failed'],
};

class Story {
  readonly #random: Random;
  readonly #world = historyWorld(store.redis, NOON);
  readonly #states = new Map<string, string>();
  readonly #said = new Map<string, number>();
  readonly #mutant: Mutant;
  #now = NOON;
  #lines = 0;
  /** There are tables. */
  #isOpen = false;

  constructor(seed: number, mutant: Mutant) {
    this.#random = seededRandom(seed);
    this.#mutant = mutant;
  }

  /** How many had left at its end. */
  async tell(): Promise<number> {
    for (let step = 0; step < STEPS; step += 1) await this.#step();
    for (let at = 0; at < 3; at += 1) await this.#pass();
    return this.#check();
  }

  async #step(): Promise<void> {
    const id = `dsb_${Math.floor(this.#random.fraction() * PAYMENTS)}`;
    const chance = this.#random.fraction();
    if (chance < 0.2) await this.#ask(id);
    else if (chance < 0.35) await this.#speak(id);
    else if (chance < 0.5) await this.#hear(id);
    else if (chance < 0.65) this.#turn();
    else if (chance < 0.75) await this.#lose(id);
    else await this.#pass(id).catch(isBroken);
  }

  #turn(): void {
    this.#now += Math.floor(this.#random.fraction() * 12 * DAY_MS);
    this.#world.turnTo(this.#now);
  }

  /** History loses what Redis has: nobody has noticed yet. */
  async #lose(id: string): Promise<void> {
    if ((await store.redis.exists(keys.record(id))) === 0 || !this.#isOpen) return;
    await database.query(`delete from relais.disbursements where id = '${id}'`);
  }

  /** Also while it leaves. */
  async #ask(id: string): Promise<void> {
    const known = this.#states.get(id);
    const { outcome } = await this.#world.ask(id);
    if (known === undefined) {
      expect(outcome, id).toBe('accepted');
      await this.#world.go(
        id,
        ...(this.#random.fraction() < 0.5 ? PAID : (['created', 'submitting', 'failed'] as const)),
      );
      this.#states.set(id, (await new Queries(store.redis).read('disbursement', id))?.state ?? '');
      return;
    }
    expect(outcome, `${id} is asked for again`).toBe('duplicate');
    const other = await this.#world.ask(id, { fingerprint: fingerprint('another') });
    expect(other.outcome, `something else is asked for as ${id}`).toBe('conflict');
  }

  /** Upstream's late word, which a record that is there is led on by. */
  async #speak(id: string): Promise<void> {
    const record = await new Queries(store.redis).read('disbursement', id);
    const next = record && (WORDS as Readonly<Record<string, readonly string[]>>)[record.state];
    const to = next?.[Math.floor(this.#random.fraction() * next.length)];
    if (to === undefined) return;
    await this.#world.go(id, to as 'reversed');
    this.#states.set(id, to);
  }

  async #hear(id: string): Promise<void> {
    if (!this.#states.has(id)) return;
    this.#lines += 1;
    const code = `line${this.#lines}`;
    const hinted = await this.#world.operations.nudge('disbursement', id, { operation: 'callback', code }, 0);
    expect(hinted.is, `${id} is spoken of`).not.toBe('none');
    // Only the last word on one that left is kept, and of all the last ones.
    this.#said.set(id, this.#lines);
    // What a look would find is found.
    if (this.#random.fraction() < 0.7) await store.redis.zrem(keys.due('status-poll'), id);
  }

  /** Meanwhile somebody may ask for it, or speak of it; and it may break off. */
  async #pass(id?: string): Promise<void> {
    const { without: guard, comparesNothing = false } = this.#mutant;
    const breaksAt = id && this.#random.fraction() < 0.3 ? this.#random.fraction() : undefined;
    const redis = guard === undefined ? store.redis : without(store.redis, 'sha1hex(table.concat(pieces))', guard);
    const at = async (step: string): Promise<void> => {
      if (breaksAt !== undefined && step === trimmerSteps[Math.floor(breaksAt * 3)]) throw new Error('broken off');
      if (id === undefined || step !== 'compared') return;
      for (const one of this.#states.keys()) await this.#meanwhile(one);
    };
    const trimmer = trimmerOf(redis, this.#world.operations, { now: () => this.#now, at });
    const meant: Pick<Trimmer, 'pass'> = !comparesNothing
      ? trimmer
      : {
          pass: (real) =>
            trimmer.pass({
              name: real.name,
              fact: (name) => real.fact(name),
              now: () => real.now(),
              row: (table, of) => real.row(table, of),
              write: (copies, facts) => real.write(copies, facts),
              compare: (copies) => real.compare(copies),
              differing: (given) => real.differing(given),
              has: ({ count }) => Promise.resolve(Array.from({ length: count }, () => true)),
            }),
        };
    this.#isOpen = true;
    const writer = writerOf(store.redis, () => database.url, { trimmer: meant });
    try {
      await writer.pass();
    } finally {
      await writer.close();
    }
  }

  async #meanwhile(id: string): Promise<void> {
    const chance = this.#random.fraction();
    if (chance < 0.1) await this.#speak(id);
    else if (chance < 0.4) await this.#hear(id);
    else if (chance < 0.5) await this.#ask(id);
  }

  async #check(): Promise<number> {
    const rows = await database.query<{ id: string; state: string; record: unknown }>(
      'select id, state, record from relais.disbursements',
    );
    const inHistory = new Map(rows.map((row) => [row.id, row]));
    const ids = [...this.#states.keys()];
    const left = await stubsLeft(store.redis, ids);
    for (const [at, id] of ids.entries()) {
      const record = await new Queries(store.redis).read('disbursement', id);
      const row = inHistory.get(id);
      const known = record ?? row;
      expect(known?.state, `the last word on ${id}`).toBe(this.#states.get(id));
      if (!record) expect(left[at]?.state, `the stub of ${id}`).toBe(row?.state);
      const line = this.#said.get(id);
      const words = JSON.stringify(record?.fields ?? row?.record);
      if (line !== undefined) expect(words, `what was said of ${id}`).toContain(`line${line}`);
    }
    return left.filter((stub) => stub !== undefined).length;
  }
}

function isBroken(error: unknown): void {
  if (!(error instanceof Error) || error.message !== 'broken off') throw error;
}

const tell = (seed: number, mutant: Mutant = {}) => new Story(seed, mutant).tell();

test.for(Array.from({ length: SEEDS }, (_, seed) => seed + 1))(
  'nothing is lost or paid anew, seed %i',
  async (seed) => {
    expect(await tell(seed), 'how many left Redis').toBeGreaterThan(1);
  },
);

const mutants: readonly (readonly [name: string, mutant: Mutant])[] = [
  ['the stub', { without: /redis\.call\('HSET', stubs, stubName,[^\n]*/ }],
  ['the comparison of the record in Redis', { without: /if redis\.sha1hex[^\n]*/ }],
  ['the comparison with history', { comparesNothing: true }],
];

test.for(mutants)('%s is missed where it is taken away', async ([, mutant]) => {
  const failures: unknown[] = [];
  for (let seed = 1; seed <= SEEDS && failures.length === 0; seed += 1) {
    await store.redis.flushdb();
    await database.close();
    database = await freshDatabase(server.url);
    await tell(seed, mutant).catch((error: unknown) => failures.push(error));
  }
  const [failure] = failures;
  expect(failure instanceof Error && failure.name === 'AssertionError', String(failure)).toBe(true);
});
