/** The bench of one simulated attempt: the real processors work at it and cannot tell the difference. */
import type { QueueName } from '../../src/kinds/due-queues.ts';
import type { HoldArea } from '../../src/kinds/account.ts';
import type { Random } from '../../src/lib/random.ts';
import type { Row } from '../../src/kinds/hold.ts';
import type { Accounts } from '../../src/operations/accounts.ts';
import type { Campaigns } from '../../src/operations/campaigns.ts';
import { keys } from '../../src/operations/keys.ts';
import type { Operations } from '../../src/operations/operations.ts';
import type { OptOuts } from '../../src/operations/opt-outs.ts';
import type { Retries } from '../../src/operations/retries.ts';
import type { Queries } from '../../src/operations/queries.ts';
import type { ProcessorContext, Policy } from '../../src/processors/context.ts';
import type { Upstream } from '../../src/upstream/client.ts';
import type { Admission } from '../../src/upstream/rates.ts';
import { MemoryOperations } from '../support/memory-operations.ts';
import type { StoreGuards } from '../support/store-guards.ts';
import type { Chance } from './chance.ts';
import { type StoreLink, fenceThrough, sendThrough } from './connection.ts';
import { LEASE_MS, type Process } from './process.ts';
import { SimulatedPayments, type UpstreamLink } from './upstream.ts';

const MINUTE_MS = 60_000;

/** What a disbursement needs; the waits of other operations are not read here. */
export const POLICY = {
  leaseMs: LEASE_MS,
  resubmit: true,
  quietMs: MINUTE_MS,
  pollMs: [2, 5, 10, 20, 40, 60, 120, 300, 600, 1_800].map((seconds) => seconds * 1_000),
  limitMs: 12 * 60 * MINUTE_MS,
  holdRecheckMs: 30_000,
  recheckMs: [24, 72, 168].map((hours) => hours * 60 * MINUTE_MS),
} satisfies Partial<Policy>;

export interface Workshop extends StoreLink, UpstreamLink {
  readonly random: Random;
  readonly policy: Policy;
  readonly guards: StoreGuards;
  /** When each hold of the one account was last probed, by reason. Losing it in a rollback would change nothing. */
  readonly holds: Map<string, number>;
  /** Failures in a row, by area and reason. */
  readonly rows: Map<string, number>;
  readonly wake: (queue: QueueName, id: string) => void;
  readonly onHeldTwice: (id: string) => void;
}

export function operationsOf(process: Process, workshop: Workshop): MemoryOperations {
  const { store, random, timeline, guards, onHeldTwice } = workshop;
  const send = sendThrough(process, workshop);
  return new MemoryOperations({ store, random, now: () => timeline.now, send, guards, onHeldTwice });
}

export function benchOf(process: Process, workshop: Workshop): ProcessorContext {
  const { random, policy, durability, chance } = workshop;
  const send = sendThrough(process, workshop);
  const payments = new SimulatedPayments(process, workshop);
  const account = { name: 'main', mode: 'live', headerPrefix: 'SERVICE' } as const;
  return {
    clock: process.clock,
    random,
    policy,
    operations: operationsOf(process, workshop) as unknown as Operations,
    queries: {
      kindOf: (id: string) => send(() => workshop.store.hash(keys.record(id)).get('kind')),
    } as unknown as Queries,
    slices: {} as unknown as ProcessorContext['slices'],
    sameTexts: {} as unknown as ProcessorContext['sameTexts'],
    campaigns: {} as unknown as Campaigns,
    optOuts: {} as unknown as OptOuts,
    retries: {} as unknown as Retries,
    accounts: accountsOf(send, workshop) as unknown as Accounts,
    upstream: { payments, admit: async () => admission(chance) } as unknown as Upstream,
    account: () => ({ upstream: account, fingerprint: 'keys' }),
    // The book of the service keeps it, and so tells which operation a token was asked for.
    callbackUrl: (_account, id) => id,
    durability: () => ({ durable: true, reasons: [] }),
    fence: durability === 'each' ? async () => true : fenceThrough(process, workshop),
    wake: workshop.wake,
  };
}

/** Now and then there is no turn: what an attempt has learnt by then is written down without its next step. */
const admission = (chance: Chance): Admission =>
  chance.happens(0.02) ? { admitted: false, retryAfterMs: 1_000 } : { admitted: true };

function accountsOf(send: <T>(command: () => T) => Promise<T>, { holds, rows, timeline }: Workshop) {
  const listed = (account: string) =>
    [...holds].map(([reason, since]) => ({ account, area: 'payments', reason, since }));
  return {
    hold: (_account: string, _area: HoldArea, reason: string) => send(() => void holds.set(reason, timeline.now)),
    release: (_account: string, _area: HoldArea, reason: string) => send(() => holds.delete(reason)),
    holdsOf: (account: string) => send(() => listed(account)),
    standingOf: (account: string) => send(() => ({ holds: listed(account), failing: new Set(rows.keys()) })),
    countFailure: (_account: string, area: HoldArea, reason: string, { length }: Row) =>
      send(() => {
        const name = `${area}.${reason}`;
        const count = (rows.get(name) ?? 0) + 1;
        rows.set(name, count);
        if (count < length) return;
        rows.delete(name);
        if (!holds.has(reason)) holds.set(reason, timeline.now);
      }),
    endRow: (_account: string, area: HoldArea, reason: string) => send(() => rows.delete(`${area}.${reason}`)),
    mayProbe: (_account: string, _area: HoldArea, reason: string, everyMs: number) =>
      send(() => {
        const probedAt = holds.get(reason);
        if (probedAt === undefined) return true;
        if (timeline.now - probedAt < everyMs) return false;
        holds.set(reason, timeline.now);
        return true;
      }),
  };
}
