/**
 * Slices: the lease on one, the step that changes it together with the bins of its campaign or the messages that it
 * carries, and the second reading.
 */
import type { Redis } from 'ioredis';
import { type StateOf } from '../kinds/index.ts';
import type { RecipientState } from '../kinds/recipient.ts';
import type { Random } from '../lib/random.ts';
import {
  SLICE_CAMPAIGN_FIELDS,
  type SliceCampaign,
  campaignOfFields,
  type CampaignItem,
  packCountries,
  marksIn,
  slotOf,
  type Request,
  packItems,
  recipientStateOf,
  requestsIn,
  standingOf,
} from './slice-form.ts';
import { BOOKS, type Posts } from './book.ts';
import { STAGED_FOR_S } from './campaigns.ts';
import { wordsOf } from '../kinds/limits.ts';
import { type Guard, NO_MEMORY } from './heartbeat.ts';
import { answersOf, ignored } from '../redis/scripts.ts';
import { keys } from './keys.ts';
import type { OperationsOptions } from './operations.ts';
import { type Fields, RECORD_VERSION, UnreadableRecord } from './record.ts';
import { beginSlice, stepSlice } from './scripts/generated/scripts.ts';
import { type EventDraft, numbersLost } from './transition.ts';

/** `unknown`: nobody waits any more, and somebody is in doubt. */
export type SliceState = 'queued' | 'unknown' | 'settled';

export interface SliceRecord {
  readonly id: string;
  readonly account: string;
  /** '' where it carries single messages. */
  readonly campaign: string;
  readonly lane: Lane;
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
  /** The last step that was made of it. */
  readonly op: string | undefined;
  readonly tries: number;
  /**
   * When it was found in a copy of Redis that was put back, ms since the epoch; 0: it was not. Nobody in it is sent to
   * again.
   */
  readonly restoredAt: number;
  readonly evidence: Fields;
  readonly fields: Fields;
}

/** Throws an UnreadableRecord. */
export function readSlice(fields: Fields): SliceRecord {
  const { id = '', account, v } = fields;
  if (v !== RECORD_VERSION) throw new UnreadableRecord(id, account, `it is of version ${v ?? 'none'}`);
  try {
    return sliceIn(fields);
  } catch (error) {
    throw new UnreadableRecord(id, account, error instanceof Error ? error.message : String(error));
  }
}

function sliceIn(fields: Fields): SliceRecord {
  const text = (name: string): string => {
    const value = fields[name];
    if (value === undefined) throw new Error(`a slice without ${name}`);
    return value;
  };
  return {
    id: text('id'),
    account: text('account'),
    campaign: fields['campaign'] ?? '',
    lane: fields['lane'] === 'otp' ? 'otp' : 'normal',
    state: text('state') as SliceState,
    rev: Number(text('rev')),
    count: Number(text('count')),
    items: text('items'),
    rows: fields['rows'] ?? '',
    countries: fields['countries'] ?? '',
    requests: requestsIn(fields),
    next: Number(fields['n'] ?? 0),
    op: fields['op']?.split(' ')[0],
    tries: Number(fields['tries'] ?? 0),
    restoredAt: Number(fields['restored'] ?? 0),
    evidence: fields,
    fields,
  };
}

/** Where each recipient is, by position. */
export function statesOf({ count, requests }: SliceRecord): RecipientState[] {
  return standingOf(count, requests).letters.map((letter) => recipientStateOf[letter]);
}

/** One-time passwords have a lane of their own, which no campaign can hold up. */
export type Lane = 'otp' | 'normal';
/** In which queue an attempt at a slice is made: one of the first two sends, the other asks about recipients in doubt. */
export type SliceQueue = 'sms-batch' | 'sms-otp' | 'status-poll';

export const queueOfLane = { otp: 'sms-otp', normal: 'sms-batch' } as const satisfies Record<Lane, SliceQueue>;

export type SliceBegun =
  | {
      readonly is: 'acquired';
      readonly record: SliceRecord;
      readonly lease: string;
      /** The clock of Redis when the lease was given. */
      readonly at: number;
      readonly accountHeld: boolean;
      /** Absent where it carries single messages. */
      readonly campaign: SliceCampaign | undefined;
    }
  | { readonly is: 'none' | 'final' | 'elsewhere' | 'leased' | 'other version' };

/** What a step says of a single message that goes where its slice goes. */
export interface MessageChange {
  readonly id: string;
  readonly from: StateOf<'message'>;
  readonly to: StateOf<'message'>;
  /** The place of its request among those that leave, from 1 on; 0: it changes in any case. */
  readonly leavesWith: number;
  readonly code?: string | undefined;
  readonly event?: EventDraft | undefined;
  /** History has it so, from a time that Redis has lost: it was told then, as the event of this number. */
  readonly asInHistory?: { readonly sequence: number; readonly sentAt?: number | undefined } | undefined;
  /** What it said is forgotten. */
  readonly forgets: boolean;
}

/** The day and the month of a moment, on the clock of a zone: what texts cost is counted in both. */
export interface BudgetPeriod {
  readonly day: string;
  readonly month: string;
}

export interface Leaving {
  readonly becomes: string;
  /** How many it carries. */
  readonly carries: number;
  /** Hundredths of XOF. Absent: nobody has reckoned it, and under a budget it does not leave. */
  readonly cost?: number | undefined;
  /** When the first of its people must not get it any more, ms since the epoch. */
  readonly expiresAt?: number | undefined;
  /** Marks of its texts, joined; see slice-form.ts. */
  readonly opens?: string | undefined;
}

export interface SliceStep {
  /** How the record knows this very step again. The same word for every try at it. */
  readonly op: string;
  /** The step before it, as the attempt knows it: where it is lost, what this one builds on is. */
  readonly follows: string | undefined;
  readonly from: SliceState;
  readonly to: SliceState;
  /** Absent: the lease is let go. */
  readonly keepMs?: number | undefined;
  /** When it is due to send, and to be looked at, ms from now. Absent: not; `as it is`: nothing changes. */
  readonly sendInMs?: number | 'as it is' | undefined;
  readonly lookInMs?: number | 'as it is' | undefined;
  /** Requests that change, each as it was read and as it becomes. */
  readonly changed: readonly { readonly number: number; readonly read: string; readonly becomes: string }[];
  /** Requests that are written and do not leave: their recipients wait again, or are over without having been sent to. */
  readonly opened: readonly string[];
  /** Requests that are about to leave. */
  readonly leaving: readonly Leaving[];
  /** The number of the first that is opened or leaves. */
  readonly next: number;
  /** Fields of the campaign, and by how much they change. */
  readonly counts: Readonly<Record<string, number>>;
  /** The outcomes were counted before: a second attempt that came to nothing. */
  readonly recounted?: boolean;
  /** What becomes of its texts, in the book of the day. */
  readonly posts?: Posts;
  readonly set?: Readonly<Record<string, string | number>>;
  /** Senders whose lists of opt-outs nobody has looked into for those who are about to leave; '' is every sender. */
  readonly optOutsOf: readonly string[];
  /** An account that is held is tried all the same. */
  readonly tried: boolean;
  /** Only while a recovery is under way. */
  readonly inRecovery?: number | undefined;
  /** In which what leaves is counted. */
  readonly period: BudgetPeriod;
  /** Hundredths of XOF besides: of texts that may have left, or below 0, of what is known not to have. */
  readonly charged: number;
  readonly messages: readonly MessageChange[];
  /** The clock of Redis a moment ago: in which half day the marks of sent texts are kept. */
  readonly at: number;
  /** Marks of texts that are no longer open, and of those that are counted as sent from now on. */
  readonly closes: readonly string[];
  readonly sent: readonly string[];
}

/** Why no more of the requests leave. */
const whysNotMore = [
  '',
  'recovering',
  'cancelled',
  'parked',
  'held',
  'opt-outs',
  'expiring',
  'busy',
  'paced',
  'budget',
  'uncounted',
] as const;
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
      /** Where a budget is reached: what is left of it, in hundredths of XOF. */
      readonly spare: number;
      /** What leaves was counted, since there is a budget. */
      readonly counted: boolean;
      /** Marks of the texts that are open elsewhere. */
      readonly busy: readonly string[];
    }
  /** An earlier try had come through. */
  | { readonly is: 'mine'; readonly leave: number }
  | { readonly is: 'none' | 'recovered' }
  | { readonly is: 'not yours'; readonly state: string };

type SliceNames = Pick<SliceRecord, 'id' | 'account' | 'campaign' | 'lane'>;

/** What an attempt needs of the slices, from Redis or from a double of it. */
export interface SlicesContract {
  read(id: string): Promise<SliceRecord | undefined>;
  begin(id: string, queue: SliceQueue, leaseMs: number): Promise<SliceBegun>;
  step(record: SliceNames, lease: string, step: SliceStep): Promise<SliceStepped>;
  /** Whether the last step of this slice is this one, under this lease. */
  kept(id: string, lease: string, op: string): Promise<boolean>;
}

const LOOKED_AT: Readonly<Record<SliceQueue, readonly SliceState[]>> = {
  'sms-batch': ['queued'],
  'sms-otp': ['queued'],
  'status-poll': ['queued', 'unknown'],
};
const OVER: readonly SliceState[] = ['settled'];
type SlicesOptions = OperationsOptions & { readonly redis: Redis };

export class Slices implements SlicesContract {
  readonly #redis: Redis;
  readonly #random: Random;
  readonly #now: (() => number) | undefined;
  readonly #heartbeat: Guard;
  readonly #asked: Readonly<Record<string, string>>;

  constructor({ redis, random, now, limits = {}, heartbeat = NO_MEMORY }: SlicesOptions) {
    this.#asked = wordsOf('texts', limits);
    this.#redis = redis;
    this.#random = random;
    this.#now = now;
    this.#heartbeat = heartbeat;
  }

  /** Writes slices that nobody will hand out until the upload that they belong to is committed, which keeps them. */
  async stage(
    { id: campaign, account }: { readonly id: string; readonly account: string },
    slices: readonly { readonly id: string; readonly items: readonly CampaignItem[] }[],
  ): Promise<void> {
    const writing = this.#redis.multi();
    for (const { id, items } of slices) {
      const countries = packCountries(items.map(({ country = '' }) => country));
      const fixed = { id, kind: 'slice', v: RECORD_VERSION, state: 'queued', rev: 1, account, campaign };
      writing.hset(keys.record(id), { ...fixed, count: items.length, countries, ...packItems(items) });
      writing.expire(keys.record(id), STAGED_FOR_S);
    }
    await answersOf(writing, ignored);
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
      campaign: campaign === '' ? undefined : keys.record(campaign),
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
      campaign: campaign === '' ? undefined : campaignOfFields(campaign, values),
    };
  }

  async step(record: SliceNames, lease: string, step: SliceStep): Promise<SliceStepped> {
    const { id, account } = record;
    const { from, to, sendInMs, lookInMs, optOutsOf, counts, set = {} } = step;
    const lists = optOutsOf.map((sender) => keys.optOuts(account, sender));
    // A list may call a sender of these in other letters, so where there is any list somebody has to look.
    if (lists.length > 0) lists.push(keys.optOutsForgotten(account), keys.optOutLists);
    const stepped = await stepSlice(this.#redis, {
      ...keysOf(record, step.at),
      slice: keys.record(id),
      left: keys.state('slice', from),
      entered: to === 'settled' ? undefined : keys.state('slice', to),
      optOuts: lists,
      limits: keys.limits,
      history: keys.historyWaiting,
      textsCost: keys.textsCost(account, step.period.month),
      day: step.period.day,
      charged: step.charged,
      asked: this.#asked,
      now: this.#now?.(),
      id,
      lease,
      op: step.op,
      follows: step.follows,
      from,
      to,
      keepLeaseMs: step.keepMs,
      sendInMs: sendInMs === 'as it is' ? undefined : sendInMs,
      sendAsItIs: sendInMs === 'as it is',
      lookInMs: lookInMs === 'as it is' ? undefined : lookInMs,
      lookAsItIs: lookInMs === 'as it is',
      tried: step.tried,
      ...numbersLost(step.inRecovery),
      recounted: step.recounted ?? false,
      next: step.next,
      memory: this.#heartbeat.remembered(),
      changed: step.changed,
      opened: step.opened,
      leaving: step.leaving,
      fields: set,
      posts: Object.fromEntries(Object.entries(step.posts ?? {}).filter(([, delta]) => delta !== 0)),
      deltas: Object.fromEntries(Object.entries(counts).filter(([, delta]) => delta !== 0)),
      closes: step.closes.join(''),
      sent: step.sent.join(''),
      messages: step.messages.map(askedOf),
      lists: listsOf(account, step.messages),
    });
    if (stepped.is === 'applied' && stepped.why === 'recovering') this.#heartbeat.refused();
    if (stepped.is !== 'applied') return stepped;
    return { ...stepped, why: whyOf(stepped.why), busy: marksIn(stepped.busy ?? '') };
  }

  async kept(id: string, lease: string, op: string): Promise<boolean> {
    const [heldBy, last] = await this.#redis.hmget(keys.record(id), 'lease', 'op');
    return heldBy === lease && last?.startsWith(`${op} `) === true;
  }
}

const NAME = /^.+\.[0-9a-f]+-\d+$/;

/** The names of slices of single messages begin with it, and an underscore. */
export const SLICE_PREFIX = 'slc';

/** Slices of a campaign are named after it, their upload and their place in it. */
export function isSlice(id: string): boolean {
  return id.startsWith(`${SLICE_PREFIX}_`) || NAME.test(id);
}

/**
 * What hands out a slice wakes a worker at once; the due index looks after this if that was lost with its process. A
 * slice that only waits for its turn is woken twice then, which costs one look.
 */
export const SLICE_WAKE_GRACE_MS = 2_000;

/** '' where it carries single messages. */
export function campaignOfSlice(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf('.')));
}

function askedOf({ id, from, to, leavesWith, code, event, asInHistory: was, forgets }: MessageChange) {
  const told = event && { eventType: event.type, eventData: JSON.stringify(event.data) };
  const then = was && { toldAs: was.sequence, sentAt: was.sentAt };
  return { record: keys.record(id), leavesWith, left: from, entered: to, code, forgets, ...told, ...then };
}

/** Where the messages stand in lists, and will. */
function listsOf(account: string, messages: readonly MessageChange[]) {
  const states = new Set(messages.flatMap(({ from, to }) => [from, to]));
  return [...states].map((state) => ({ set: keys.listed('message', account, state), state }));
}

function keysOf({ account, campaign, lane }: SliceNames, at: number) {
  return {
    campaign: campaign === '' ? undefined : keys.record(campaign),
    dueToSend: keys.due(queueOfLane[lane]),
    messageCounts: keys.counts('message'),
    openTexts: keys.openTexts(account),
    sentTexts: keys.sentTexts(account, slotOf(at)),
    dueToLook: keys.due('status-poll'),
    counts: keys.counts('slice'),
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
    ...BOOKS,
  };
}

function whyOf(said: string): WhyNotMore {
  const known = whysNotMore.find((why) => why === said);
  if (known === undefined) throw new Error(`a step stopped for "${said}"`);
  return known;
}
