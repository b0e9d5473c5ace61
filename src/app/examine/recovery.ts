import type { Recovery } from '../../operations/recovery.ts';
import { type Finding, fault, ok } from './finding.ts';

export async function examineRecovery(recovery: Pick<Recovery, 'state'>): Promise<readonly Finding[]> {
  const state = await recovery.state();
  if (!state) return [ok('recovery', 'Redis is not known to have lost anything')];
  const since = new Date(state.since).toISOString();
  const says = `since ${since} nothing is accepted and nothing leaves: Redis may have lost something (${state.because})`;
  return [fault('recovery', says, 'See what is open, and say what became of it: relais recover.')];
}
