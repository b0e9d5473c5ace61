/** A processor's bench over a real Redis, with the clock in the test's hand and an upstream that answers as told. */
import type { Redis } from 'ioredis';
import { type Clock, type Deadline, systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Accounts } from '../../src/operations/accounts.ts';
import { readEventData } from '../../src/operations/transition.ts';
import { Operations } from '../../src/operations/operations.ts';
import { fieldsOf } from '../../src/operations/record.ts';
import { SameTexts } from '../../src/operations/same-texts.ts';
import { Queries } from '../../src/operations/queries.ts';
import type { ProcessorContext, Policy } from '../../src/processors/context.ts';
import type { UpstreamAccount } from '../../src/upstream/client.ts';
import type { Payments } from '../../src/upstream/payments/ask.ts';
import type { NotOk, ExchangeSummary, Verdict } from '../../src/upstream/verdict.ts';

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

export interface ProcessorWorld {
  readonly context: ProcessorContext;
  readonly operations: Operations;
  readonly queries: Queries;
  /** Every call of upstream, by name, and its deadline. */
  readonly calls: { readonly name: string; readonly request: unknown; readonly sendBy: Deadline | undefined }[];
  /** What the next calls answer, by name; the last one repeats. Of a function: once it has done what it does. */
  readonly answer: (name: keyof Payments, ...verdicts: Answering[]) => void;
  readonly advance: (ms: number) => void;
  /** The service is full when the n-th turn is asked for. */
  readonly noTurnAt: (nth: number) => void;
  readonly events: () => Promise<{ readonly type: string; readonly data: Record<string, unknown> }[]>;
}

/** What a test has otherwise than usual. */
export type BenchChanges = Omit<Partial<ProcessorContext>, 'policy'> & { readonly policy?: Partial<Policy> };

export function processorWorld(redis: Redis, { policy, ...changes }: BenchChanges = {}): ProcessorWorld {
  let now = Date.UTC(2026, 0, 1);
  const clock: Clock = { ...systemClock, now: () => now, monotonic: () => now, sinceBoot: () => now };
  const calls: ProcessorWorld['calls'] = [];
  const answers = new Map<string, Answering[]>();
  const operations = new Operations({ redis, random: systemRandom, now: () => now });
  const queries = new Queries(redis);
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
    random: systemRandom,
    operations,
    queries,
    accounts: new Accounts(redis),
    sameTexts: new SameTexts(redis),
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
    durability: () => ({ durable: true, reasons: [] }),
    fence: async () => true,
    wake: () => undefined,
    ...changes,
  } as unknown as ProcessorContext;
  return {
    context,
    operations,
    queries,
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
    events: async () => {
      const entries = await redis.xrange('events', '-', '+');
      return entries.map(([, flat]) => {
        const entry = fieldsOf(flat);
        return { type: entry['type'] ?? '', data: { ...readEventData(entry) } };
      });
    },
  };
}
