/** A Redis, a PostgreSQL and the writer between them; the tests lead operations to their ends by hand. */
import type { Redis } from 'ioredis';
import { EventStream } from '../../src/events/stream.ts';
import { payeesWith } from '../../src/history/payees.ts';
import { HistoryStore } from '../../src/history/store.ts';
import { Trimmer, type TrimmerOptions } from '../../src/history/trimmer.ts';
import { HistoryWriter, type WriterStep } from '../../src/history/writer.ts';
import type { disbursement } from '../../src/kinds/disbursement.ts';
import { fingerprint } from '../../src/lib/ids.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Audit } from '../../src/operations/audit.ts';
import { Balances } from '../../src/operations/balances.ts';
import { HistoryDesk } from '../../src/operations/history.ts';
import { type AcceptedAt, type NewOperation, Operations } from '../../src/operations/operations.ts';
import { Queries } from '../../src/operations/queries.ts';
import { Trimming } from '../../src/operations/trimming.ts';
import { type Announced, eventOf } from '../../src/operations/transition.ts';

type State = keyof typeof disbursement.states;

export interface HistoryWorld {
  readonly operations: Operations;
  readonly balances: Balances;
  accept(id: string, amount?: number): Promise<void>;
  ask(id: string, more?: Partial<NewOperation<'disbursement'>>): Promise<AcceptedAt>;
  /** Each step tells callers what its kind tells of it. */
  go(id: string, ...states: readonly State[]): Promise<void>;
  turnTo(ms: number): void;
}

export const PAID = ['created', 'submitting', 'pending', 'succeeded'] as const;

export function historyWorld(redis: Redis, begins: number): HistoryWorld {
  let now = begins;
  const operations = new Operations({ redis, random: systemRandom, now: () => now });
  return {
    operations,
    balances: new Balances(redis),
    turnTo: (ms) => {
      now = ms;
    },
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

interface WriterParts {
  readonly name?: string;
  readonly accounts?: readonly string[];
  readonly at?: (step: WriterStep) => Promise<void> | void;
  readonly trimmer?: Pick<Trimmer, 'pass'>;
}

/** `url` is asked for with each connection. */
export function writerOf(
  redis: Redis,
  url: () => string,
  { name = 'one', accounts = ['main'], at, trimmer }: WriterParts = {},
): HistoryWriter {
  return new HistoryWriter({
    redis,
    desk: new HistoryDesk(redis, name),
    events: new EventStream({ redis }),
    audit: new Audit(redis),
    balances: new Balances(redis),
    accounts,
    payeeOf: payeesWith([]),
    ...(trimmer ? { trimmer } : {}),
    open: () =>
      HistoryStore.open(
        { url: url(), newName: () => systemRandom.hex(8), timezone: 'Africa/Dakar' },
        () => undefined,
      ),
    ...(at ? { at } : {}),
  });
}

interface TrimmerParts extends Partial<Pick<TrimmerOptions, 'after' | 'at'>> {
  readonly now: () => number;
}

const DAY_MS = 86_400_000;

export function trimmerOf(redis: Redis, operations: Operations, { now, after, at }: TrimmerParts) {
  const payeeOf = payeesWith([]);
  const trimming = new Trimming({ redis, keepMs: 400 * DAY_MS, payeeOf, now });
  const desk = new HistoryDesk(redis, 'trimmer');
  const options = { trimming, desk, operations, payeeOf, after: after ?? { disbursement: 7 * DAY_MS } };
  return Object.assign(new Trimmer({ ...options, ...(at ? { at } : {}) }), { trimming });
}
