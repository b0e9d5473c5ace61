/** Campaigns: uploads that count whole or not at all, handing out slices, and the switches. */
import type { Redis } from 'ioredis';
import type { UploadRecord } from '../kinds/campaign-fields.ts';
import { isFinal } from '../kinds/states.ts';
import type { StateOf } from '../kinds/index.ts';
import { type CampaignSwitch, type SwitchDetails, campaignSwitches } from './campaign-switches.ts';
import { keys } from './keys.ts';
import { amendCampaign, commitUpload, handOut, restCampaign, switchCampaign } from './scripts/generated/scripts.ts';
import type { CampaignRecord } from './record.ts';

/**
 * Slices are named after the campaign, their upload and their place in it. The tag keeps two uploads that run at the
 * same time, and the leavings of one that broke off, out of each other's way.
 */
export function sliceId(campaign: string, tag: string, place: number): string {
  return `${campaign}.${tag}-${place}`;
}

/** The slice at a place in the whole campaign, upload after upload. Undefined: there are not so many. */
export function sliceAt(campaign: Pick<CampaignRecord, 'id' | 'uploads'>, index: number): string | undefined {
  let place = index;
  for (const { tag, slices } of campaign.uploads) {
    if (place < slices) return sliceId(campaign.id, tag, place);
    place -= slices;
  }
  return undefined;
}

/** A row of an upload that will not be sent. */
export interface SkippedRow {
  readonly row: number;
  /** As it was written, cut short. */
  readonly to: string;
  readonly reason: string;
}

export interface UploadTotals {
  readonly recipients: number;
  readonly skipped: number;
  readonly slices: number;
  readonly segments: number;
}

/** How many recipients are over, and how many of them failed or are in doubt. */
export interface Judged {
  readonly over: number;
  readonly failed: number;
  readonly unknown: number;
}

interface Feeding {
  readonly most: number;
  readonly againInMs: number;
  /** What the next judgement counts from; absent: from where it does already. */
  readonly judged?: Judged | undefined;
  readonly canaryOver: boolean;
}

export class Campaigns {
  readonly #redis: Redis;
  readonly #now: () => number | undefined;

  /** `now` gives the time instead of Redis, for tests that turn the clock by hand. */
  constructor(redis: Redis, now?: () => number) {
    this.#redis = redis;
    this.#now = () => now?.();
  }

  async stageSkipped(campaign: string, tag: string, rows: readonly SkippedRow[]): Promise<void> {
    if (rows.length === 0) return;
    const packed = rows.map(({ row, to, reason }) => JSON.stringify([row, to, reason]));
    await this.#redis.rpush(keys.skipped(campaign, tag), ...packed);
  }

  /** Forgets what an upload that will not be committed has staged. */
  async discard(campaign: string, tag: string, slices: number): Promise<void> {
    const staged = Array.from({ length: slices }, (_, place) => keys.record(sliceId(campaign, tag, place)));
    for (let from = 0; from < staged.length; from += 500) await this.#redis.unlink(...staged.slice(from, from + 500));
    await this.#redis.unlink(keys.skipped(campaign, tag));
  }

  /** From here on the upload counts. False: the campaign changed meanwhile, and nothing of the upload counts. */
  async commit(
    campaign: CampaignRecord,
    names: Pick<UploadRecord, 'tag' | 'hash' | 'countries' | 'cost'>,
    totals: UploadTotals,
  ): Promise<boolean> {
    const { slices, recipients, skipped, segments } = totals;
    const upload: UploadRecord = { ...names, slices, recipients, skipped };
    const answer = await commitUpload(this.#redis, {
      campaign: keys.record(campaign.id),
      counts: keys.counts('campaign'),
      draft: keys.state('campaign', 'draft'),
      ready: keys.state('campaign', 'ready'),
      sliceCounts: keys.counts('slice'),
      before: JSON.stringify(campaign.uploads),
      after: JSON.stringify([...campaign.uploads, upload]),
      recipients,
      skipped,
      slices,
      segments,
    });
    return answer.is === 'committed';
  }

  async switch(
    id: string,
    name: CampaignSwitch,
    { reason, only, againInMs }: SwitchDetails = {},
  ): Promise<
    | { readonly is: 'applied'; readonly rev: number; readonly to: StateOf<'campaign'> }
    | { readonly is: 'refused'; readonly state: string }
  > {
    const { to, from, ...rest } = campaignSwitches[name];
    const answer = await switchCampaign(this.#redis, {
      campaign: keys.record(id),
      events: keys.events,
      counts: keys.counts('campaign'),
      due: keys.due('campaign'),
      parked: keys.parked(id),
      dueSlices: keys.due('sms-batch'),
      entered: isFinal('campaign', to) ? undefined : keys.state('campaign', to),
      scheduled: keys.state('campaign', 'scheduled'),
      left: from.map((state) => keys.state('campaign', state)),
      now: this.#now(),
      id,
      from,
      to,
      eventType: 'event' in rest ? rest.event : undefined,
      reason,
      only,
      againInMs,
    });
    if (answer.is !== 'applied') return answer;
    return { is: 'applied', rev: answer.rev, to: answer.to === 'scheduled' ? 'scheduled' : to };
  }

  /** Changes how it is sent, while it is being sent; '' takes a field away. */
  async amend(
    id: string,
    fields: Readonly<Record<string, string | number>>,
  ): Promise<{ readonly is: 'applied'; readonly rev: number } | { readonly is: 'refused'; readonly state: string }> {
    const [campaign, due, over] = [keys.record(id), keys.due('campaign'), ['finished', 'cancelled']];
    return amendCampaign(this.#redis, { campaign, due, now: this.#now(), id, over, fields });
  }

  /** The time that decides, and how many campaigns share the workers. */
  async circumstances(): Promise<{ readonly at: number; readonly running: number }> {
    const [time, running] = await Promise.all([
      this.#redis.time(),
      this.#redis.zcard(keys.state('campaign', 'running')),
    ]);
    const [seconds = 0, micros = 0] = time.map(Number);
    return { at: this.#now() ?? seconds * 1_000 + Math.floor(micros / 1_000), running: Math.max(1, running) };
  }

  /** Hands out the next slices, as many as there are up to `most`, and says which. */
  async feed(
    campaign: CampaignRecord,
    { most, againInMs, judged, canaryOver }: Feeding,
  ): Promise<readonly string[] | undefined> {
    const next = Array.from({ length: Math.max(0, most) }, (_, offset) => sliceAt(campaign, campaign.fed + offset));
    const ids = next.filter((id) => id !== undefined);
    const handedOut = await handOut(this.#redis, {
      campaign: keys.record(campaign.id),
      dueSlices: keys.due('sms-batch'),
      due: keys.due('campaign'),
      now: this.#now(),
      id: campaign.id,
      handedOut: campaign.fed,
      againInMs,
      judgedOver: judged?.over,
      judgedFailed: judged?.failed,
      judgedUnknown: judged?.unknown,
      canaryOver,
      slices: ids,
    });
    return handedOut ? ids : undefined;
  }

  /** Nothing is to be done for it until `dueAt` (ms since the epoch); absent: until somebody switches it. */
  async rest({ id, state }: CampaignRecord, dueAt?: number): Promise<void> {
    await restCampaign(this.#redis, { campaign: keys.record(id), due: keys.due('campaign'), id, state, dueAt });
  }

  async skippedRows(campaign: string, tag: string, from: number, limit: number): Promise<SkippedRow[]> {
    const rows = await this.#redis.lrange(keys.skipped(campaign, tag), from, from + limit - 1);
    return rows.map((row) => {
      const [number, to, reason] = JSON.parse(row) as [number, string, string];
      return { row: number, to, reason };
    });
  }
}
