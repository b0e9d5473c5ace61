/**
 * After PostgreSQL was restored to an earlier time, what was sent before belongs to another world: relais may number its
 * sends anew, and cannot know a token that only the other world knew. What it must not do there, P17 and S8 say.
 */
import { groupBy } from './grouping.ts';
import type { Restore, SeenSubmit, Story } from './story.ts';

/** The world that what left at this moment was decided in: how many copies had answered by then. */
export const eraOf = ({ restores }: Pick<Story, 'restores'>, at: number): number =>
  restores.filter(({ backAt }) => backAt <= at).length;

/** Submits by disburse_id, those of each era for themselves. */
export function perDisbursement(story: Story): [string, SeenSubmit[]][] {
  return [...groupBy(story.submits, (submit) => `${eraOf(story, submit.at)} ${submit.disburseId}`).values()].flatMap(
    (sent) => (sent[0] ? [[sent[0].disburseId, sent] as [string, SeenSubmit[]]] : []),
  );
}

/** What was on its way when Redis was put back, and what was decided in the world that is gone. */
export const straddles = ({ restores }: Story, at: number, ms: number): Restore | undefined =>
  restores.find(({ copiedAt, restoredAt }) => at >= copiedAt && at <= restoredAt + ms);

/** How long after a restore something left, for the person who reads that a promise was broken. */
export const sinceRestore = ({ restores }: Pick<Story, 'restores'>, at: number): string => {
  const last = restores.findLast(({ restoredAt }) => restoredAt <= at);
  return last ? `, ${Math.round(at - last.restoredAt)} ms after a restore` : '';
};
