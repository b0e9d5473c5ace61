/**
 * Records that this version cannot read: written by another one, or damaged. Each is one row that says so, and nobody
 * acts on it; the others go on. Where one is met it is noted, so that it can be counted and named.
 */
import type { Redis } from 'ioredis';
import { statesOf } from '../kinds/states.ts';
import { type Kind, kinds } from '../kinds/index.ts';
import { inFull } from './brief.ts';
import { keys } from './keys.ts';
import { type Fields, RECORD_VERSION, type RecordAt, readRecord } from './record.ts';
import { UNREADABLE } from './scripts/script.ts';

/** How many are kept by name. */
const NAMED_MOST = 1_000;

export class UnreadableRecord extends Error {
  override readonly name = 'UnreadableRecord';
  readonly id: string;
  /** Absent: not even that can be read. */
  readonly account: string | undefined;

  constructor(id: string, account: string | undefined, why: string) {
    super(`the record ${id} cannot be read by this version: ${why}`);
    this.id = id;
    this.account = account;
  }
}

/** Also in the words of a script, which found it so after we had read it. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof UnreadableRecord || (error instanceof Error && error.message.includes(UNREADABLE));
}

/** The record, or why it is none. */
export function readStored<K extends Kind>(kind: K, id: string, stored: Fields): RecordAt<K> | UnreadableRecord {
  const { v, o: brief, account = brief } = stored;
  if (v !== RECORD_VERSION) return new UnreadableRecord(id, account, `it is of version ${v ?? 'none'}`);
  try {
    const record = readRecord(kind, inFull(id, stored));
    const states: readonly string[] = statesOf(kind);
    if (states.includes(record.state)) return record;
    return new UnreadableRecord(id, account, `it has no state of a ${kind}`);
  } catch (error) {
    return new UnreadableRecord(id, account, error instanceof Error ? error.message : String(error));
  }
}

export async function noteUnreadable(redis: Redis, ids: readonly string[]): Promise<void> {
  if (ids.length === 0 || (await redis.scard(keys.unreadable)) >= NAMED_MOST) return;
  await redis.sadd(keys.unreadable, ...ids);
}

/** Those that are still so; the others are no longer noted. */
export async function namedUnreadable(redis: Redis): Promise<UnreadableRecord[]> {
  const found: UnreadableRecord[] = [];
  for (const id of await redis.smembers(keys.unreadable)) {
    const stored: Fields = await redis.hgetall(keys.record(id));
    const kind = kinds.find((one) => one === stored['kind']);
    const read = kind && readStored(kind, id, stored);
    if (read instanceof UnreadableRecord) found.push(read);
    else await redis.srem(keys.unreadable, id);
  }
  return found;
}
