/**
 * What is true of the whole, whatever the number of processes: read from the counters and the heads of the sets in
 * Redis. The number of commands depends on our declarations and on the accounts that are held, never on how much
 * there is to do.
 */
import type { AccountHold, Accounts } from '../operations/accounts.ts';
import { type CountedKind, countedKinds, statesOf, statesThatAre } from '../kinds/states.ts';
import type { Queries } from '../operations/queries.ts';
import { type AnyQueueName, queueNames } from '../queues/index.ts';
import type { WholeName } from './declarations.ts';
import type { Sample } from './instruments.ts';
import { chunksInDoubt, kindsInDoubt, messageOutcomes, OTHER, words } from './labels.ts';

export interface WholeSources {
  readonly queries: Pick<Queries, 'counts' | 'oldestIn' | 'backlog' | 'outcomes' | 'eventsEmitted' | 'unreadable'>;
  readonly accounts: Pick<Accounts, 'allHolds'>;
  /** How many jobs BullMQ has in each state. A state that is not in the answer has none. */
  readonly jobCounts: (queue: AnyQueueName) => Promise<Readonly<Record<string, number>>>;
  /** When the job at the head of the queue was added, ms since the epoch; undefined when none waits. */
  readonly oldestJobAt: (queue: AnyQueueName) => Promise<number | undefined>;
}

export type Whole = { readonly [Name in WholeName]: readonly Sample<Name>[] };

type Reader<Name extends WholeName> = (sources: WholeSources, nowMs: number) => Promise<readonly Sample<Name>[]>;

/** A gauge about the whole without its reader does not compile. */
const readers: { readonly [Name in WholeName]: Reader<Name> } = {
  relais_jobs: async ({ jobCounts }) => {
    const all = await Promise.all(queueNames.map(async (queue) => ({ queue, counts: await jobCounts(queue) })));
    return all.flatMap(({ queue, counts }) =>
      namedOrZero(words.jobStates, counts).map(([state, value]) => ({ labels: { queue, state }, value })),
    );
  },

  relais_oldest_job_age_seconds: ({ oldestJobAt }, nowMs) =>
    Promise.all(
      queueNames.map(async (queue) => ({ labels: { queue }, value: secondsSince(await oldestJobAt(queue), nowMs) })),
    ),

  relais_backlog_seconds: async ({ queries }, nowMs) =>
    (await queries.backlog()).map(({ queue, oldestDueAt }) => ({
      labels: { queue },
      value: secondsSince(oldestDueAt, nowMs),
    })),

  relais_operations: async ({ queries }) => {
    const all = await Promise.all(countedKinds.map(async (kind) => ({ kind, ...(await queries.counts(kind)) })));
    return all.flatMap(({ kind, count }) =>
      namedOrZero(statesOf(kind), count).map(([state, value]) => ({ labels: { kind, state }, value })),
    );
  },

  relais_in_doubt_xof: async ({ queries }) => {
    const all = await Promise.all(kindsInDoubt.map(async (kind) => ({ kind, ...(await queries.counts(kind)) })));
    return words.inDoubtStates.map((state) => ({
      labels: { state },
      value: all.filter(({ kind }) => isInDoubt(kind, state)).reduce((sum, { xof }) => sum + (xof[state] ?? 0), 0),
    }));
  },

  relais_oldest_in_doubt_seconds: ({ queries }, nowMs) =>
    Promise.all(
      words.inDoubtStates.map(async (state) => {
        const among = kindsInDoubt.filter((kind) => isInDoubt(kind, state));
        const since = await Promise.all(among.map((kind) => queries.oldestIn(kind, state)));
        return { labels: { state }, value: Math.max(...since.map((atMs) => secondsSince(atMs, nowMs))) };
      }),
    ),

  relais_chunks_in_doubt: async ({ queries }) => {
    const { count } = await queries.counts('chunk');
    return chunksInDoubt.map((state) => ({ labels: { state }, value: count[state] ?? 0 }));
  },

  relais_oldest_chunk_in_doubt_seconds: ({ queries }, nowMs) =>
    Promise.all(
      chunksInDoubt.map(async (state) => ({
        labels: { state },
        value: secondsSince(await queries.oldestIn('chunk', state), nowMs),
      })),
    ),

  relais_messages_total: async ({ queries }) => {
    const counted = await queries.outcomes();
    return messageOutcomes.map((outcome) => ({ labels: { outcome }, value: counted[outcome] ?? 0 }));
  },

  relais_events_total: async ({ queries }) =>
    namedOrZero(words.eventTypes, await queries.eventsEmitted()).map(([type, value]) => ({
      labels: { type },
      value,
    })),

  relais_unreadable_records: async ({ queries }) => [{ labels: {}, value: await queries.unreadable() }],

  relais_held: async ({ accounts }) => heldSamples(await accounts.allHolds()),
};

/** Rejects when one of the sources does: half of the whole would look like all of it. */
export async function readWhole(sources: WholeSources, nowMs: number): Promise<Whole> {
  const entries = Object.entries(readers).map(async ([name, read]) => [name, await read(sources, nowMs)] as const);
  // The table of readers has each name with samples of its own; its entries no longer say which belong together.
  return Object.fromEntries(await Promise.all(entries)) as unknown as Whole;
}

const isInDoubt = (kind: CountedKind, state: string): boolean =>
  statesThatAre(kind, 'in doubt').some((one) => one === state);

/** Every name with its count, those without one at 0, and what we have no name for besides. */
function namedOrZero(
  names: readonly string[],
  counts: Readonly<Record<string, number>>,
): ReadonlyArray<readonly [string, number]> {
  const zeros = names.map((name) => [name, 0] as const);
  return Object.entries({ ...Object.fromEntries(zeros), ...counts });
}

/** Never below 0: the clocks of two machines differ, and what is due later is not late. */
function secondsSince(atMs: number | undefined, nowMs: number): number {
  return atMs === undefined ? 0 : Math.max(0, nowMs - atMs) / 1_000;
}

const MOST_HOLDS = 100;

/** The longest held first, so that a new hold never takes an old one's place. */
function heldSamples(holds: readonly AccountHold[]): readonly Sample<'relais_held'>[] {
  return [...holds]
    .sort((a, b) => a.since - b.since)
    .map(({ account, area, reason }, place) => ({
      labels: { account: place < MOST_HOLDS ? account : OTHER, area, reason },
      value: 1,
    }));
}
