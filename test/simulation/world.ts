/** A small world: some disbursements, every process that touches them, and everything that goes wrong. */
import type { QueueName } from '../../src/kinds/due-queues.ts';
import { derivedHex } from '../../src/lib/ids.ts';
import { seededRandom } from '../../src/lib/random.ts';
import { keys } from '../../src/operations/keys.ts';
import { readRecord } from '../../src/operations/record.ts';
import type { ProcessorContext, Policy } from '../../src/processors/context.ts';
import { eventOf } from '../../src/operations/transition.ts';
import { payDisbursement } from '../../src/processors/disbursement/pay.ts';
import { NUDGE_INTERVAL_MS } from '../../src/processors/attempt.ts';
import { pollStatus, Taker } from '../../src/processors/run.ts';
import { ALL_GUARDS, type StoreGuards } from '../support/store-guards.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { Chance, DEFAULT_TROUBLES, type Troubles } from './chance.ts';
import { ConnectionLost, type Durability } from './connection.ts';
import { Ledger, type Token, type UpstreamPromises } from './ledger.ts';
import { LEASE_MS, Process } from './process.ts';
import { Timeline } from './timeline.ts';
import { POLICY, type Workshop, benchOf, operationsOf } from './tools.ts';
import type { Look, Send } from './upstream.ts';

export interface WorldOptions {
  readonly seed: number;
  readonly disbursements: number;
  readonly mode: 'resubmit' | 'strict';
  readonly durability: Durability;
  readonly promises: UpstreamPromises;
  readonly burnsIds?: boolean;
  readonly troubles?: Partial<Troubles>;
  /** One guard taken away: in the scripts, in the settings, or between a processor and its bench. */
  readonly guards?: Partial<StoreGuards>;
  readonly policy?: Partial<Policy>;
  readonly tamper?: (context: ProcessorContext, world: World) => ProcessorContext;
}

const DUE_TO_ADVANCE = keys.due('disbursement');
const DUE_TO_LOOK = keys.due('status-poll');
const START = 1_800_000_000_000;
/** Few enough that a rollback takes a large part of a world with it. */
export const PER_WORLD = 10;
const SWEEP_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CALLED_BACK_AGAIN_MS = HOUR_MS / 4;
/** Before the first look that a success gets by itself. */
const REVERSED_WITHIN_MS = 20 * HOUR_MS;

export class World {
  readonly options: WorldOptions;
  readonly timeline = new Timeline(START);
  readonly store = new MemoryStore();
  readonly chance: Chance;
  readonly ledger: Ledger;
  readonly sends: Send[] = [];
  readonly looks: Look[] = [];
  readonly asks: Pick<Look, 'token' | 'beganAt'>[] = [];
  readonly counts: Record<string, number> = {};
  /** Ids whose acceptance was answered. */
  readonly answered = new Set<string>();
  /** What no process of ours may ever throw. */
  readonly crashes: unknown[] = [];
  /** Ids that were given to a second attempt while the lease of the first had not ended. */
  readonly heldTwice: string[] = [];
  readonly #called = new Set<QueueName>();
  readonly workshop: Workshop;
  #sweptAt = 0;

  constructor(options: WorldOptions) {
    this.options = options;
    const { seed, promises, mode, durability, burnsIds = false } = options;
    const random = seededRandom(seed);
    this.chance = new Chance(random);
    this.ledger = new Ledger(this.timeline, this.chance, promises, (token) => this.#callBack(token));
    const { timeline, chance, store, ledger, sends, looks, asks, counts } = this;
    this.workshop = {
      timeline,
      chance,
      store,
      ledger,
      sends,
      looks,
      asks,
      counts,
      random,
      durability,
      burnsIds,
      troubles: { ...DEFAULT_TROUBLES, ...options.troubles },
      commands: { inFlight: new Set(), atRiskSince: START },
      policy: { ...POLICY, resubmit: mode === 'resubmit', ...options.policy } as Policy,
      guards: { ...ALL_GUARDS, ...options.guards },
      holds: new Map(),
      rows: new Map(),
      wake: (queue) => this.#call(queue),
      onHeldTwice: (id) => void this.heldTwice.push(id),
      tellLater: (token, at) => this.#tellLater(token, at),
      durableRecord: (token) => {
        const record = store.durableHash(keys.record(ledger.tokens.get(token)?.callbackId ?? ''));
        return { state: record.get('state'), token: record.get('token') };
      },
    };
  }

  get ids(): string[] {
    return Array.from({ length: this.options.disbursements }, (_, index) => `dsb-${index}`);
  }

  async live(): Promise<void> {
    for (const [index, id] of this.ids.entries()) {
      this.timeline.after(this.chance.upTo(HOUR_MS / 4), () => this.#ask(id, 1_000 + index));
      if (this.chance.happens(0.03)) this.timeline.after(this.chance.upTo(HOUR_MS), () => this.#cancel(id));
      if (this.chance.happens(0.2)) this.timeline.after(this.chance.upTo(HOUR_MS), () => this.#hint(id));
    }
    const end = START + 14 * DAY_MS;
    while (this.timeline.now < end) {
      const sweepAt = Math.max(this.#sweptAt + SWEEP_MS, this.#nextDueAt());
      if (sweepAt > end && this.timeline.nextAt > end) break;
      if (sweepAt <= this.timeline.nextAt)
        this.timeline.after(Math.max(0, sweepAt - this.timeline.now), () => this.#sweep());
      if (sweepAt <= this.timeline.nextAt) this.#sweptAt = sweepAt;
      await this.timeline.step();
    }
  }

  #nextDueAt(): number {
    return Math.min(this.store.lowest(DUE_TO_ADVANCE), this.store.lowest(DUE_TO_LOOK));
  }

  /** A caller asks until it is answered, and now and then once more. */
  #ask(id: string, amount: number): void {
    const process = new Process(this.workshop);
    const disburseId = derivedHex(id);
    const operations = operationsOf(process, this.workshop);
    const accepted = operations.accept({
      kind: 'disbursement',
      id,
      account: 'main',
      state: 'queued',
      fingerprint: id,
      xof: amount,
      dueInMs: 0,
      fields: { amount, accountAlias: `77${id}`, withdrawMode: 'wave-senegal', disburseId },
    });
    this.#run(async () => {
      await accepted;
      // The same as before a submit: a fence that was waited for in the wrong world proves nothing.
      const durable = await benchOf(process, this.workshop).fence();
      if (!durable || !(await operations.stillMine(id, { fp: id }))) throw new ConnectionLost('not durable');
      this.answered.add(id);
      this.#call('disbursement');
    });
    this.timeline.after(2 * LEASE_MS, () => {
      if (!this.answered.has(id) || this.chance.happens(0.05)) this.#ask(id, amount);
    });
  }

  #cancel(id: string): void {
    const fields = Object.fromEntries(this.store.hash(keys.record(id)));
    if (!['queued', 'held', 'created'].includes(fields['state'] ?? '')) return;
    const record = readRecord('disbursement', fields);
    const process = new Process(this.workshop);
    const event = eventOf(record, 'cancelled');
    this.#run(() => operationsOf(process, this.workshop).transition(record, undefined, { to: 'cancelled', event }));
  }

  #callBack(token: Token): void {
    this.#reverseLater(token);
    for (let copies = this.chance.whole(3); copies > 0; copies -= 1) {
      this.timeline.after(this.chance.upTo(60_000), () => this.#hint(token.callbackId));
    }
  }

  /** A service that was wrong says so until somebody has heard it. */
  #tellLater(token: Token, at: number): void {
    const tell = (): void => {
      let heard = false;
      this.#hint(token.callbackId, () => (heard = true));
      this.timeline.after(CALLED_BACK_AGAIN_MS, () => void (heard || tell()));
    };
    this.timeline.after(at - this.timeline.now, tell);
  }

  /** Money that had arrived comes back; nobody is told. */
  #reverseLater(token: Token): void {
    if (!this.chance.happens(this.workshop.troubles.reverses)) return;
    token.reversedAt = this.timeline.now + this.chance.between(0, REVERSED_WITHIN_MS);
  }

  #hint(id: string, heard: () => void = () => undefined): void {
    const process = new Process(this.workshop);
    const operations = operationsOf(process, this.workshop);
    this.#run(async () => {
      const said = { operation: 'callback', code: 'success' };
      const hinted = await operations.nudge('disbursement', id, said, NUDGE_INTERVAL_MS);
      if (hinted.is === 'look') this.#call('status-poll');
      const durable = await benchOf(process, this.workshop).fence();
      if (!durable || !(await operations.stillMine(id, hinted.written))) throw new ConnectionLost('not durable');
      heard();
    });
  }

  /** A worker looks by itself, called or not. */
  #sweep(): void {
    this.#take('disbursement');
    this.#take('status-poll');
  }

  /** As a call of BullMQ does: it may be lost, come twice, or come while another waits. */
  #call(queue: QueueName): void {
    const { wakeLost, wakeTwice } = this.workshop.troubles;
    if (this.#called.has(queue) || this.chance.happens(wakeLost)) return;
    this.#called.add(queue);
    this.timeline.after(this.chance.upTo(10_000), () => {
      this.#called.delete(queue);
      this.#take(queue);
      if (this.chance.happens(wakeTwice)) this.#take(queue);
    });
  }

  /** One process for all that it takes: when it dies, all of it dies. */
  #take(queue: QueueName): void {
    const { tamper = (context: ProcessorContext) => context } = this.options;
    const process = new Process(this.workshop);
    const context = tamper(benchOf(process, this.workshop), this);
    const operations = operationsOf(process, this.workshop);
    const taker = new Taker({
      slots: 1 + this.chance.whole(PER_WORLD),
      patienceMs: LEASE_MS / 2,
      clock: process.clock,
      take: (atMost) => operations.take(queue, atMost),
      handBack: (ids) => operations.handBack(queue, ids),
      attempt: (id) => this.#attempt(queue, id, context),
      callOthers: () => this.#call(queue),
      onFailed: (error) => this.#failed(error),
    });
    if (this.chance.happens(this.workshop.troubles.stop)) {
      this.timeline.after(this.chance.upTo(LEASE_MS), () => {
        this.counts['stopped'] = (this.counts['stopped'] ?? 0) + 1;
        taker.stop();
      });
    }
    this.#run(() => taker.run());
  }

  async #attempt(queue: QueueName, id: string, context: ProcessorContext): Promise<void> {
    const { outcome: did } = await (queue === 'status-poll' ? pollStatus : payDisbursement)(id, context);
    this.counts[`attempt ${did}`] = (this.counts[`attempt ${did}`] ?? 0) + 1;
  }

  #run(work: () => Promise<unknown>): void {
    void work().catch((error: unknown) => this.#failed(error));
  }

  #failed(error: unknown): void {
    if (!(error instanceof ConnectionLost)) this.crashes.push(error);
  }
}
