/**
 * Campaigns during a storm: one is cancelled while it runs, one is paused and resumed, the others run undisturbed.
 */
import type { Random } from '../../src/lib/random.ts';
import { nowMs, wait } from './clock.ts';
import { ask, type Reply } from './http.ts';
import type { Restore } from './story.ts';

const AGAIN_MS = 400;
const PER_CAMPAIGN = 250;

export interface Mailing {
  readonly reference: string;
  readonly name: string;
  readonly csv: string;
  /** Rows, including those that cannot be sent. */
  readonly rows: number;
  /** A text that only its own SMS contain. */
  readonly mark: string;
  readonly fate: 'left alone' | 'cancelled' | 'paused';
  id: string | undefined;
  cancelledAt: number | undefined;
  /** From its first request to the last, on the clock of the storm. */
  begunAt: number;
  postedAt: number;
}

export function mailingsOf(texts: number, seed: number): Mailing[] {
  const count = Math.max(texts === 0 ? 0 : 3, Math.round(texts / PER_CAMPAIGN));
  return Array.from({ length: count }, (_, index) => {
    const first = Math.floor((index * texts) / count);
    const recipients = Math.floor(((index + 1) * texts) / count) - first;
    const lines = Array.from({ length: recipients }, (_unused, row) => `${numberOf(first + row)},N${first + row}`);
    // An invalid number and a duplicate: both are counted, and cause no SMS.
    const more = ['12,nobody', lines[0] ?? ''];
    return {
      reference: `storm-${seed}-campaign-${index}`,
      name: `campaign ${index}`,
      csv: ['to,nom', ...lines, ...more].join('\n'),
      rows: recipients + more.length,
      mark: `storm ${seed}.${index} for`,
      fate: index === 0 ? 'cancelled' : index === 1 ? 'paused' : 'left alone',
      id: undefined,
      cancelledAt: undefined,
      begunAt: Number.POSITIVE_INFINITY,
      postedAt: Number.POSITIVE_INFINITY,
    };
  });
}

const numberOf = (index: number): string => `+22177${String(index + 1_000_000).padStart(7, '0')}`;

export interface Posting {
  readonly random: Random;
  readonly overMs: number;
  readonly giveUpMs: number;
  /** Whether a restore may have removed what was begun then. */
  readonly mayBeGone: (begunAt: number) => boolean;
}

/** The backup was made between its start and the end of its upload: the restored campaign is incomplete. */
export function isTorn({ begunAt, postedAt }: Mailing, restores: readonly Restore[]): boolean {
  return restores.some(({ copiedAt, restoredAt }) => begunAt < restoredAt && postedAt > copiedAt);
}

export async function postMailings(
  api: string,
  mailings: readonly Mailing[],
  { random, overMs, giveUpMs, mayBeGone }: Posting,
): Promise<void> {
  const until = nowMs() + giveUpMs;
  const begun = mailings.map(async (mailing, index) => {
    const hesitateMs = random.fraction() * 30;
    await wait((index / mailings.length) * overMs);
    mailing.begunAt = nowMs();
    try {
      await post(api, mailing, { until, hesitateMs });
      mailing.postedAt = nowMs();
    } catch (error) {
      // Half of it was lost in the restore. Its caller creates a new campaign instead of completing it.
      if (!(error instanceof CampaignRefused) || !mayBeGone(mailing.begunAt)) throw error;
    }
  });
  await Promise.all(begun);
}

class CampaignRefused extends Error {
  override readonly name = 'CampaignRefused';
}

interface Patience {
  readonly until: number;
  readonly hesitateMs: number;
}

async function post(api: string, mailing: Mailing, patience: Patience): Promise<void> {
  const { name, reference, mark, csv, fate } = mailing;
  const body = { name, reference, text: `${mark} {{nom}}`, country: 'SN' };
  const created = await persist(() => ask(`${api}/v1/campaigns`, { method: 'POST', body }), patience);
  const { id } = created.body as { id: string };
  mailing.id = id;
  const headers = { 'content-type': 'text/csv' };
  await persist(() => ask(`${api}/v1/campaigns/${id}/recipients`, { method: 'POST', body: csv, headers }), patience);
  const turn = (to: string): Promise<Reply> =>
    persist(() => ask(`${api}/v1/campaigns/${id}/${to}`, { method: 'POST', body: '{}' }), patience);
  await turn('start');
  if (fate === 'left alone') return;
  await wait(patience.hesitateMs);
  const turned = await turn(fate === 'cancelled' ? 'cancel' : 'pause');
  if (fate === 'cancelled' && turned.status < 300) mailing.cancelledAt = nowMs();
  if (fate !== 'paused') return;
  await wait(1_500);
  await turn('resume');
}

/** Until a final answer. 409: too late, or done already. */
async function persist(attempt: () => Promise<Reply | undefined>, { until }: Patience): Promise<Reply> {
  let last = 'nothing';
  while (nowMs() < until) {
    const reply = await attempt();
    if (reply) last = `${reply.status} ${JSON.stringify(reply.body)}`;
    if (reply && (reply.status < 300 || reply.status === 409)) return reply;
    if (reply && reply.status < 500)
      throw new CampaignRefused(`a campaign was refused: ${reply.status} ${JSON.stringify(reply.body)}`);
    await wait(AGAIN_MS);
  }
  throw new Error(`a campaign was not taken in time; the last answer was ${last}`);
}
