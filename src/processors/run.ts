/**
 * What runs at a wake-up: one processor per queue. Attempts are reported in order, and due operations are taken in
 * bulk.
 */
import { UnrecoverableError } from 'bullmq';
import type { QueueName } from '../kinds/due-queues.ts';
import type { Rejection } from '../kinds/intake.ts';
import { type Kind, type KindInQueue, kindOf } from '../kinds/index.ts';
import type { Clock } from '../lib/clock.ts';
import { type Traces, takenFrom } from '../lib/traces.ts';
import { advanceInvoice } from './collect/invoice.ts';
import { advancePaymentRequest } from './collect/payment-request.ts';
import type { AttemptResult, ProcessorContext } from './context.ts';
import { advanceDirectCredit } from './disbursement/direct-credit.ts';
import { lookAtDisbursement } from './disbursement/look.ts';
import { payDisbursement } from './disbursement/pay.ts';

export type Processor = (id: string, context: ProcessorContext) => Promise<AttemptResult>;

/** Queues whose due operations each get an attempt. */
export type AttemptQueue = 'disbursement' | 'invoice-confirm' | 'status-poll' | 'direct-credit';

export const processors: Readonly<Record<AttemptQueue, Processor>> = {
  disbursement: payDisbursement,
  'invoice-confirm': advanceInvoice,
  'status-poll': pollStatus,
  'direct-credit': advanceDirectCredit,
};

/**
 * Processors by kind: a kind that is due in this queue and missing here does not compile. Messages are checked
 * together.
 */
const looks: Readonly<Record<Exclude<KindInQueue<'status-poll'>, 'message'>, Processor>> = {
  disbursement: lookAtDisbursement,
  payment_request: advancePaymentRequest,
};

async function pollStatus(id: string, context: ProcessorContext): Promise<AttemptResult> {
  const kind = kindOf(id) ?? (await context.queries.kindOf(id));
  const known: Partial<Record<Kind, Processor>> = looks;
  const look = kind ? known[kind] : undefined;
  return look ? look(id, context) : { outcome: 'idle', reason: kind ? 'nothing_to_look_at' : 'none' };
}

export interface AttemptFinished {
  readonly queue: string;
  readonly id: string;
  readonly result: AttemptResult;
  readonly durationMs: number;
  /** The account whose keys were needed; absent: none were needed. */
  readonly account?: string;
  /** Only for a refused request of the queue `intake`. */
  readonly rejected?: Rejection;
}

export type Announce = (finished: AttemptFinished) => void;

export type Attempts = (id: string) => Promise<void>;

export function attempts(
  queue: QueueName,
  processor: Processor,
  context: ProcessorContext,
  announce: Announce,
): Attempts {
  const run = async (id: string): Promise<void> => {
    let account: string | undefined;
    const noting: ProcessorContext = { ...context, account: (name) => context.account((account = name)) };
    const startedMono = context.clock.monotonic();
    const result = await processor(id, noting);
    const durationMs = context.clock.monotonic() - startedMono;
    if (context.traces) tell(context.traces, result, account);
    announce({ queue, id, result, durationMs, ...(account === undefined ? {} : { account }) });
    if (result.reason === 'none' && result.outcome === 'idle') throw noRecord(queue, id);
  };
  const { traces } = context;
  if (!traces) return run;
  // The trace is known once the attempt has its lease.
  return (id) =>
    traces.maybe(
      { name: `process ${queue}`, kind: 'consumer', attributes: { ...takenFrom(queue), 'relais.id': id } },
      () => run(id),
    );
}

/** Outcomes that need attention are red. */
const LOUD: ReadonlySet<AttemptResult['outcome']> = new Set(['needs_review', 'lost', 'unknown']);

function tell({ present }: Traces, { outcome, reason }: AttemptResult, account: string | undefined): void {
  present.says({ 'relais.outcome': outcome, 'relais.reason': reason, 'relais.account': account });
  if (LOUD.has(outcome)) present.failed(reason);
}

function noRecord(queue: string, id: string): UnrecoverableError {
  return new UnrecoverableError(
    `no record ${id.slice(0, 64)}: "${queue}" only wakes what was accepted before; add requests to the queue "intake", or use createProducer() of relais/producer`,
  );
}

/** The duration of an attempt, for the intake processor, which handles requests without an id. */
export function stopwatch(clock: Clock): () => number {
  const startedMono = clock.monotonic();
  return () => clock.monotonic() - startedMono;
}

/**
 * Takes due operations of one queue, up to the free slots of this process, and starts each at once.
 *
 *   signalled, or due ──▶ free slots? ──▶ claim as many, in one statement ──▶ one attempt each ──▶ again
 *
 * Each attempt takes and renews its own lease, so a slow answer delays no other operation. Operations that were
 * claimed and never started are released; if the release is lost, they are due again shortly.
 */

export interface TakerOptions {
  /** Concurrent attempts in this process. */
  readonly slots: number;
  /** The longest duration of one run: a run is a BullMQ job, which has a lock. */
  readonly patienceMs: number;
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
  readonly take: (atMost: number) => Promise<readonly string[]>;
  readonly handBack: (ids: readonly string[]) => Promise<void>;
  readonly attempt: (id: string) => Promise<void>;
  /** More operations are due than this process has slots for. */
  readonly callOthers: () => void;
  readonly onFailed: (error: unknown) => void;
}

/**
 * Each answer frees one slot, and claiming one at a time is no bulk. Wait for this share of free slots, for a limited
 * time.
 */
const ROOM = 0.25;
const GATHER_MS = 10;

export class Taker {
  readonly #options: TakerOptions;
  readonly #under = new Set<Promise<void>>();
  /** Called when an attempt ends or the process stops. */
  readonly #waiting = new Set<() => void>();
  /** Slots of operations that are being claimed now. */
  #reserved = 0;
  #asked = false;
  #stopping = false;
  #run: Promise<void> | undefined;

  constructor(options: TakerOptions) {
    this.#options = options;
  }

  /** Resolves when all operations that were due now have been taken, by this or another process. */
  run(): Promise<void> {
    this.#asked = true;
    this.#run ??= this.#takeWhileAsked();
    return this.#run;
  }

  /** Runs one named operation, due or not. Rejects as its attempt does. */
  async one(id: string): Promise<void> {
    while (this.#free < 1 && !this.#stopping) await this.#room(1);
    if (this.#stopping) return this.#options.handBack([id]);
    await this.#begin(id);
  }

  /** Stops taking operations. */
  stop(): void {
    this.#stopping = true;
    this.#tell();
  }

  /** Resolves when no attempt is running. */
  async ended(): Promise<void> {
    // Its error is reported to the caller of the run, like each outcome.
    await this.#run?.catch(() => undefined);
    await Promise.all(this.#under);
  }

  async #takeWhileAsked(): Promise<void> {
    try {
      while (this.#asked && !this.#stopping) {
        this.#asked = false;
        await this.#takeAll();
      }
    } finally {
      this.#run = undefined;
    }
  }

  async #takeAll(): Promise<void> {
    const { slots, patienceMs, clock, handBack, callOthers, onFailed } = this.#options;
    const untilMono = clock.monotonic() + patienceMs;
    for (let called = false; ; called = true) {
      do await this.#room(slots * ROOM);
      while (this.#free < 1 && !this.#stopping);
      if (this.#stopping) return;
      if (clock.monotonic() >= untilMono) return callOthers();
      const room = this.#free;
      const ids = await this.#take(room);
      if (this.#stopping) return handBack(ids);
      for (const id of ids) void this.#begin(id).catch(onFailed);
      if (ids.length < room) return;
      if (!called) callOthers();
    }
  }

  async #take(room: number): Promise<readonly string[]> {
    this.#reserved = room;
    try {
      return await this.#options.take(room);
    } finally {
      this.#reserved = 0;
    }
  }

  get #free(): number {
    return this.#options.slots - this.#under.size - this.#reserved;
  }

  #begin(id: string): Promise<void> {
    const attempt = this.#options.attempt(id);
    const under = attempt
      .catch(() => undefined)
      .finally(() => {
        this.#under.delete(under);
        this.#tell();
      });
    this.#under.add(under);
    return attempt;
  }

  #tell(): void {
    for (const waiting of this.#waiting) waiting();
  }

  /** Resolves when enough slots are free, a moment after any slot is free, or when the process stops. */
  #room(enough: number): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      let disarm: (() => void) | undefined;
      const proceed = (): void => {
        disarm?.();
        this.#waiting.delete(look);
        resolve();
      };
      const look = (): void => {
        if (this.#stopping || this.#free >= enough) proceed();
        else if (this.#free > 0) disarm ??= clock.after(GATHER_MS, proceed);
      };
      this.#waiting.add(look);
      look();
    });
  }
}
