/**
 * After Redis was put back to an earlier time, what was sent before belongs to another world: relais may number its
 * sends anew, and cannot know a token that only the other world knew. What it must not do there, P17 and S8 say.
 */
import { groupBy } from './grouping.ts';
import type { HistoryRow, Restore, SeenSubmit, Story } from './story.ts';

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

const AROUND_MS = 1_500;

/** Whether a record that was accepted then, by the clock of Redis, may be none that the copy had which was put back. */
export const wasLost = ({ restores, steps }: Pick<Story, 'restores' | 'steps'>, createdAt: number): boolean => {
  const off = AROUND_MS + Math.max(0, ...steps.map(({ offMs }) => Math.abs(offMs)));
  return restores.some(({ copiedAt, restoredAt }) => createdAt >= copiedAt - off && createdAt <= restoredAt + off);
};

/** Of what a copy forgot, and was accepted anew, the last. */
export function newest(rows: readonly HistoryRow[]): HistoryRow[] {
  const byId = new Map<string, HistoryRow>();
  for (const row of rows)
    if ((byId.get(row.id)?.createdAt ?? Number.NEGATIVE_INFINITY) < row.createdAt) byId.set(row.id, row);
  return [...byId.values()];
}

/** How long after a restore something left, for the person who reads that a promise was broken. */
export const sinceRestore = ({ restores }: Pick<Story, 'restores'>, at: number): string => {
  const last = restores.findLast(({ restoredAt }) => restoredAt <= at);
  return last ? `, ${Math.round(at - last.restoredAt)} ms after a restore` : '';
};
