/** Whether the settings of this process are looser than the money limits in force. */
import { type LimitStanding, type Opinions, looserThanHeld } from '../../kinds/limits.ts';
import { message } from '../../messages/message.ts';
import { type Finding, fault, ok } from './finding.ts';

interface Listed {
  readonly list: (now: number) => Promise<readonly LimitStanding[]>;
}

export async function examineLimits(limits: Listed, own: Opinions, now: number): Promise<readonly Finding[]> {
  const looser = looserThanHeld(own, await limits.list(now));
  if (looser.size === 0) return [ok('limits', message('no_limit_looser'))];
  return [...looser.values()].map(({ says, fix }) => fault('limits', says, fix));
}
