/** Whether a process with these settings would be ready, or asks for more than the limits of money that hold. */
import type { Opinions } from '../../operations/limits.ts';
import { type SharedLimits, reasonsFor } from '../../operations/shared-limits.ts';
import { type Finding, fault, ok } from './finding.ts';

export async function examineLimits(
  limits: Pick<SharedLimits, 'list'>,
  own: Opinions,
  now: number,
): Promise<readonly Finding[]> {
  const reasons = reasonsFor(own, await limits.list(now));
  if (reasons.size === 0) return [ok('limits', 'no setting is looser than what holds')];
  return [...reasons.values()].map((reason) => {
    const [says = '', fix = ''] = reason.split(/\. (.*)/s);
    return fault('limits', says, fix);
  });
}
