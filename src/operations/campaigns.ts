/** Campaigns: uploads that count whole or not at all, handing out chunks, and the switches. */
import type { Redis } from 'ioredis';
import { type CampaignItem, packCampaignItem } from './chunk-items.ts';
import { keys } from './keys.ts';
import { type CampaignState, isFinal } from './lifecycle.ts';
import { type CampaignRecord, RECORD_VERSION, type UploadRecord } from './record.ts';
import { commitUploadScript, feedScript, switchCampaignScript } from './scripts/campaign.ts';
import { runScript } from './scripts/script.ts';

/**
 * Chunks are named after the campaign, their upload and their place in it. The tag keeps two uploads that run at the
 * same time, and the leavings of one that broke off, out of each other's way.
 */
function chunkId(campaign: string, tag: string, place: number): string {
  return `${campaign}.${tag}-${place}`;
}

/** The chunk at a place in the whole campaign, upload after upload. Undefined: there are not so many. */
export function chunkAt(campaign: Pick<CampaignRecord, 'id' | 'uploads'>, index: number): string | undefined {
  let place = index;
  for (const { tag, chunks } of campaign.uploads) {
    if (place < chunks) return chunkId(campaign.id, tag, place);
    place -= chunks;
  }
  return undefined;
}

/** The campaign and the place that the name of a chunk carries; undefined for a chunk of single messages. */
export function readChunkId(id: string): { readonly campaign: string; readonly place: number } | undefined {
  const [, campaign, place] = /^(.+)\.[0-9a-f]+-(\d+)$/.exec(id) ?? [];
  return campaign && place ? { campaign, place: Number(place) } : undefined;
}

/** A row of an upload that will not be sent. */
export interface SkippedRow {
  readonly row: number;
  /** As it was written, cut short. */
  readonly to: string;
  readonly reason: string;
}

/** Each switch: where it leads, from which states, and what is announced. */
export const campaignSwitches = {
  start: { to: 'running', from: ['ready'] },
  pause: { to: 'paused', from: ['running', 'held'], event: 'campaign.paused' },
  resume: { to: 'running', from: ['paused', 'held'] },
  hold: { to: 'held', from: ['running'], event: 'campaign.held' },
  cancel: { to: 'cancelled', from: ['draft', 'ready', 'running', 'paused', 'held'], event: 'campaign.cancelled' },
} as const satisfies Record<string, { to: CampaignState; from: readonly CampaignState[]; event?: string }>;

export type CampaignSwitch = keyof typeof campaignSwitches;

export interface UploadTotals {
  readonly recipients: number;
  readonly skipped: number;
  readonly chunks: number;
  readonly segments: number;
}

export class Campaigns {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Writes chunks that nobody will hand out until the upload that they belong to is committed. */
  async stageChunks(
    campaign: CampaignRecord,
    tag: string,
    first: number,
    chunks: readonly CampaignItem[][],
  ): Promise<void> {
    const pipeline = this.#redis.pipeline();
    for (const [offset, items] of chunks.entries()) {
      const id = chunkId(campaign.id, tag, first + offset);
      pipeline.hset(keys.record(id), {
        id,
        kind: 'chunk',
        v: RECORD_VERSION,
        state: 'queued',
        rev: 1,
        account: campaign.account,
        campaign: campaign.id,
        lane: 'normal',
        count: items.length,
        items: items.map(packCampaignItem).join(','),
      });
    }
    await runPipeline(pipeline);
  }

  async stageSkipped(campaign: string, tag: string, rows: readonly SkippedRow[]): Promise<void> {
    if (rows.length === 0) return;
    const packed = rows.map(({ row, to, reason }) => JSON.stringify([row, to, reason]));
    await this.#redis.rpush(keys.skipped(campaign, tag), ...packed);
  }

  /** Forgets what an upload that will not be committed has staged. */
  async discard(campaign: string, tag: string, chunks: number): Promise<void> {
    const staged = Array.from({ length: chunks }, (_, place) => keys.record(chunkId(campaign, tag, place)));
    for (let from = 0; from < staged.length; from += 500) await this.#redis.unlink(...staged.slice(from, from + 500));
    await this.#redis.unlink(keys.skipped(campaign, tag));
  }

  /** From here on the upload counts. False: the campaign changed meanwhile, and nothing of the upload counts. */
  async commit(
    campaign: CampaignRecord,
    names: { tag: string; hash: string },
    totals: UploadTotals,
  ): Promise<boolean> {
    const { chunks, recipients, skipped, segments } = totals;
    const upload: UploadRecord = { ...names, chunks, recipients, skipped };
    const answer = (await runScript(
      this.#redis,
      commitUploadScript,
      [
        keys.record(campaign.id),
        keys.counts('campaign'),
        keys.state('campaign', 'draft'),
        keys.state('campaign', 'ready'),
        keys.counts('chunk'),
      ],
      [
        '',
        JSON.stringify(campaign.uploads),
        JSON.stringify([...campaign.uploads, upload]),
        recipients,
        skipped,
        chunks,
        segments,
      ],
    )) as [string];
    return answer[0] === 'committed';
  }

  async switch(
    id: string,
    name: CampaignSwitch,
  ): Promise<{ is: 'applied'; rev: number } | { is: 'refused'; state: string }> {
    const { to, from, ...rest } = campaignSwitches[name];
    const answer = (await runScript(
      this.#redis,
      switchCampaignScript,
      [
        keys.record(id),
        keys.events,
        keys.counts('campaign'),
        keys.due('campaign'),
        keys.parked(id),
        keys.due('sms-batch'),
        keys.state('campaign', to),
        ...from.map((state) => keys.state('campaign', state)),
      ],
      [id, '', to, 'event' in rest ? rest.event : '', isFinal('campaign', to) ? 1 : 0, ...from],
    )) as [string, string, number?];
    if (answer[0] !== 'applied') return { is: 'refused', state: answer[1] };
    return { is: 'applied', rev: answer[2] ?? 0 };
  }

  /** Hands out the next chunks, never more than `window` at a time, and says which. */
  async feed(campaign: CampaignRecord, window: number, againInMs: number): Promise<string[]> {
    const room = Math.max(0, window - (campaign.fed - campaign.settled));
    const next = Array.from({ length: room }, (_, offset) => chunkAt(campaign, campaign.fed + offset));
    const ids = next.filter((id) => id !== undefined);
    const handedOut = await runScript(
      this.#redis,
      feedScript,
      [keys.record(campaign.id), keys.due('sms-batch'), keys.due('campaign')],
      [campaign.id, '', campaign.fed, againInMs, ...ids],
    );
    return handedOut === 1 ? ids : [];
  }

  async skippedRows(campaign: string, tag: string, from: number, limit: number): Promise<SkippedRow[]> {
    const rows = await this.#redis.lrange(keys.skipped(campaign, tag), from, from + limit - 1);
    return rows.map((row) => {
      const [number, to, reason] = JSON.parse(row) as [number, string, string];
      return { row: number, to, reason };
    });
  }
}

/** A pipeline answers command by command; one that failed must not pass for a write. */
async function runPipeline(pipeline: ReturnType<Redis['pipeline']>): Promise<void> {
  for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
}
