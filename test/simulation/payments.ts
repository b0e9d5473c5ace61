/** A small world of payments: the real processors, every process that touches a payment, and every fault. */
import { AnswerLost, isLedgerAway } from '../../src/ledger/errors.ts';
import type { Written } from '../../src/ledger/operation-items.ts';
import { OperationStore } from '../../src/ledger/operation-store.ts';
import type { Operations } from '../../src/ledger/operations.ts';
import { readRow } from '../../src/ledger/records.ts';
import { derivedHex } from '../../src/lib/ids.ts';
import type { DisbursementRecord } from '../../src/operations/record.ts';
import { eventOf } from '../../src/operations/transition.ts';
import { NUDGE_INTERVAL_MS } from '../../src/processors/attempt.ts';
import type { Policy, ProcessorContext } from '../../src/processors/context.ts';
import { type AttemptQueue, Taker, processors } from '../../src/processors/run.ts';
import { ModelAccounts } from './accounts.ts';
import { ALL_GUARDS, type Guards, ModelOperations, type ReportedEvent } from '../support/model-operations.ts';
import { Chance, FAULTS, type Faults, LEASE_MS, Process } from './process.ts';
import { Provider, type ProviderLink, type ProviderPromises, SimulatedPayments, type Token } from './provider.ts';
import { Timeline } from './timeline.ts';

export interface PaymentsOptions {
  readonly seed: number;
  readonly mode: 'resubmit' | 'strict';
  readonly promises: ProviderPromises;
  readonly faults?: Partial<Faults>;
  /** One guard removed: of the ledger, of the settings, or between a processor and its dependencies. */
  readonly guards?: Partial<Guards>;
  readonly policy?: Partial<Policy>;
  readonly tamper?: (context: ProcessorContext, world: PaymentsWorld) => ProcessorContext;
  readonly tamperStore?: (operations: StatementsOf, process: Process, world: PaymentsWorld) => StatementsOf;
}

export type StatementsOf = Pick<
  Operations,
  'accept' | 'claim' | 'lease' | 'release' | 'change' | 'signal' | 'appendEvidence' | 'read' | 'namedAs' | 'holdersOf'
>;

type PaymentQueue = Extract<AttemptQueue, 'disbursement' | 'status-poll'>;

const START = 1_800_000_000_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const END = START + 14 * 24 * HOUR_MS;
const SWEEP_MS = 1_000;
/** Few, so that a fault affects a large part of a world. */
const PAYMENTS = 4;

export const POLICY = {
  leaseMs: LEASE_MS,
  resubmit: true,
  quietMs: MINUTE_MS,
  pollMs: [2, 5, 10, 20, 40, 60, 120, 300, 600, 1_800].map((seconds) => seconds * 1_000),
  limitMs: 12 * HOUR_MS,
  holdRecheckMs: 30_000,
  recheckMs: [24, 72, 168].map((hours) => hours * HOUR_MS),
} satisfies Partial<Policy>;

export class PaymentsWorld {
  readonly options: PaymentsOptions;
  readonly timeline = new Timeline(START);
  readonly chance: Chance;
  readonly ledger: ModelOperations;
  readonly provider: Provider;
  readonly counts: Record<string, number> = {};
  /** Ids whose acceptance was answered. */
  readonly answered = new Set<string>();
  /** Errors that no process may ever throw. */
  readonly crashes: unknown[] = [];
  readonly ids = Array.from({ length: PAYMENTS }, (_, index) => `dsb-${index}`);
  readonly link: ProviderLink;
  readonly #policy: Policy;
  readonly #accounts: ModelAccounts;
  readonly #called = new Set<PaymentQueue>();
  #sweptAt = 0;

  constructor(options: PaymentsOptions) {
    this.options = options;
    const { seed, promises, mode, faults, guards, policy } = options;
    this.chance = new Chance(seed);
    const { timeline, chance, counts } = this;
    const at = { timeline, chance, counts, faults: { ...FAULTS, ...faults } };
    this.ledger = new ModelOperations(() => timeline.now, { guards: { ...ALL_GUARDS, ...guards } });
    this.provider = new Provider(at, promises, (token) => this.#paid(token));
    this.#accounts = new ModelAccounts(at);
    this.#policy = { ...POLICY, resubmit: mode === 'resubmit', ...policy } as Policy;
    this.link = {
      ...at,
      provider: this.provider,
      recordOf: (id) => {
        const { state = '', token = null } = this.ledger.rows.get(id) ?? {};
        return { state, token };
      },
      postLater: (token, until) => this.#postUntilStored(token, until - timeline.now),
    };
  }

  record(id: string): DisbursementRecord | undefined {
    const row = this.ledger.rows.get(id);
    return row && (readRow('disbursement', row) as DisbursementRecord);
  }

  async live(): Promise<void> {
    const { chance, timeline } = this;
    for (const [index, id] of this.ids.entries()) {
      timeline.after(chance.upTo(HOUR_MS / 4), () => this.#ask(id, 1_000 + index));
      if (chance.happens(0.05)) timeline.after(chance.upTo(HOUR_MS), () => this.#cancel(id));
      // A forged callback, or one that arrives too early.
      if (chance.happens(0.3)) timeline.after(chance.upTo(HOUR_MS / 4), () => this.#post(id));
    }
    while (timeline.now < END) {
      const sweepAt = Math.max(this.#sweptAt + SWEEP_MS, this.#nextDueAt());
      if (sweepAt > END && timeline.nextAt > END) break;
      if (sweepAt <= timeline.nextAt) {
        this.#sweptAt = sweepAt;
        timeline.after(Math.max(0, sweepAt - timeline.now), () => this.#sweep());
      }
      await timeline.step();
    }
  }

  /** Due and free, or due when its lease ends. */
  #nextDueAt(inQueue?: PaymentQueue): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { queue, due_at, lease_until } of this.ledger.rows.values()) {
      if (due_at === null || (inQueue !== undefined && queue !== inQueue)) continue;
      next = Math.min(next, Math.max(due_at.getTime(), lease_until?.getTime() ?? 0));
    }
    return next;
  }

  /** A caller repeats its request until it is answered, and sometimes once more. */
  #ask(id: string, amount: number): void {
    const store = this.#storeOf(new Process(this.link));
    this.#run(async () => {
      const { outcome } = await store.accept({
        kind: 'disbursement',
        id,
        account: 'main',
        state: 'queued',
        fingerprint: id,
        xof: amount,
        dueInMs: 0,
        fields: { amount, accountAlias: `77${id}`, withdrawMode: 'wave-senegal', disburseId: derivedHex(id) },
      });
      if (outcome !== 'accepted' && outcome !== 'duplicate') throw new Error(`accept answered ${outcome}`);
      this.answered.add(id);
      this.#call('disbursement');
    });
    this.timeline.after(2 * LEASE_MS, () => {
      if (!this.answered.has(id) || this.chance.happens(0.05)) this.#ask(id, amount);
    });
  }

  #cancel(id: string): void {
    const record = this.record(id);
    if (record === undefined || !['queued', 'held', 'created'].includes(record.state)) return;
    const store = this.#storeOf(new Process(this.link));
    this.#run(() => store.transition(record, undefined, { to: 'cancelled', event: eventOf(record, 'cancelled') }));
  }

  #paid(token: Token): void {
    const { chance, timeline } = this;
    if (chance.happens(this.link.faults.reverses))
      token.reversedAt = timeline.now + Math.round(chance.between(0, 20 * HOUR_MS));
    for (let copies = chance.whole(3); copies > 0; copies -= 1) {
      timeline.after(chance.upTo(MINUTE_MS), () => this.#post(token.id));
    }
  }

  #postUntilStored(token: Token, ms: number): void {
    const again = (): void => {
      let isStored = false;
      this.#post(token.id, () => (isStored = true));
      this.timeline.after(HOUR_MS / 4, () => void (isStored || again()));
    };
    this.timeline.after(ms, again);
  }

  #post(id: string, stored: () => void = () => undefined): void {
    const store = this.#storeOf(new Process(this.link));
    const posted = { redacted: 'a body', agreesWith: ['succeeded'] };
    this.#run(async () => {
      const evidence = { operation: 'callback', code: 'success' };
      const { is } = await store.nudge('disbursement', id, evidence, NUDGE_INTERVAL_MS, posted);
      if (is === 'look') this.#call('status-poll');
      stored();
    });
  }

  #sweep(): void {
    for (const queue of ['disbursement', 'status-poll'] as const) {
      if (this.#nextDueAt(queue) <= this.timeline.now) this.#take(queue);
    }
  }

  /** A wake-up job: it may be lost, arrive twice, or arrive while another waits. */
  #call(queue: PaymentQueue): void {
    const { chance } = this;
    if (this.#called.has(queue) || chance.happens(0.05)) return;
    this.#called.add(queue);
    this.timeline.after(chance.upTo(10_000), () => {
      this.#called.delete(queue);
      this.#take(queue);
      if (chance.happens(0.1)) this.#take(queue);
    });
  }

  /** One process for all its claims: they die together. */
  #take(queue: PaymentQueue): void {
    const { chance } = this;
    const process = new Process(this.link);
    const context = this.#contextOf(process);
    const store = context.operations as OperationStore;
    const taker = new Taker({
      slots: 1 + chance.whole(PAYMENTS),
      patienceMs: LEASE_MS / 2,
      clock: process.clock,
      take: (atMost) => store.take(queue, atMost),
      handBack: (ids) => store.handBack(queue, ids),
      attempt: async (id) => {
        const { outcome } = await processors[queue](id, context);
        this.counts[`attempt ${outcome}`] = (this.counts[`attempt ${outcome}`] ?? 0) + 1;
      },
      callOthers: () => this.#call(queue),
      onFailed: (error) => this.#failed(error),
    });
    if (chance.happens(0.05)) this.timeline.after(chance.upTo(LEASE_MS), () => taker.stop());
    this.#run(() => taker.run());
  }

  #storeOf(process: Process): OperationStore {
    const operations = this.#statementsOf(process) as unknown as Operations;
    return new OperationStore({ operations, clock: process.clock, accounts: ['main'], leaseMs: LEASE_MS });
  }

  #statementsOf(process: Process): StatementsOf {
    const { ledger } = this;
    const { tamperStore = (same: StatementsOf) => same } = this.options;
    const { eventInside } = { ...ALL_GUARDS, ...this.options.guards };
    const apart = (event: ReportedEvent) => void process.send(() => ledger.events.push(event)).catch(() => undefined);
    const statements: StatementsOf = {
      accept: (one) => process.send(() => ledger.accept(one)),
      claim: (...asked) => process.send(() => ledger.claim(...asked)),
      lease: (one) => process.send(() => ledger.lease(one)),
      release: (items) => process.send(() => ledger.release(items)),
      change: (one) => this.#changed(process, () => ledger.change(one, eventInside ? undefined : apart)),
      signal: (one) => process.send(() => ledger.signal(one)),
      appendEvidence: (id, lines) => process.send(() => ledger.appendEvidence(id, lines)),
      read: <Row extends object>(ids: readonly string[]) =>
        process.send(() => ledger.read(ids) as unknown as readonly Row[]),
      holdersOf: (items) => process.send(() => ledger.holdersOf(items)),
      namedAs: (account, names) => process.send(() => ledger.namedAs(account, names)),
    };
    return tamperStore(statements, process, this);
  }

  /** After a lost answer the ledger mostly finds out whether the change was made. */
  async #changed(process: Process, change: () => Written | undefined): Promise<Written | undefined> {
    let written: Written | undefined;
    try {
      return await process.send(() => (written = change()));
    } catch (error) {
      if (!(error instanceof AnswerLost) || this.chance.happens(0.3)) throw error;
      return written && { known: false };
    }
  }

  #contextOf(process: Process): ProcessorContext {
    const { chance } = this;
    const account = { name: 'main', mode: 'live', headerPrefix: 'SERVICE' } as const;
    const context = {
      clock: process.clock,
      policy: this.#policy,
      operations: this.#storeOf(process),
      queries: { kindOf: () => process.send(() => 'disbursement') },
      accounts: this.#accounts.of(process),
      upstream: {
        payments: new SimulatedPayments(process, this.link),
        // Sometimes no permit is given: an attempt writes its pending updates without its next step.
        admit: async () => (chance.happens(0.02) ? { admitted: false, retryAfterMs: 1_000 } : { admitted: true }),
      },
      account: () => ({ upstream: account, fingerprint: 'keys' }),
      callbackUrl: (_account: string, id: string) => id,
      wake: (queue: PaymentQueue) => this.#call(queue),
    } as unknown as ProcessorContext;
    return this.options.tamper?.(context, this) ?? context;
  }

  #run(work: () => Promise<unknown>): void {
    void work().catch((error: unknown) => this.#failed(error));
  }

  #failed(error: unknown): void {
    if (!isLedgerAway(error)) this.crashes.push(error);
  }
}
