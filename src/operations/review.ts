/** Everything that waits for a person, of every kind, in the order in which it began to wait. */
import type { Redis } from 'ioredis';
import { statesOf, type Kind, kinds, type StateOf } from '../kinds/index.ts';
import { keys } from './keys.ts';

/** The kinds that can come to need a person. */
export type ReviewKind = { [K in Kind]: 'needs_review' extends StateOf<K> ? K : never }[Kind];

const needsReview = (kind: Kind): kind is ReviewKind =>
  (statesOf(kind) as readonly string[]).includes('needs_review');
export const reviewKinds: readonly ReviewKind[] = kinds.filter(needsReview);

export interface ReviewPage {
  /** `next` of the page before, or the id of an operation that waits. Absent: from the beginning. */
  readonly after?: string | undefined;
  readonly limit: number;
  /** Absent: all of them. */
  readonly kind?: ReviewKind | undefined;
}

/** What was given as a place is none: neither where a page ended, nor something that waits. */
export class NoSuchPlace extends Error {
  override readonly name = 'NoSuchPlace';
}

export interface Waiting {
  readonly kind: ReviewKind;
  readonly id: string;
  /** When it began to wait, ms since the epoch. */
  readonly since: number;
}

/** Those that began to wait in one millisecond are read together, however many they are up to so many. */
const TIES_MAX = 1_000;

/** Where a page ended. An id alone would be of no use once somebody has resolved it. */
export const placeOf = ({ since, id }: Waiting): string => `${since}.${id}`;

export async function listReview(
  redis: Redis,
  { after, limit, kind }: ReviewPage,
): Promise<{ waiting: Waiting[]; next?: string }> {
  const from = after === undefined ? { since: 0, id: '' } : await readCursor(redis, after);
  const read = kind === undefined ? reviewKinds : [kind];
  const found = (await Promise.all(read.map((one) => waitingFrom(redis, one, from.since, limit)))).flat();
  const later = found.filter((one) => isAfter(one, from)).sort((a, b) => (isAfter(a, b) ? 1 : -1));
  const waiting = later.slice(0, limit);
  const last = waiting.at(-1);
  return { waiting, ...(later.length >= limit && last ? { next: placeOf(last) } : {}) };
}

async function waitingFrom(redis: Redis, kind: ReviewKind, since: number, limit: number): Promise<Waiting[]> {
  const set = keys.state(kind, 'needs_review');
  const rows = await redis.zrange(set, since, '+inf', 'BYSCORE', 'LIMIT', 0, limit + TIES_MAX, 'WITHSCORES');
  return rows.flatMap((id, index) => (index % 2 === 0 ? [{ kind, id, since: Number(rows[index + 1]) }] : []));
}

async function readCursor(redis: Redis, after: string): Promise<{ since: number; id: string }> {
  const [, since, id] = /^(\d{1,16})\.(.+)$/.exec(after) ?? [];
  if (since !== undefined && id !== undefined) return { since: Number(since), id };
  for (const kind of reviewKinds) {
    const score = await redis.zscore(keys.state(kind, 'needs_review'), after);
    if (score !== null) return { since: Number(score), id: after };
  }
  throw new NoSuchPlace(`${after.slice(0, 100)} is no place in what waits`);
}

function isAfter(one: { since: number; id: string }, other: { since: number; id: string }): boolean {
  return one.since === other.since ? one.id > other.id : one.since > other.since;
}
