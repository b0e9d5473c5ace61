/** Whether the settings of this process ask for more than the money limits in force. */
import { type LimitStanding, type Opinions, reasonsFor } from '../../kinds/limits.ts';
import { type Said, readBack } from '../../messages/said.ts';
import { type Finding, fault, ok } from './finding.ts';

interface Listed {
  readonly list: (now: number) => Promise<readonly LimitStanding[]>;
}

export async function examineLimits(limits: Listed, own: Opinions, now: number): Promise<readonly Finding[]> {
  const reasons = reasonsFor(own, await limits.list(now));
  if (reasons.size === 0) return [ok('limits', 'no setting is looser than the limit in force')];
  return [...reasons.values()].map((reason) => {
    const [says = '', fix = ''] = reason.split(/\. (.*)/s);
    return fault('limits', saidOf(says), saidOf(fix));
  });
}

/** The sentences of `reasonsFor`, which have their French under them. */
const OF_LIMITS = [
  '{name} of this process is {own}, and {value} is in force, by {by}',
  '{name} of this process is {own}, and {value} is in force',
  'Set it to that value or remove it. Or two people with the role approve run: {command}',
];

function saidOf(told: string): Said | string {
  const [found] = OF_LIMITS.flatMap((sentence) => {
    const values = readBack(sentence, told);
    return values ? [{ sentence, values }] : [];
  });
  return found ?? told;
}
