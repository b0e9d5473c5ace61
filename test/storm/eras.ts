/**
 * Sends before and after a restore of PostgreSQL are not compared: relais may reuse send numbers, and cannot know a
 * token of the data-loss window. P17 and S8 check what must not happen after a restore.
 */
import { groupBy } from './grouping.ts';
import type { Restore, SeenSubmit, Story } from './story.ts';

/** How many restored ledgers had answered by then. */
export const eraOf = ({ restores }: Pick<Story, 'restores'>, at: number): number =>
  restores.filter(({ backAt }) => backAt <= at).length;

/** Submits by disburse_id, separate for each era. */
export function perDisbursement(story: Story): [string, SeenSubmit[]][] {
  return [...groupBy(story.submits, (submit) => `${eraOf(story, submit.at)} ${submit.disburseId}`).values()].flatMap(
    (sent) => (sent[0] ? [[sent[0].disburseId, sent] as [string, SeenSubmit[]]] : []),
  );
}

/** The restore that lost the decision about a request of this time, or happened during the request. */
export const straddles = ({ restores }: Story, at: number, ms: number): Restore | undefined =>
  restores.find(({ copiedAt, restoredAt }) => at >= copiedAt && at <= restoredAt + ms);

/** How long after a restore a request left, for the report of a broken guarantee. */
export const sinceRestore = ({ restores }: Pick<Story, 'restores'>, at: number): string => {
  const last = restores.findLast(({ restoredAt }) => restoredAt <= at);
  return last ? `, ${Math.round(at - last.restoredAt)} ms after a restore` : '';
};
