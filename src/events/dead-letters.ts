import type { Redis } from 'ioredis';
import { PREFIX, keys } from '../operations/keys.ts';

/** Where the events go that a group could not handle: a stream, with the error and the number of tries. */
export function deadLettersOf(group: string): string {
  return `${PREFIX}:events:dead:${group}`;
}

/** Kept for a person to look at; a group that handles nothing for months must not fill Redis. */
const KEPT_MOST = 100_000;

export interface DeadLetter {
  readonly group: string;
  /** The place in the stream of events. */
  readonly place: string;
  /** The fields of the entry, as they are. Empty when they are no longer kept. */
  readonly fields: readonly string[];
  readonly tries: number;
  readonly error: string;
}

/** Puts an event aside and acknowledges it, in one step: it is in exactly one of the two places. */
export async function putAside(redis: Redis, { group, place, fields, tries, error }: DeadLetter): Promise<void> {
  const words = ['place', place, 'tries', String(tries), 'error', error.slice(0, 500), ...fields];
  const answers = await redis
    .multi()
    .xadd(deadLettersOf(group), 'MAXLEN', '~', KEPT_MOST, '*', ...words)
    .xack(keys.events, group, place)
    .exec();
  for (const [failure] of answers ?? []) if (failure) throw failure;
}
