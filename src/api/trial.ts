/** `TRIAL_NUMBERS` and campaigns: their numbers are in files, so they are compared before a campaign sends. */
import type { ApiContext } from './context.ts';
import { invalid } from './problem.ts';
import { message } from '../messages/message.ts';

export async function requireTrialNumbers(
  { trialNumbers, recipients }: Pick<ApiContext, 'trialNumbers' | 'recipients'>,
  campaign: string,
): Promise<void> {
  if (trialNumbers === undefined || !(await recipients.hasOthers(campaign, trialNumbers))) return;
  throw invalid([{ pointer: '', message: message('no_trial_recipient'), rule: 'trial_number' }]);
}
