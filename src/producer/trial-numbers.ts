/** `TRIAL_NUMBERS`: while it is set, relais pays these numbers and sends SMS to them, and to no other number. */
import { payeeOf } from '../provider/capabilities.ts';
import type { Problem } from './problems.ts';
import { message } from '../messages/message.ts';

/** Payees as `payeeOf` writes them. Undefined: every number is allowed. */
export type TrialNumbers = ReadonlySet<string> | undefined;

/** Numbers in international form. */
export function trialNumbersOf(numbers: readonly string[] | undefined): TrialNumbers {
  return numbers && new Set(numbers.map((number) => payeeOf(number, undefined)));
}

/** `payee`: as `payeeOf` writes it. */
export function trialProblems(allowed: TrialNumbers, payee: string, pointer: string): Problem[] {
  if (allowed === undefined || allowed.has(payee)) return [];
  return [{ pointer, message: message('no_trial_number'), rule: 'trial_number' }];
}
