/** `TRIAL_NUMBERS`: while it is set, relais pays and sends SMS only to these numbers. */
import { payeeOf } from '../provider/capabilities.ts';
import type { Problem } from './problems.ts';
import { message } from '../messages/message.ts';

/** Payees in the form of `payeeOf`. Undefined: every number is allowed. */
export type TrialNumbers = ReadonlySet<string> | undefined;

/** Numbers in international form. */
export function trialNumbersOf(numbers: readonly string[] | undefined): TrialNumbers {
  return numbers && new Set(numbers.map((number) => payeeOf(number, undefined)));
}

/** `payee`: in the form of `payeeOf`. */
export function trialProblems(allowed: TrialNumbers, payee: string, pointer: string): Problem[] {
  if (allowed === undefined || allowed.has(payee)) return [];
  return [{ pointer, message: message('no_trial_number'), rule: 'trial_number' }];
}
