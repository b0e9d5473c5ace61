/** What a check found, and how to mend it. */
import { type Clock, withDeadline } from '../../lib/clock.ts';

export const checkNames = [
  'settings',
  'redis',
  'durability',
  'memory',
  'clock',
  'permissions',
  'recovery',
  'deployment',
  'limits',
  'records',
  'state',
  'intake',
  'keys',
  'sms login',
  'balance',
  'console',
  'callbacks',
] as const;
export type CheckName = (typeof checkNames)[number];

export interface Finding {
  readonly check: CheckName;
  /** `skipped`: it could not be looked at, or is not used; no fault by itself. */
  readonly is: 'ok' | 'fault' | 'skipped';
  readonly says: string;
  /** Of a fault: what to do. */
  readonly fix?: string;
}

export function ok(check: CheckName, says: string): Finding {
  return { check, is: 'ok', says };
}

export function fault(check: CheckName, says: string, fix: string): Finding {
  return { check, is: 'fault', says, fix };
}

export function skipped(check: CheckName, says: string): Finding {
  return { check, is: 'skipped', says };
}

/** A check that breaks off is a fault of what it looked at, and the others go on. */
export async function examined(
  check: CheckName,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [fault(check, `could not be looked at: ${why}`, 'Mend that, and look again.')];
  }
}

/** Undefined when the work took longer than that: somebody waits at a terminal. */
export async function inTime<T>(clock: Clock, ms: number, work: () => Promise<T>): Promise<T | undefined> {
  let answer: T | undefined;
  await withDeadline(clock, ms, async () => {
    answer = await work();
  });
  return answer;
}
