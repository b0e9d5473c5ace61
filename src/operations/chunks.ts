/** Chunks of recipients: the one step that changes a chunk, its campaign's bins and its messages together. */
import type { Redis } from 'ioredis';
import { type ChunkRecord, fieldsOf, readRecord, RECORD_VERSION } from './record.ts';
import { statesInQueue } from '../kinds/states.ts';
import type { StateOf } from '../kinds/index.ts';
import type { QueueName } from '../kinds/due-queues.ts';
import type { Random } from '../lib/random.ts';
import { readChunkId } from './campaigns.ts';
import { CAMPAIGN_FIELDS, type CampaignOfChunk, campaignOfChunk } from './chunk-campaign.ts';
import { type Guard, NO_MEMORY, wordsOf } from './heartbeat.ts';
import { keys } from './keys.ts';
import type { Acquired, OperationsOptions } from './operations.ts';
import { beginChunkScript } from './scripts/begin-chunk.ts';
import { chunkScript } from './scripts/chunk.ts';
import { type Answered, type Ask, together } from './scripts/together.ts';
import { type Change, type EventDraft, type Step, type TransitionResult, stepOf } from './transition.ts';
import { slotOf } from './text-marks.ts';

export interface MessageChange {
  readonly id: string;
  readonly from: StateOf<'message'>;
  readonly to: StateOf<'message'>;
  readonly code?: string | undefined;
  readonly event?: EventDraft | undefined;
}

export interface ChunkChange extends Change<'chunk'> {
  /**
   * `to send`: only while the campaign runs, nobody has expired or may have opted out, and no same text is open: asked
   * in the same step, right before recipients are sent to. `not cancelled`: unless nobody will ever be sent to again. `in a recovery`: while
   * one is under way, and as it was read.
   */
  readonly only?: 'to send' | 'not cancelled' | 'in a recovery' | undefined;
  /** The clock of Redis a moment ago: which half day the texts that were sent are kept in. */
  readonly at?: number | undefined;
  /** When the first of those who are sent to expires, ms since the epoch. */
  readonly expiresAt?: number | undefined;
  /** Senders whose lists of opt-outs nobody has looked into for these recipients; '' is every sender. */
  readonly optOutsOf?: readonly string[] | undefined;
  /** Fields of the campaign, and by how much they change. */
  readonly counts?: Readonly<Record<string, number>>;
  /** Marks of texts; see text-marks.ts. */
  readonly opened?: readonly string[];
  readonly closed?: readonly string[];
  readonly sent?: readonly string[];
  readonly messages?: readonly MessageChange[];
}

/** ms since the epoch. */
interface Period {
  readonly from: number;
  readonly to: number;
}

export type ChunkSettled =
  | TransitionResult
  | { readonly is: 'parked' | 'cancelled' }
  /** There are opt-outs, so somebody may be in them. */
  | { readonly is: 'opt-outs' }
  /** The campaign is ahead of its pace. */
  | { readonly is: 'paced'; readonly waitMs: number }
  /** Somebody has expired by now. */
  | { readonly is: 'expiring'; readonly at: number }
  /** Places in `opened` of the texts that are open elsewhere. */
  | { readonly is: 'busy'; readonly places: readonly number[] };

type Begun =
  | (Extract<Acquired<'chunk'>, { is: 'acquired' }> & {
      /** Its account is held, for messages or for something else. */
      readonly accountHeld: boolean;
      /** Absent for single messages. */
      readonly campaign: CampaignOfChunk | undefined;
    })
  | Exclude<Acquired<'chunk'>, { is: 'acquired' }>
  /** Somebody else has tried it; it was not handed out. */
  | { readonly is: 'tried' | 'not out' };

interface Beginning {
  readonly queue: QueueName;
  readonly leaseMs: number;
  /** Only a chunk that was handed out and that nobody has tried: no wake-up said that its turn has come. */
  readonly untriedOnly: boolean;
}

/** A chunk in any of these is over. */
const OVER = ',settled,';

const GATES = { 'to send': 1, 'not cancelled': 2, 'in a recovery': 3 } as const;

export class Chunks {
  readonly #redis: Redis;
  readonly #random: Random;
  readonly #now: () => string;
  readonly #begin: (ask: Ask) => Promise<Answered>;
  readonly #settle: (ask: Ask) => Promise<Answered>;
  readonly #withOptOuts = new Set<string>();
  readonly #heartbeat: Guard;

  constructor({ redis, random, now, heartbeat = NO_MEMORY }: OperationsOptions) {
    this.#redis = redis;
    this.#heartbeat = heartbeat;
    this.#random = random;
    this.#now = () => (now ? String(now()) : '');
    this.#begin = together(redis, beginChunkScript);
    this.#settle = together(redis, chunkScript, () => wordsOf(heartbeat.remembered()));
  }

  /** The chunk for an attempt at sending it, with all that may stand in its way, or why it is not to be had. */
  async begin(id: string, { queue, leaseMs, untriedOnly }: Beginning): Promise<Begun> {
    const lease = this.#random.hex(16);
    const campaign = readChunkId(id)?.campaign;
    const states = `,${statesInQueue('chunk', queue).join(',')},`;
    const fields = campaign === undefined ? [] : CAMPAIGN_FIELDS;
    const answered = await this.#begin({
      shared: {
        keys: [keys.due(queue), keys.heldAccounts, keys.record(campaign ?? 'none')],
        words: [this.#now(), leaseMs, states, OVER, RECORD_VERSION, ...fields],
      },
      key: keys.record(id),
      words: [id, lease, untriedOnly ? 1 : 0],
    });
    const [values, [is, at, chunk, held]] = answered as readonly [
      readonly (string | null)[],
      readonly [Begun['is'], number, readonly string[], number],
    ];
    if (is !== 'acquired') return { is };
    return {
      is,
      record: readRecord('chunk', fieldsOf(chunk)),
      lease,
      at,
      accountHeld: held === 1,
      campaign: campaign === undefined ? undefined : campaignOfChunk(campaign, values),
    };
  }

  async settle(record: ChunkRecord, lease: string, change: ChunkChange): Promise<ChunkSettled> {
    const op = this.#random.hex(8);
    const [, answer] = await this.#settle(
      askToSettle(record, change, stepOf(record, lease, change, op), this.#now()),
    );
    const [is, ...rest] = answer as [string, ...number[]];
    if (is === 'opt-outs') this.#withOptOuts.add(record.account);
    if (is === 'recovering') this.#heartbeat.refused();
    if (is === 'parked' || is === 'cancelled' || is === 'opt-outs') return { is };
    if (is === 'paced') return { is, waitMs: rest[0] ?? 0 };
    if (is === 'expiring') return { is, at: rest[0] ?? 0 };
    if (is === 'busy') return { is, places: rest };
    return readSettled(answer, op, record.rev);
  }

  /** Those of them that were handed out and are not over. */
  async handedOut(queue: QueueName, ids: readonly string[]): Promise<string[]> {
    const due = await this.#redis.zmscore(keys.due(queue), ...ids);
    return ids.filter((_, index) => due[index] !== null);
  }

  /**
   * Whether opt-outs of the account have been met, so that it is as well to look into them ahead. A "no" proves nothing:
   * the step that writes the intent asks again.
   */
  mayHaveOptOuts(account: string): boolean {
    return this.#withOptOuts.has(account);
  }

  /** Which of these marks were counted as sent between two times (ms), by position. */
  async countedAsSent(account: string, { from, to }: Period, marks: readonly string[]): Promise<boolean[]> {
    if (marks.length === 0) return [];
    const slots = Array.from({ length: slotOf(to) - slotOf(from) + 1 }, (_, index) => slotOf(from) + index);
    const known = await Promise.all(
      slots.map((slot) => this.#redis.smismember(keys.sentTexts(account, slot), ...marks)),
    );
    return marks.map((_, index) => known.some((answers) => answers[index] === 1));
  }
}

/** The step, and what a chunk has besides, as the chunk script takes them. */
function askToSettle({ account, campaign, rev }: ChunkRecord, change: ChunkChange, step: Step, now: string): Ask {
  const { messages = [], counts = {}, opened = [], closed = [], sent = [], at = 0, optOutsOf = [] } = change;
  const lists = optOutsOf.map((sender) => keys.optOuts(account, sender));
  if (lists.length > 0) lists.push(keys.optOutsForgotten(account));
  const deltas = Object.entries(counts).flatMap((count) => (count[1] === 0 ? [] : count));
  const { id, lease = '', op, from, to, dueInMs = '', keepLeaseMs = '', evidence = '', nudgeAfterMs } = step.change;
  const { record, events, counts: ofKind, left, entered, dueLeft, dueEntered } = step.keys;
  const fields = Object.entries(step.fields).flat();
  const changed = [now, from, to, dueInMs, keepLeaseMs, evidence, nudgeAfterMs, entered ? 1 : 0];
  const gate = change.only ? GATES[change.only] : 0;
  return {
    shared: {
      keys: [
        events,
        ofKind,
        left,
        entered ?? left,
        dueLeft,
        dueEntered,
        ...campaignKeys(campaign),
        keys.openTexts(account),
        keys.sentTexts(account, slotOf(at)),
        ...lists,
        keys.heartbeat,
      ],
      words: [...changed, gate, campaign ? 1 : 0, lists.length],
    },
    key: record,
    words: [
      id,
      lease,
      op,
      change.only === 'in a recovery' ? rev : (change.expiresAt ?? ''),
      opened.join(''),
      closed.join(''),
      isSame(sent, closed) ? '=' : sent.join(''),
      fields.length,
      ...fields,
      deltas.length,
      ...deltas,
      ...messages.flatMap(wordsOfMessage),
    ],
    ...(messages.length > 0 ? { moreKeys: messages.map((message) => keys.record(message.id)) } : {}),
  };
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one, index) => one === others[index]);
}

function wordsOfMessage({ from, to, code, event }: MessageChange): string[] {
  return [from, to, code ?? '', event?.type ?? '', event ? JSON.stringify(event.data) : ''];
}

function campaignKeys(campaign: string): string[] {
  return [
    keys.record(campaign || 'none'),
    keys.parked(campaign || 'none'),
    keys.counts('message'),
    keys.counts('campaign'),
    keys.due('campaign'),
    keys.state('campaign', 'running'),
    keys.state('campaign', 'paused'),
    keys.state('campaign', 'held'),
    keys.counts('outcome'),
  ];
}

function readSettled(answer: unknown, op: string, rev: number): TransitionResult {
  const [is, state, newRev, at, counter] = answer as [TransitionResult['is'], string?, number?, number?, number?];
  if (is === 'none' || is === 'held' || is === 'recovering' || is === 'recovered') return { is };
  if (is === 'claimed') return { is, by: state ?? '' };
  if (is === 'not yours') return { is, state: state ?? '' };
  return { is, op, rev: newRev ?? rev + 1, at: at ?? 0, ...(counter === undefined ? {} : { counter }) };
}
