/** The limits of money. They live in Redis, so that the one script that accepts checks them whichever door was used. */
import type { Redis } from 'ioredis';
import { describeXof } from '../lib/money.ts';
import { keys } from './keys.ts';

export const moneyLimits = [
  'MAX_DISBURSEMENT',
  'MAX_PER_DAY',
  'MAX_PER_BENEFICIARY_DAY',
  'DUPLICATE_WINDOW',
  'APPROVAL_ABOVE',
] as const;
export type MoneyLimit = (typeof moneyLimits)[number];

/** XOF, and ms for DUPLICATE_WINDOW; absent: no such limit. */
export type Limits = Readonly<Partial<Record<MoneyLimit, number | undefined>>>;

/**
 * The limits of the process that started last hold: give all processes of an environment the same. Answers what changed
 * by it ("APPROVAL_ABOVE: 50000 → none"), since a process that was started without them takes them away from all.
 */
export async function publishLimits(redis: Redis, limits: Limits): Promise<string[]> {
  const set = moneyLimits.flatMap((name) => (limits[name] === undefined ? [] : [name, String(limits[name])]));
  const transaction = redis.multi().hgetall(keys.limits).del(keys.limits);
  if (set.length > 0) transaction.hset(keys.limits, ...set);
  const answers = (await transaction.exec()) ?? [];
  for (const [error] of answers) if (error) throw error;
  const before = (answers[0]?.[1] ?? {}) as Readonly<Record<string, string>>;
  return moneyLimits.flatMap((name) => {
    const [was, is] = [before[name] ?? 'none', limits[name] === undefined ? 'none' : String(limits[name])];
    return was === is ? [] : [`${name}: ${was} → ${is}`];
  });
}

/** A sentence with the limit in it; the sum of the day is not told, since it belongs to others too. */
export function describeLimit(limit: MoneyLimit, detail: string): string {
  if (limit === 'DUPLICATE_WINDOW') {
    return `and beneficiary are those of ${detail}, accepted a little while ago (DUPLICATE_WINDOW); if it is meant, send "allowDuplicate": true`;
  }
  const most = describeXof(Number(detail));
  if (limit === 'MAX_DISBURSEMENT')
    return `is more than ${most}, the most that one disbursement may be (MAX_DISBURSEMENT)`;
  if (limit === 'MAX_PER_DAY') return `would take today over ${most}, the limit of this account (MAX_PER_DAY)`;
  return `would take this beneficiary over ${most} today (MAX_PER_BENEFICIARY_DAY)`;
}
