/** What must be true of every storm. Each check is pure: a story in, the broken promises out, in words. */
import { consoleChecks } from './checks-of-console.ts';
import { moneyChecks } from './checks-of-money.ts';
import { runningChecks } from './checks-of-running.ts';
import { textChecks } from './checks-of-texts.ts';
import { worldChecks } from './checks-of-worlds.ts';
import type { Story } from './story.ts';

export interface Check {
  readonly name: string;
  /** The promise, in a sentence. */
  readonly says: string;
  readonly broken: (story: Story) => string[];
}

export interface Verdict {
  readonly name: string;
  readonly says: string;
  readonly broken: readonly string[];
}

export const checks: readonly Check[] = [
  ...moneyChecks,
  ...textChecks,
  ...runningChecks,
  ...worldChecks,
  ...consoleChecks,
];

export function judge(story: Story): Verdict[] {
  return checks.map(({ name, says, broken }) => ({ name, says, broken: broken(story) }));
}
