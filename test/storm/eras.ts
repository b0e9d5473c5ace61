/**
 * What was sent before a restore of PostgreSQL is not compared with what is sent after it: relais may number its sends
 * again, and cannot know a token of the lost time. What it must not do after a restore is checked by P17 and S8.
 */
import { groupBy } from './grouping.ts';
import type { Restore, SeenSubmit, Story } from './story.ts';

/** How many restored ledgers had answered by then. */
export const eraOf = ({ restores }: Pick<Story, 'restores'>, at: number): number =>
  restores.filter(({ backAt }) => backAt <= at).length;

/** Submits by disburse_id, those of each era for themselves. */
export function perDisbursement(story: Story): [string, SeenSubmit[]][] {
  return [...groupBy(story.submits, (submit) => `${eraOf(story, submit.at)} ${submit.disburseId}`).values()].flatMap(
    (sent) => (sent[0] ? [[sent[0].disburseId, sent] as [string, SeenSubmit[]]] : []),
  );
}

/** The restore that lost the decision about a request of this time, or that happened while it was on its way. */
export const straddles = ({ restores }: Story, at: number, ms: number): Restore | undefined =>
  restores.find(({ copiedAt, restoredAt }) => at >= copiedAt && at <= restoredAt + ms);

/** How long after a restore something left, for the person who reads that a promise was broken. */
export const sinceRestore = ({ restores }: Pick<Story, 'restores'>, at: number): string => {
  const last = restores.findLast(({ restoredAt }) => restoredAt <= at);
  return last ? `, ${Math.round(at - last.restoredAt)} ms after a restore` : '';
};
