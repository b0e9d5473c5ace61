/** `TRIAL_NUMBERS` and campaigns: their numbers are in files, so they are compared before a campaign sends. */
import type { ApiContext } from './context.ts';
import { invalid } from './problem.ts';

export async function requireTrialNumbers(
  { trialNumbers, recipients }: Pick<ApiContext, 'trialNumbers' | 'recipients'>,
  campaign: string,
): Promise<void> {
  if (trialNumbers === undefined || !(await recipients.hasOthers(campaign, trialNumbers))) return;
  const message = 'the campaign has a recipient that is not a number of TRIAL_NUMBERS';
  throw invalid([{ pointer: '', message, rule: 'trial_number' }]);
}
