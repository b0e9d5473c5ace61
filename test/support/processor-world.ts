/** A processor's environment with a real store, a manual clock and a scripted provider. */
import type { QueueName } from '../../src/kinds/due-queues.ts';
import type { Public } from '../../src/lib/public.ts';
import { type Clock, type Deadline, systemClock } from '../../src/lib/clock.ts';
import type { OperationStore } from '../../src/ledger/operation-store.ts';
import type { Queries } from '../../src/ledger/queries.ts';
import type { ProcessorContext, Policy } from '../../src/processors/context.ts';
import type { UpstreamAccount } from '../../src/provider/client.ts';
import type { Payments } from '../../src/provider/payments/ask.ts';
import type { NotOk, ExchangeSummary, Verdict } from '../../src/provider/verdict.ts';

export const LEASE_MS = 10_000;
const exchange: ExchangeSummary = {
  operation: 'invoice_confirm',
  account: 'main',
  code: 'ok',
  sent: 'answered',
  durationMs: 1,
};

export const ok = <T>(value: T): Verdict<T> => ({ is: 'ok', value, exchange: { ...exchange, httpStatus: 200 } });
export const not = (
  is: 'refused' | 'config' | 'transient' | 'unknown',
  code: string,
  sent: ExchangeSummary['sent'] = 'answered',
): Exclude<NotOk, { is: 'held' }> => ({ is, code, exchange: { ...exchange, code, sent } });

type Answering = Verdict<unknown> | (() => Promise<Verdict<unknown>>);

export interface EventOfWorld {
  readonly type: string;
  /** The operation under test. */
  readonly subject: string;
  readonly data: Record<string, unknown>;
}

export interface ProcessorWorld {
  readonly context: ProcessorContext;
  readonly operations: OperationsOfWorld;
  readonly queries: Public<Queries>;
  /** When an operation is due in this queue, ms since the epoch; null: never. */
  readonly dueAt: (queue: QueueName, id: string) => Promise<number | null>;
  /** Changes stored data during an attempt: fields of the record, including `lease`. */
  readonly alter: (id: string, fields: Readonly<Record<string, string | number>>) => Promise<void>;
  /** Makes the next operation the trial of a hold (`area.reason`). */
  readonly mayTry: (hold: string) => Promise<void>;
  /** Every call of the provider, by name, and its deadline. */
  readonly calls: { readonly name: string; readonly request: unknown; readonly sendBy: Deadline | undefined }[];
  /** The answers of the next calls, by name; the last one repeats. A function runs before its answer. */
  readonly answer: (name: keyof Payments, ...verdicts: Answering[]) => void;
  readonly advance: (ms: number) => void;
  /** The provider's rate is used up at the n-th permit. */
  readonly noTurnAt: (nth: number) => void;
  readonly events: () => Promise<readonly EventOfWorld[]>;
}

type OperationsOfWorld = Pick<OperationStore, 'accept' | 'acquire' | 'transition' | 'nudge' | 'appendEvidence'>;

/** The parts of a world that its store provides. */
export interface StoreOfWorld
  extends Pick<ProcessorWorld, 'operations' | 'queries' | 'dueAt' | 'alter' | 'mayTry' | 'events'> {
  readonly accounts: ProcessorContext['accounts'];
}

/** A test's differences from the default. */
export type BenchChanges = Omit<Partial<ProcessorContext>, 'policy'> & { readonly policy?: Partial<Policy> };

export function worldOver(
  open: (now: () => number) => StoreOfWorld,
  { policy, ...changes }: BenchChanges = {},
): ProcessorWorld {
  let now = Date.UTC(2026, 0, 1);
  const clock: Clock = { ...systemClock, now: () => now, monotonic: () => now, sinceBoot: () => now };
  const calls: ProcessorWorld['calls'] = [];
  const answers = new Map<string, Answering[]>();
  const { accounts, ...store } = open(() => now);
  const { operations, queries } = store;
  const call =
    (name: string) =>
    async (_account: unknown, request: unknown, options: { sendBy?: Deadline } = {}): Promise<Verdict<unknown>> => {
      calls.push({ name, request, sendBy: options.sendBy });
      const told = answers.get(name) ?? [];
      const next = (told.length > 1 ? told.shift() : told[0]) ?? not('transient', 'no_answer', 'maybe');
      return typeof next === 'function' ? next() : next;
    };
  const payments = new Proxy({}, { get: (_target, name) => call(String(name)) }) as Payments;
  const account = { name: 'main', mode: 'live', headerPrefix: 'SERVICE' } as UpstreamAccount;
  const context = {
    clock,
    operations,
    queries,
    accounts,
    upstream: { payments, admit: async () => ({ admitted: true }) },
    policy: {
      leaseMs: LEASE_MS,
      limitMs: 72 * 3_600_000,
      quietMs: 60_000,
      holdRecheckMs: 30_000,
      invoicePollMs: [10_000, 30_000, 60_000, 300_000, 900_000],
      paymentRequestPollMs: [60_000, 300_000, 900_000, 3_600_000, 21_600_000],
      ...policy,
    },
    account: () => ({ upstream: account, fingerprint: 'keys-1' }),
    callbackUrl: () => 'https://relais.example/cb',
    wake: () => undefined,
    ...changes,
  } as unknown as ProcessorContext;
  return {
    ...store,
    context,
    calls,
    answer: (name, ...verdicts) => void answers.set(name, verdicts),
    advance: (ms) => {
      now += ms;
    },
    noTurnAt: (nth) => {
      let asked = 0;
      const admit = async () => {
        asked += 1;
        return asked === nth ? { admitted: false, retryAfterMs: 0 } : { admitted: true };
      };
      Object.assign(context.upstream, { admit });
    },
  };
}
