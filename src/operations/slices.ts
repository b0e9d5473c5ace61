/** Slices of campaigns: the lease on one, the step that changes it with the bins of its campaign, and the second reading. */
import type { Redis } from 'ioredis';
import type { RecipientState } from '../kinds/recipient.ts';
import type { Random } from '../lib/random.ts';
import { CAMPAIGN_FIELDS, type CampaignOfChunk, campaignOfChunk } from './chunk-campaign.ts';
import { type CampaignItem, RECIPIENTS_PER_CHUNK, packCountries } from './chunk-items.ts';
import { type Guard, NO_MEMORY } from './heartbeat.ts';
import { keys } from './keys.ts';
import type { OperationsOptions } from './operations.ts';
import { type Fields, RECORD_VERSION } from './record.ts';
import { beginSlice, stepSlice } from './scripts/generated/scripts.ts';
import { type Request, packItems, recipientStateOf, requestsIn, standingOf } from './slice-form.ts';

/** `unknown`: nobody waits any more, and somebody is in doubt. */
export type SliceState = 'queued' | 'unknown' | 'settled';

export interface SliceCampaign extends CampaignOfChunk {
  /** What becomes of recipients that two looks did not find; absent: as the settings say. */
  readonly onUnknown?: 'hold' | 'resend';
}

/** Of its campaign, in the order in which they are asked for, and read. */
export const SLICE_CAMPAIGN_FIELDS = [...CAMPAIGN_FIELDS, 'onUnknown'] as const;

export function campaignOfFields(id: string, values: readonly (string | null)[]): SliceCampaign {
  const onUnknown = values[CAMPAIGN_FIELDS.length];
  const campaign = campaignOfChunk(id, values);
  return onUnknown === 'hold' || onUnknown === 'resend' ? { ...campaign, onUnknown } : campaign;
}

export interface SliceRecord {
  readonly id: string;
  readonly account: string;
  readonly campaign: string;
  readonly state: SliceState;
  readonly rev: number;
  readonly count: number;
  /** Packed; see slice-form.ts. */
  readonly items: string;
  readonly rows: string;
  /** Countries of the recipients, packed; '' where nobody knows. */
  readonly countries: string;
  readonly requests: readonly Request[];
  /** The number of the next request: none is used twice. */
  readonly next: number;
  readonly tries: number;
  /** It stood in a copy of Redis that was put back: nobody in it is sent to again. */
  readonly restored: boolean;
  readonly fields: Fields;
}

export function readSlice(fields: Fields): SliceRecord {
  const text = (name: string): string => {
    const value = fields[name];
    if (value === undefined) throw new Error(`a slice without ${name}`);
    return value;
  };
  return {
    id: text('id'),
    account: text('account'),
    campaign: text('campaign'),
    state: text('state') as SliceState,
    rev: Number(text('rev')),
    count: Number(text('count')),
    items: text('items'),
    rows: text('rows'),
    countries: fields['countries'] ?? '',
    requests: requestsIn(fields),
    next: Number(fields['n'] ?? 0),
    tries: Number(fields['tries'] ?? 0),
    restored: fields['restored'] === '1',
    fields,
  };
}

/** Where each recipient is, by position. */
export function statesOf({ count, requests }: SliceRecord): RecipientState[] {
  return standingOf(count, requests).letters.map((letter) => recipientStateOf[letter]);
}

/** In which queue an attempt at a slice is made: one sends, the other asks about recipients in doubt. */
export type SliceQueue = 'sms-batch' | 'status-poll';

export type SliceBegun =
  | {
      readonly is: 'acquired';
      readonly record: SliceRecord;
      readonly lease: string;
      /** The clock of Redis when the lease was given. */
      readonly at: number;
      readonly accountHeld: boolean;
      readonly campaign: SliceCampaign;
    }
  | { readonly is: 'none' | 'final' | 'elsewhere' | 'leased' | 'other version' };

export interface SliceStep {
  /** How the record knows this very step again. The same word for every try at it. */
  readonly op: string;
  readonly from: SliceState;
  readonly to: SliceState;
  /** Absent: the lease is let go. */
  readonly keepMs?: number | undefined;
  /** When it is due to send, and to be looked at, ms from now. Absent: not; `as it is`: nothing changes. */
  readonly sendInMs?: number | 'as it is' | undefined;
  readonly lookInMs?: number | 'as it is' | undefined;
  /** Requests that change, each as it was read and as it becomes. */
  readonly changed: readonly { readonly number: number; readonly read: string; readonly becomes: string }[];
  /** Requests that are written and do not leave: who waits again, or is over without having been sent to. */
  readonly opened: readonly string[];
  /** Requests that are about to leave, and how many each carries. */
  readonly leaving: readonly { readonly becomes: string; readonly carries: number }[];
  /** The number of the first that is opened or leaves. */
  readonly next: number;
  /** Fields of the campaign, and by how much they change. */
  readonly counts: Readonly<Record<string, number>>;
  /** What is counted was counted before: a second attempt that came to nothing. */
  readonly recounted?: boolean;
  readonly set?: Readonly<Record<string, string | number>>;
  /** Senders whose lists of opt-outs nobody has looked into for those who are about to leave; '' is every sender. */
  readonly optOutsOf: readonly string[];
  /** An account that is held is tried all the same. */
  readonly tried: boolean;
}

/** Why no more of the requests leave. */
const whysNotMore = ['', 'recovering', 'cancelled', 'parked', 'held', 'opt-outs', 'paced'] as const;
export type WhyNotMore = (typeof whysNotMore)[number];

export type SliceStepped =
  | {
      readonly is: 'applied';
      /** How many of the requests leave, from the first one on. */
      readonly leave: number;
      readonly why: WhyNotMore;
      /** Where it is ahead of its pace: for how long, ms. */
      readonly waitMs: number;
      readonly rev: number;
      /** Of effects; 0 where none leaves. */
      readonly counter: number;
    }
  /** An earlier try had come through. */
  | { readonly is: 'mine'; readonly leave: number }
  | { readonly is: 'none' }
  | { readonly is: 'not yours'; readonly state: string };

/** What an attempt needs of the slices, from Redis or from a double of it. */
export interface SlicesContract {
  read(id: string): Promise<SliceRecord | undefined>;
  begin(id: string, queue: SliceQueue, leaseMs: number): Promise<SliceBegun>;
  step(
    record: Pick<SliceRecord, 'id' | 'account' | 'campaign'>,
    lease: string,
    step: SliceStep,
  ): Promise<SliceStepped>;
  /** Whether the last step of this slice is this one, under this lease. */
  kept(id: string, lease: string, op: string): Promise<boolean>;
}

const LOOKED_AT: Readonly<Record<SliceQueue, readonly SliceState[]>> = {
  'sms-batch': ['queued'],
  'status-poll': ['queued', 'unknown'],
};
const OVER: readonly SliceState[] = ['settled'];

export class Slices implements SlicesContract {
  readonly #redis: Redis;
  readonly #random: Random;
  readonly #now: (() => number) | undefined;
  readonly #heartbeat: Guard;

  constructor({ redis, random, now, heartbeat = NO_MEMORY }: OperationsOptions) {
    this.#redis = redis;
    this.#random = random;
    this.#now = now;
    this.#heartbeat = heartbeat;
  }

  /** Writes slices that nobody will hand out until the upload that they belong to is committed. */
  async stage(
    { id: campaign, account }: { readonly id: string; readonly account: string },
    slices: readonly { readonly id: string; readonly items: readonly CampaignItem[] }[],
  ): Promise<void> {
    const pipeline = this.#redis.pipeline();
    for (const { id, items } of slices) {
      const countries = items.map(({ country = '' }) => country);
      const packed = packItems(items);
      const fixed = { id, kind: 'slice', v: RECORD_VERSION, state: 'queued', rev: 1, account, campaign };
      pipeline.hset(keys.record(id), {
        ...fixed,
        count: items.length,
        countries: packCountries(countries),
        ...packed,
      });
    }
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  }

  async read(id: string): Promise<SliceRecord | undefined> {
    const fields: Fields = await this.#redis.hgetall(keys.record(id));
    return fields['kind'] === 'slice' ? readSlice(fields) : undefined;
  }

  async begin(id: string, queue: SliceQueue, leaseMs: number): Promise<SliceBegun> {
    const lease = this.#random.hex(16);
    const campaign = campaignOfSlice(id);
    const begun = await beginSlice(this.#redis, {
      slice: keys.record(id),
      due: keys.due(queue),
      heldAccounts: keys.heldAccounts,
      campaign: keys.record(campaign),
      now: this.#now?.(),
      id,
      lease,
      leaseMs,
      lookedAt: LOOKED_AT[queue],
      final: OVER,
      fields: SLICE_CAMPAIGN_FIELDS,
    });
    if (begun.is !== 'acquired') return { is: begun.is };
    const { fields, at, held } = begun;
    const values = begun.campaign.map((value) => (value === '' ? null : value));
    return {
      is: 'acquired',
      record: readSlice(fields),
      lease,
      at,
      accountHeld: held,
      campaign: campaignOfFields(campaign, values),
    };
  }

  async step(
    { id, account, campaign }: Pick<SliceRecord, 'id' | 'account' | 'campaign'>,
    lease: string,
    step: SliceStep,
  ): Promise<SliceStepped> {
    const { from, to, sendInMs, lookInMs, optOutsOf, counts, set = {} } = step;
    const lists = optOutsOf.map((sender) => keys.optOuts(account, sender));
    if (lists.length > 0) lists.push(keys.optOutsForgotten(account));
    const stepped = await stepSlice(this.#redis, {
      ...keysOf(campaign),
      slice: keys.record(id),
      left: keys.state('chunk', from),
      entered: to === 'settled' ? undefined : keys.state('chunk', to),
      optOuts: lists,
      now: this.#now?.(),
      id,
      lease,
      op: step.op,
      from,
      to,
      keepLeaseMs: step.keepMs,
      sendInMs: sendInMs === 'as it is' ? undefined : sendInMs,
      sendAsItIs: sendInMs === 'as it is',
      lookInMs: lookInMs === 'as it is' ? undefined : lookInMs,
      lookAsItIs: lookInMs === 'as it is',
      tried: step.tried,
      recounted: step.recounted ?? false,
      next: step.next,
      memory: this.#heartbeat.remembered(),
      changed: step.changed,
      opened: step.opened,
      leaving: step.leaving,
      fields: set,
      deltas: Object.fromEntries(Object.entries(counts).filter(([, delta]) => delta !== 0)),
    });
    if (stepped.is === 'applied' && stepped.why === 'recovering') this.#heartbeat.refused();
    return stepped.is === 'applied' ? { ...stepped, why: whyOf(stepped.why) } : stepped;
  }

  async kept(id: string, lease: string, op: string): Promise<boolean> {
    const [heldBy, last] = await this.#redis.hmget(keys.record(id), 'lease', 'op');
    return heldBy === lease && last?.startsWith(`${op} `) === true;
  }
}

/**
 * Whether an upload is kept in slices from here on. Off: retries, purges, recoveries and single messages still know
 * chunks only.
 */
export const IN_SLICES: boolean = false;

/** The tag of an upload that is kept in slices begins so, and no other does. */
export const SLICED = 's';

const NAME = new RegExp(`^.+\\.${SLICED}[0-9a-f]+-\\d+$`);

/** Slices are named after their campaign, their upload and their place in it. */
export function isSlice(id: string): boolean {
  return NAME.test(id);
}

/** Whether what it hands out are slices. */
export function isSliced({ uploads }: { readonly uploads: readonly { readonly tag: string }[] }): boolean {
  return uploads.some(({ tag }) => tag.startsWith(SLICED));
}

/** How many recipients a slice has, by its place: the canary alone, then small ones for many workers, then large ones. */
export function sizeOfSlice(place: number, canary: number): number {
  if (place === 0 && canary > 0) return Math.ceil(canary / RECIPIENTS_PER_CHUNK) * RECIPIENTS_PER_CHUNK;
  return place <= SMALL_SLICES ? SMALL : LARGE;
}

const SMALL_SLICES = 8;
const SMALL = 250;
const LARGE = 1_000;

export function campaignOfSlice(id: string): string {
  return id.slice(0, id.lastIndexOf('.'));
}

function keysOf(campaign: string) {
  return {
    campaign: keys.record(campaign),
    dueToSend: keys.due('sms-batch'),
    dueToLook: keys.due('status-poll'),
    counts: keys.counts('chunk'),
    parked: keys.parked(campaign),
    outcomes: keys.counts('outcome'),
    events: keys.events,
    campaignCounts: keys.counts('campaign'),
    dueCampaigns: keys.due('campaign'),
    running: keys.state('campaign', 'running'),
    paused: keys.state('campaign', 'paused'),
    held: keys.state('campaign', 'held'),
    heartbeat: keys.heartbeat,
    heldAccounts: keys.heldAccounts,
  };
}

function whyOf(said: string): WhyNotMore {
  const known = whysNotMore.find((why) => why === said);
  if (known === undefined) throw new Error(`a step stopped for "${said}"`);
  return known;
}
