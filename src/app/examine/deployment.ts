import type { Redis } from 'ioredis';
import type { AccountBook } from '../../accounts.ts';
import type { Config } from '../../config.ts';
import { compareStamp } from '../../operations/stamp.ts';
import { deploymentOf, problemsOf } from '../deployment.ts';
import { type Finding, fault, ok } from './finding.ts';

/** Whose the keys are that these settings would use. */
export async function examineDeployment(
  redis: Redis,
  config: Config,
  book: AccountBook,
): Promise<readonly Finding[]> {
  const { REDIS_PREFIX: prefix } = config;
  const compared = await compareStamp(redis, deploymentOf(config, book));
  if (compared === undefined) return [ok('deployment', `no process has started on the keys ${prefix}:* yet`)];
  const { stamp, differences } = compared;
  const faults = problemsOf(differences, config).map((problem) => {
    const [says = '', fix = ''] = problem.split(/\. (.*)/s);
    return fault('deployment', says, fix);
  });
  if (faults.length > 0) return faults;
  const accounts = Object.entries(stamp.accounts).map(([name, mode]) => `${name} (${mode})`);
  return [
    ok('deployment', `the keys ${prefix}:* are of ${stamp.environment}: ${accounts.join(', ') || 'no account'}`),
  ];
}
