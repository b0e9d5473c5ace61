/** Records that history alone has, read where Redis has none: by an id they are found as before. */
import type { Redis } from 'ioredis';
import type { Fields } from './record.ts';
import { stubsLeft } from './stubs.ts';

/** What has left Redis, where somebody can ask for it. */
export interface Past {
  /** The record as it left. Throws HistoryAway. */
  fieldsOf(id: string): Promise<Fields | undefined>;
}

/** It is there, and cannot be read now. */
export class HistoryAway extends Error {
  override readonly name = 'HistoryAway';
}

/** Of a record that Redis does not have. Only what is known to have left may not be answered without history. */
export async function fieldsLeft(redis: Redis, past: Past | undefined, id: string): Promise<Fields> {
  if (past === undefined) return {};
  try {
    return (await past.fieldsOf(id)) ?? {};
  } catch (error) {
    const [stub] = error instanceof HistoryAway ? await stubsLeft(redis, [id]) : [];
    if (!(error instanceof HistoryAway) || stub !== undefined) throw error;
    return {};
  }
}
