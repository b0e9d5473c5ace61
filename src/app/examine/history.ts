/** Whether what is over comes to PostgreSQL: whether that can be reached, and what waits for it. */
import type { Redis } from 'ioredis';
import type { Config } from '../../config.ts';
import { describeMs } from '../../lib/clock.ts';
import { waitingForHistory } from '../../operations/history.ts';
import { type Finding, fault, ok } from './finding.ts';

/** Copied within a minute, as long as nothing stands in the way. */
const LATE_MS = 900_000;

/** Nothing is said where history is not kept and never was. */
export async function examineHistory(
  redis: Redis,
  { HISTORY_URL: url }: Pick<Config, 'HISTORY_URL'>,
  now: number,
): Promise<readonly Finding[]> {
  const { count, since = now } = await waitingForHistory(redis);
  const waits = `${count} wait for it${count > 0 ? `, for ${describeMs(Math.max(0, now - since))}` : ''}`;
  if (url === undefined) {
    return count === 0
      ? []
      : [fault('history', `no HISTORY_URL here; ${waits}`, 'Set it where the role history is.')];
  }
  const { reachHistory } = await import('../../history/store.ts');
  const away = await reachHistory(url.reveal());
  if (away !== undefined)
    return [fault('history', `PostgreSQL is away (${away}); ${waits}`, 'Nothing stops meanwhile.')];
  if (now - since > LATE_MS) return [fault('history', waits, 'Start a process with the role history; see its log.')];
  return [ok('history', `PostgreSQL answers; ${waits}`)];
}
