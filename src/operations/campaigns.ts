/** Campaigns: uploads that count whole or not at all, handing out slices, and the switches. */
import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { UploadRecord } from '../kinds/campaign-fields.ts';
import { type CampaignHold, type CampaignSwitch, HAND, campaignSwitches } from '../kinds/campaign-switches.ts';
import { type StateOf, isFinal } from '../kinds/index.ts';
import { canonicalJson } from '../lib/ids.ts';
import type { Traces } from '../lib/traces.ts';
import { type Act, told } from './audit.ts';
import { timeOf } from '../redis/clock.ts';
import { answersOf, ignored } from '../redis/scripts.ts';
import { keys } from './keys.ts';
import { type Opinions, wordsOf } from '../kinds/limits.ts';
import type { CampaignRecord } from './record.ts';
import { numbersLost } from './transition.ts';
import {
  type AmendCampaignAnswer,
  amendCampaign,
  commitUpload,
  handOut,
  restCampaign,
  switchCampaign,
} from './scripts/generated/scripts.ts';

/**
 * Slices are named after the campaign, their upload and their place in it. The tag keeps two uploads that run at the
 * same time, and the leavings of one that broke off, out of each other's way.
 */
export function sliceId(campaign: string, tag: string, place: number): string {
  return `${uploadId(campaign, tag)}-${place}`;
}

/** How history calls an upload. */
export const uploadId = (campaign: string, tag: string): string => `${campaign}.${tag}`;

/** The slice at a place in the whole campaign, upload after upload. Undefined: there are not so many. */
export function sliceAt(campaign: Pick<CampaignRecord, 'id' | 'uploads'>, index: number): string | undefined {
  return uploadAt(campaign, index)?.slice;
}

/** The same, with the upload that it came in. */
export function uploadAt({ id, uploads }: Pick<CampaignRecord, 'id' | 'uploads'>, index: number) {
  let place = index;
  for (const upload of uploads) {
    if (place < upload.slices) return { slice: sliceId(id, upload.tag, place), upload };
    place -= upload.slices;
  }
  return undefined;
}

/**
 * How long an upload may take. What was staged of one whose process died is forgotten by Redis itself after this; the
 * commit keeps what it counts, and counts nothing of which a part is gone.
 */
export const STAGED_FOR_S = 86_400;

/** A row of an upload that will not be sent. */
export interface SkippedRow {
  readonly row: number;
  /** As it was written, cut short. */
  readonly to: string;
  readonly reason: string;
  /** Its other columns, packed; '' where nothing is in them. */
  readonly own: string;
}

interface UploadTotals {
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

interface CampaignsOptions {
  /** Gives the time instead of Redis, for tests that turn the clock by hand. */
  readonly now?: () => number;
  /** What the settings of this process ask of the limits. Absent: nothing; what holds in Redis holds. */
  readonly limits?: Opinions;
  /** Absent: nothing is traced. */
  readonly traces?: Pick<Traces, 'mark'> | undefined;
}

export class Campaigns {
  readonly #redis: Redis;
  readonly #now: () => number | undefined;
  readonly #asked: Readonly<Record<string, string>>;
  readonly #traces: CampaignsOptions['traces'];

  constructor(redis: Redis, { now, limits = {}, traces }: CampaignsOptions = {}) {
    this.#redis = redis;
    this.#traces = traces;
    this.#now = () => now?.();
    this.#asked = wordsOf('campaigns', limits);
  }

  /** Before anything of it is written: one that never ends is told for as long as something of it stays. */
  async beginUpload(campaign: string, tag: string): Promise<void> {
    const at = await timeOf(this.#redis);
    const noting = this.#redis.multi().zremrangebyscore(keys.stagedUploads, '-inf', at - STAGED_FOR_S * 1_000);
    await answersOf(noting.zadd(keys.stagedUploads, at, uploadId(campaign, tag)), ignored);
  }

  async stageSkipped(campaign: string, tag: string, rows: readonly SkippedRow[]): Promise<void> {
    if (rows.length === 0) return;
    const packed = rows.map(({ row, to, reason, own }) =>
      JSON.stringify(own === '' ? [row, to, reason] : [row, to, reason, own]),
    );
    await this.#stage(keys.skipped(campaign, tag), packed);
  }

  /** What the file had beside number and values, a line for each recipient of a slice; nothing where all are blank. */
  async stageOwn(slice: string, lines: readonly string[]): Promise<void> {
    if (lines.some((line) => line !== '')) await this.#stage(keys.own(slice), lines);
  }

  /** In one step: nothing of it may stay for ever where the process dies in between. */
  async #stage(list: string, lines: readonly string[]): Promise<void> {
    const writing = this.#redis.multi().rpush(list, ...lines);
    await answersOf(writing.expire(list, STAGED_FOR_S), ignored);
  }

  async own(slice: string): Promise<readonly string[]> {
    return this.#redis.lrange(keys.own(slice), 0, -1);
  }

  /** Forgets what an upload that will not be committed has staged. */
  async discard(campaign: string, tag: string, slices: number): Promise<void> {
    const staged = Array.from({ length: slices }, (_, place) => sliceId(campaign, tag, place)).flatMap((id) => [
      keys.record(id),
      keys.own(id),
    ]);
    for (let from = 0; from < staged.length; from += 500) await this.#redis.unlink(...staged.slice(from, from + 500));
    await this.#redis.unlink(keys.skipped(campaign, tag));
    await this.#redis.zrem(keys.stagedUploads, uploadId(campaign, tag));
  }

  /**
   * From here on the upload counts. False: the campaign changed meanwhile, or a slice of the upload is not there any
   * more, and nothing of it counts.
   */
  async commit(
    campaign: CampaignRecord,
    names: Omit<UploadRecord, keyof UploadTotals>,
    { by = 'producer', act, ...totals }: UploadTotals & ByHand,
  ): Promise<boolean> {
    const { slices, recipients, skipped, segments } = totals;
    const upload: UploadRecord = { ...names, slices, recipients, skipped };
    const staged = Array.from({ length: slices }, (_, place) => sliceId(campaign.id, names.tag, place));
    const answer = await commitUpload(this.#redis, {
      campaign: keys.record(campaign.id),
      counts: keys.counts('campaign'),
      draft: keys.state('campaign', 'draft'),
      ready: keys.state('campaign', 'ready'),
      sliceCounts: keys.counts('slice'),
      begun: keys.stagedUploads,
      leftOut: keys.skipped(campaign.id, names.tag),
      staged: staged.map(keys.record),
      own: staged.map(keys.own),
      ...told(act),
      upload: uploadId(campaign.id, names.tag),
      rev: campaign.rev,
      before: JSON.stringify(campaign.uploads),
      after: JSON.stringify([...campaign.uploads, upload]),
      by,
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
    { reason, only, asRead, againInMs, by, approves, act, inRecovery }: SwitchDetails = {},
  ): Promise<
    | { readonly is: 'applied'; readonly rev: number; readonly to: StateOf<'campaign'> }
    | { readonly is: 'refused'; readonly state: string }
    /** Nobody approves what had their hand in it. */
    | { readonly is: 'own' }
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
      awaiting: keys.state('campaign', 'awaiting_approval'),
      limits: keys.limits,
      history: keys.historyWaiting,
      heartbeat: keys.heartbeat,
      left: from.map((state) => keys.state('campaign', state)),
      ...told(act),
      now: this.#now(),
      id,
      from,
      to,
      eventType: 'event' in rest ? rest.event : undefined,
      reason,
      only,
      asRead,
      againInMs,
      by,
      approves,
      ...numbersLost(inRecovery),
      // The trace of the last to ask is followed; what a campaign does by itself belongs to it.
      trace: act && this.#traces?.mark(),
      asked: this.#asked,
    });
    if (answer.is !== 'applied') return answer;
    const instead = (['scheduled', 'awaiting_approval'] as const).find((state) => state === answer.to);
    return { is: 'applied', rev: answer.rev, to: instead ?? to };
  }

  /** Changes how it is sent, while it is being sent; '' takes a field away. */
  async amend(
    id: string,
    fields: Readonly<Record<string, string | number>>,
    { by = 'producer', act }: ByHand = {},
  ): Promise<AmendCampaignAnswer> {
    const [campaign, due, over] = [keys.record(id), keys.due('campaign'), ['finished', 'cancelled']];
    return amendCampaign(this.#redis, { campaign, due, ...told(act), now: this.#now(), id, over, fields, by });
  }

  /** The time that decides, and how many campaigns share the workers. */
  async circumstances(): Promise<{ readonly at: number; readonly running: number }> {
    const [at, running] = await Promise.all([
      this.#now() ?? timeOf(this.#redis),
      this.#redis.zcard(keys.state('campaign', 'running')),
    ]);
    return { at, running: Math.max(1, running) };
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
  async rest({ id, rev }: CampaignRecord, dueAt?: number): Promise<void> {
    await restCampaign(this.#redis, { campaign: keys.record(id), due: keys.due('campaign'), id, rev, dueAt });
  }

  async skippedRows(campaign: string, tag: string, from: number, limit: number): Promise<SkippedRow[]> {
    const rows = await this.#redis.lrange(keys.skipped(campaign, tag), from, from + limit - 1);
    return rows.map((row) => {
      const [number, to, reason, own = ''] = JSON.parse(row) as [number, string, string, string?];
      return { row: number, to, reason, own };
    });
  }
}

export interface SwitchDetails {
  /** Why it is held, or was given up. */
  readonly reason?: CampaignHold | 'restored';
  /** Only if it is held for this reason. */
  readonly only?: CampaignHold;
  /** Only in this revision: where somebody has changed it since, what was read of it is no cause. */
  readonly asRead?: number;
  /** When to look whether the condition has cleared, ms from now; absent: somebody must say so. */
  readonly againInMs?: number;
  /** Whose hand it is; absent: that of time, or of a condition that has cleared. */
  readonly by?: string;
  /** The revision that is approved, exactly as it was read. */
  readonly approves?: number;
  /**
   * When the recovery began (ms since the epoch): only while it is under way, and told beyond what was told in the lost
   * time.
   */
  readonly inRecovery?: number;
  readonly act?: Act | undefined;
}

/** Whose hand it is, and how it is told. */
interface ByHand {
  readonly by?: string | undefined;
  readonly act?: Act | undefined;
}

/** Those that made it, added to it, changed or started it. */
export function handsIn({ fields }: Pick<CampaignRecord, 'fields'>): string[] {
  return Object.keys(fields).flatMap((name) => (name.startsWith(HAND) ? [name.slice(HAND.length)] : []));
}

/** What is approved is exactly this: the text, who gets it, under which sender, and when. */
export function contentHashOf(campaign: CampaignRecord): string {
  const { id, account, text, from, country, replaceCostly, uploads, sendAt, quietHours, timezone } = campaign;
  const recipients = uploads.map(({ tag, hash: bytes, recipients: count, skipped }) => ({
    tag,
    bytes,
    count,
    skipped,
  }));
  const content = { id, account, text, from, country, replaceCostly, recipients, sendAt, quietHours, timezone };
  return hash('sha256', canonicalJson(content), 'hex');
}
