/** Guarantees of every storm. Each check is pure: it takes a story and returns the broken guarantees as text. */
import { notifyChecks } from './checks-of-notify.ts';
import { paymentChecks } from './checks-of-payments.ts';
import { runningChecks } from './checks-of-running.ts';
import { smsChecks } from './checks-of-sms.ts';
import { scenarioChecks } from './checks-of-scenarios.ts';
import type { Story } from './story.ts';

export interface Check {
  readonly name: string;
  /** The guarantee, in a sentence. */
  readonly says: string;
  readonly broken: (story: Story) => string[];
}

export interface Verdict {
  readonly name: string;
  readonly says: string;
  readonly broken: readonly string[];
}

export const checks: readonly Check[] = [
  ...paymentChecks,
  ...smsChecks,
  ...notifyChecks,
  ...runningChecks,
  ...scenarioChecks,
];

export function judge(story: Story): Verdict[] {
  return checks.map(({ name, says, broken }) => ({ name, says, broken: broken(story) }));
}
