/** What a check found, and how to mend it. */
import { type Clock, withDeadline } from '../../lib/clock.ts';
import { type Said, filled, said } from '../../messages/said.ts';

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
  /** `skipped`: it could not be looked at, or is not used; no fault by itself. */
  readonly is: 'ok' | 'fault' | 'skipped';
  /** In English, as programs read it. */
  readonly says: string;
  /** Of a fault: what to do. */
  readonly fix?: string;
  /** The same, before the values were filled in. */
  readonly told: { readonly says: Said; readonly fix?: Said };
}

/** What has its French under it (`messages/doctor.ts`); a text without values may be of somebody else, and is said as it is. */
type Sentence = string | Said;

const asSaid = (sentence: Sentence): Said => (typeof sentence === 'string' ? { sentence, values: {} } : sentence);
const inEnglish = ({ sentence, values }: Said): string => filled(sentence, values);

function finding(check: CheckName, is: Finding['is'], sentence: Sentence): Finding {
  const says = asSaid(sentence);
  return { check, is, says: inEnglish(says), told: { says } };
}

export const ok = (check: CheckName, says: Sentence): Finding => finding(check, 'ok', says);

export function fault(check: CheckName, says: Sentence, toDo: Sentence): Finding {
  const found = finding(check, 'fault', says);
  const fix = asSaid(toDo);
  return { ...found, fix: inEnglish(fix), told: { ...found.told, fix } };
}

export const skipped = (check: CheckName, says: Sentence): Finding => finding(check, 'skipped', says);

/** A check that breaks off is a fault of what it looked at, and the others go on. */
export async function examined(
  check: CheckName,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [fault(check, said('could not be looked at: {why}', { why }), 'Fix it, then check again.')];
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
