/** The model of the simulation answers like PostgreSQL, step by step, in random orders of statements. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StateOf, stateOf } from '../../src/kinds/index.ts';
import { OperationStore } from '../../src/ledger/operation-store.ts';
import { Operations } from '../../src/ledger/operations.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import type { DisbursementRecord } from '../../src/operations/record.ts';
import { type Change, eventOf, named } from '../../src/operations/transition.ts';
import { Chance } from '../simulation/process.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { ModelOperations, type Row } from '../support/model-operations.ts';

const LEASE_MS = 60_000;
const START = Date.UTC(2026, 0, 1, 12);
const STEPS = 120;
const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);

let ledger: FreshLedger;
let operations: Operations;
let now = START;
beforeAll(async () => {
  ledger = await freshLedger();
  const database = { url: ledger.url, schema: ledger.schema };
  const time = (): Date => new Date(now);
  operations = new Operations({
    database,
    process: 'p',
    clock: systemClock,
    random: systemRandom,
    lanes: 1,
    now: time,
  });
});
afterAll(async () => {
  await operations?.close();
  await ledger?.close();
});

/** A record under both sides' leases. */
interface Held {
  readonly record: DisbursementRecord;
  readonly leases: Both<string>;
}
interface Both<T> {
  readonly real: T;
  readonly model: T;
}

type Set = Readonly<Record<string, string | number>>;

class Pair {
  readonly #chance: Chance;
  readonly #account: string;
  readonly #ids: readonly [string, ...string[]];
  readonly #model = new ModelOperations(() => now);
  readonly #stores: Both<OperationStore>;
  /** Names of leases, equal for the same lease on both sides. */
  readonly #leases = new Map<string, string>();
  readonly #held: Held[] = [];

  constructor(seed: number) {
    this.#chance = new Chance(seed);
    this.#account = `main-${seed}`;
    this.#ids = [`dsb-${seed}-0`, `dsb-${seed}-1`, `dsb-${seed}-2`];
    // The store checks the age of its claims: here both clocks are the time of the statements.
    const clock = { ...systemClock, now: () => now, monotonic: () => now, sinceBoot: () => now };
    const of = (statements: Operations): OperationStore =>
      new OperationStore({ operations: statements, clock, accounts: [this.#account], leaseMs: LEASE_MS });
    this.#stores = { real: of(operations), model: of(this.#model as unknown as Operations) };
  }

  async step(): Promise<void> {
    const chance = this.#chance;
    const id = chance.pick(this.#ids);
    now += chance.happens(0.2) ? Math.round(chance.between(0, 2 * LEASE_MS)) : chance.whole(2_000);
    const acts = [
      () => this.#accept(id),
      () => this.#take(),
      () => this.#acquire(id),
      () => this.#change(id),
      () => this.#change(id),
      () => this.#change(id),
      () => this.#nudge(id),
      () => this.#note(id),
    ] as const;
    await this.#chance.pick(acts)();
    await this.#compareRows();
  }

  async compareEnds(): Promise<void> {
    const events = await ledger.query(
      `select id, subject, type, data, at from relais.outbox where type is not null and account = '${this.#account}' order by sequence`,
    );
    expect(this.#model.events.map((event) => ({ ...event, at: new Date(event.at) }))).toEqual(events);
    const [{ xof } = { xof: null }] = await ledger.query<{ xof: string | null }>(
      `select sum(xof) as xof from relais.spent where account = '${this.#account}' and beneficiary = ''`,
    );
    expect(this.#model.spent.get(this.#account) ?? 0).toBe(Number(xof ?? 0));
  }

  async #both<T>(ask: (store: OperationStore, side: 'real' | 'model') => Promise<T>): Promise<Both<T>> {
    return { real: await ask(this.#stores.real, 'real'), model: await ask(this.#stores.model, 'model') };
  }

  async #accept(id: string): Promise<void> {
    const isOther = this.#chance.happens(0.2);
    const { real, model } = await this.#both((store) =>
      store.accept({
        kind: 'disbursement',
        id,
        account: this.#account,
        state: 'queued',
        fingerprint: isOther ? 'another' : id,
        xof: 500,
        dueInMs: 0,
        fields: { by: 'shop', amount: 500, accountAlias: `77${id}`, withdrawMode: 'wave-senegal', disburseId: id },
      }),
    );
    expect(model).toEqual(real);
  }

  async #take(): Promise<void> {
    const queue = this.#chance.pick(['disbursement', 'status-poll'] as const);
    const { real, model } = await this.#both((store) => store.take(queue, 10));
    expect(model.toSorted()).toEqual(real.toSorted());
    if (this.#chance.happens(0.2)) await this.#both((store) => store.handBack(queue, real));
  }

  async #acquire(id: string): Promise<void> {
    const queue = this.#chance.pick(['disbursement', 'status-poll'] as const);
    const { real, model } = await this.#both((store) => store.acquire('disbursement', id, queue, LEASE_MS));
    if (real.is !== 'acquired' || model.is !== 'acquired') return expect(model).toEqual(real);
    this.#sameLease(real.lease, model.lease);
    expect({ ...model, lease: '' }).toEqual({ ...real, lease: '' });
    this.#held.push({ record: real.record, leases: { real: real.lease, model: model.lease } });
  }

  /** The result of an attempt, under a possibly old lease; sometimes a user's act. */
  async #change(id: string): Promise<void> {
    const chance = this.#chance;
    const held = this.#held.findLast(({ record }) => record.id === id);
    const old = this.#held[chance.whole(this.#held.length)];
    const one = chance.happens(0.1) ? old : held;
    if (one === undefined) return;
    const { record, leases } = one;
    const change = this.#anyChange(record);
    const isAct = chance.happens(0.1);
    const { real, model } = await this.#both((store, side) =>
      store.transition(record, isAct ? undefined : leases[side], change),
    );
    expect({ ...model, op: '' }).toEqual({ ...real, op: '' });
    if (real.is !== 'applied' || change.keepMs === undefined) return;
    this.#held.push({ record: { ...record, state: change.to, rev: real.rev }, leases });
  }

  #anyChange(record: DisbursementRecord): Change<'disbursement'> {
    const chance = this.#chance;
    const { to = [], late = [] } = stateOf('disbursement', record.state);
    const next = chance.pick([record.state, ...to, ...late]) as StateOf<'disbursement'>;
    const maybe = <T>(share: number, value: T): T | undefined => (chance.happens(share) ? value : undefined);
    const token = maybe(0.3, `t${chance.whole(3)} of ${this.#account}`);
    const sets: readonly [Set, ...Set[]] = [
      { '@sentAt': 0, sends: record.sends + 1 },
      { '@quietUntil': 5_000, reason: 'because' },
      { '@failedSeenAt': 0, tries: 3 },
      { reason: '', failedSeenAt: '', quietUntil: '' },
      { token: '', tokenAt: '', tries: '' },
      { keys: 'keys', mode: 'live', '@tokenAt': 0 },
    ];
    return {
      to: next,
      dueInMs: maybe(0.6, chance.whole(100_000)),
      keepMs: maybe(0.3, LEASE_MS),
      nudgeAfterMs: maybe(0.5, 5_000),
      set: { ...chance.pick(sets), ...(token ? { token } : {}) },
      evidence: maybe(0.6, [{ operation: 'status', code: 'ok', httpStatus: 200 }, named('token', 'x')]),
      claims: token && `token=${token}`,
      event: maybe(0.3, eventOf({ ...record, kind: 'disbursement' }, 'needs_review', { reason: 'because' })),
    };
  }

  async #nudge(id: string): Promise<void> {
    const posted = { redacted: 'a body', agreesWith: this.#chance.happens(0.7) ? ['succeeded'] : [] };
    const { real, model } = await this.#both((store) =>
      store.nudge('disbursement', id, { operation: 'callback', code: 'success' }, 5_000, posted),
    );
    expect(model).toEqual(real);
  }

  async #note(id: string): Promise<void> {
    const said = Array.from({ length: 1 + this.#chance.whole(12) }, () => ({ operation: 'status', code: 'pending' }));
    await this.#both((store) => store.appendEvidence(id, said));
  }

  async #compareRows(): Promise<void> {
    const real = await operations.read<Row>(this.#ids);
    const model = this.#model.read(this.#ids);
    expect(model.length).toBe(real.length);
    for (const row of real) {
      const other = this.#model.rows.get(row.id);
      if (other === undefined) throw new Error(`the model has no ${row.id}`);
      for (const [one, two] of [
        [row.lease, other.lease],
        [row.last_lease, other.last_lease],
      ] as const) {
        if (one !== null && two !== null) this.#sameLease(one, two);
        else expect(two).toBe(one);
      }
      const names = Object.keys(row).filter((name) => name in other && !['lease', 'last_lease'].includes(name));
      const of = (from: Row) => Object.fromEntries(names.map((name) => [name, from[name as keyof Row]]));
      expect(of(other)).toEqual(of(row));
    }
  }

  #sameLease(real: string, model: string): void {
    const known = this.#leases.get(real);
    if (known === undefined) this.#leases.set(real, model);
    else expect(model).toBe(known);
  }
}

test.for(SEEDS)('operations: seed %i', async (seed) => {
  const pair = new Pair(seed);
  for (let step = 0; step < STEPS; step += 1) await pair.step();
  await pair.compareEnds();
});
