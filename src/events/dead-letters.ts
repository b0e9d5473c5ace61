import type { Redis } from 'ioredis';
import { readEventData } from '../operations/event-data.ts';
import { keys } from '../operations/keys.ts';
import { fieldsOf } from '../operations/record.ts';
import { DEFAULT_PREFIX } from '../redis/connections.ts';

const streamOf = (group: string): string => `events:dead:${group}`;

/**
 * The key of the stream where the events go that a group could not handle, with the error and the number of tries.
 * `prefix` is the workers' REDIS_PREFIX.
 */
export function deadLettersOf(group: string, prefix: string = DEFAULT_PREFIX): string {
  return `${prefix}:${streamOf(group)}`;
}

/** Kept for a person to look at; a group that handles nothing for months must not fill Redis. */
const KEPT_MOST = 100_000;

export interface DeadLetter {
  readonly group: string;
  /** The place in the stream of events. */
  readonly place: string;
  /** The fields of the entry. Empty when they are no longer kept. */
  readonly fields: readonly string[];
  readonly tries: number;
  readonly error: string;
}

/** Puts an event aside and acknowledges it, in one step: it is in exactly one of the two places. */
export async function putAside(redis: Redis, { group, place, fields, tries, error }: DeadLetter): Promise<void> {
  const words = ['place', place, 'tries', String(tries), 'error', error.slice(0, 500), ...legible(fields)];
  const answers = await redis
    .multi()
    .xadd(streamOf(group), 'MAXLEN', '~', KEPT_MOST, '*', ...words)
    .xack(keys.events, group, place)
    .exec();
  for (const [failure] of answers ?? []) if (failure) throw failure;
}

/** For a person, what the event carries is JSON in any case; what cannot be read as an event stays as it is. */
function legible(flat: readonly string[]): readonly string[] {
  const fields = fieldsOf(flat);
  if (fields['data'] === undefined) return flat;
  try {
    return Object.entries({ ...fields, data: JSON.stringify(readEventData(fields)) }).flat();
  } catch {
    return flat;
  }
}
