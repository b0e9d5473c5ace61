/**
 * What history does not take: a record that PostgreSQL refuses, or a line of a stream that no row can be made of. It
 * stands here under its id with the reason, waits on as what history does not have, and so never leaves Redis.
 */
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { list, maybe, text } from '../redis/scripts.ts';
import { keys } from './keys.ts';

const entrySchema = z.object({
  why: z.string(),
  /** Of a stream: as it stands there, names and values in turns. The stream may forget it, and history gets it later. */
  line: z.array(z.string()).readonly().optional(),
});

export interface SetAside extends z.output<typeof entrySchema> {
  readonly id: string;
}

/** A line of a stream that was set aside; no id of a record has a space in it. */
export const lineId = (table: string, place: string): string => `${table} ${place}`;
export const isLineId = (id: string): boolean => id.includes(' ');

export function lineNamed(id: string): { readonly table: string; readonly place: string } {
  const at = id.indexOf(' ');
  return { table: id.slice(0, at), place: id.slice(at + 1) };
}

export const entryOf = ({ why, line }: SetAside): string => JSON.stringify({ why, line });

const readEntry = (id: string, kept: string): SetAside => ({ id, ...entrySchema.parse(JSON.parse(kept)) });

/** The lines among them, as they stand in their streams; of those that wait no longer none. */
export async function linesSetAside(
  redis: Redis,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const lines = ids.filter(isLineId);
  if (lines.length === 0) return new Map();
  const kept = list(maybe(text))(await redis.hmget(keys.historyAside, ...lines));
  return new Map(
    lines.flatMap((id, at) => {
      const entry = kept[at];
      const line = entry === undefined ? undefined : readEntry(id, entry).line;
      return line === undefined ? [] : [[id, line] as const];
    }),
  );
}

/** How many there are, and some of them with the reason. */
export async function setAsideFromHistory(
  redis: Redis,
  most: number,
): Promise<{ readonly count: number; readonly some: readonly SetAside[] }> {
  const ids = await redis.hkeys(keys.historyAside);
  const named = ids.slice(0, most);
  if (named.length === 0) return { count: 0, some: [] };
  const kept = list(maybe(text))(await redis.hmget(keys.historyAside, ...named));
  const some = named.flatMap((id, at) => {
    const entry = kept[at];
    return entry === undefined ? [] : [readEntry(id, entry)];
  });
  return { count: ids.length, some };
}
