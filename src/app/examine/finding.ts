/** The finding of a check, and its fix. */
import { type Clock, withDeadline } from '../../lib/clock.ts';
import { type Message, message } from '../../messages/message.ts';

export const checkNames = [
  'settings',
  'postgres',
  'durability',
  'clock',
  'logging',
  'schema',
  'permissions',
  'recovery',
  'deployment',
  'limits',
  'state',
  'storage',
  'events',
  'audit',
  'redis',
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
  /** `skipped`: not checkable or not used; no fault. */
  readonly is: 'ok' | 'fault' | 'skipped';
  readonly says: Message;
  /** For a fault: what to do. */
  readonly fix?: Message;
}

export const ok = (check: CheckName, says: Message): Finding => ({ check, is: 'ok', says });

export function fault(check: CheckName, says: Message, fix: Message): Finding {
  return { check, is: 'fault', says, fix };
}

export const skipped = (check: CheckName, says: Message): Finding => ({ check, is: 'skipped', says });

/** A check that throws is reported as a fault, and the other checks continue. */
export async function examined(
  check: CheckName,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [fault(check, message('not_examined', { why }), message('fix_and_check'))];
  }
}

/** Undefined if the work took longer: a user waits at a terminal. */
export async function inTime<T>(clock: Clock, ms: number, work: () => Promise<T>): Promise<T | undefined> {
  let answer: T | undefined;
  await withDeadline(clock, ms, async () => {
    answer = await work();
  });
  return answer;
}
