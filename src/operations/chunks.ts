/** Chunks of recipients: the one step that changes a chunk, its campaign's bins and its messages together. */
import type { Redis } from 'ioredis';
import type { Random } from '../lib/random.ts';
import { readChunkId } from './campaigns.ts';
import { CAMPAIGN_FIELDS, type CampaignOfChunk, campaignOfChunk } from './chunk-campaign.ts';
import type { QueueName } from './due-queues.ts';
import { keys } from './keys.ts';
import { type MessageState, statesInQueue } from './lifecycle.ts';
import type { Acquired, OperationsOptions } from './operations.ts';
import { RECORD_VERSION, fieldsOf, readRecord } from './record.ts';
import type { ChunkRecord } from './text-records.ts';
import { beginChunkScript } from './scripts/begin-chunk.ts';
import { chunkScript } from './scripts/chunk.ts';
import { runScript } from './scripts/script.ts';
import { type Change, type EventDraft, type Settled, readSettled, settleWords } from './settle.ts';
import { slotOf } from './text-marks.ts';

export interface MessageChange {
  readonly id: string;
  readonly from: MessageState;
  readonly to: MessageState;
  readonly code?: string | undefined;
  readonly event?: EventDraft | undefined;
}

export interface ChunkChange extends Change<'chunk'> {
  /**
   * `to send`: only while the campaign runs, nobody has expired or may have opted out, and no same text is open: asked
   * in the same step, right before recipients are sent to. `not cancelled`: unless nobody will ever be sent to again.
   */
  readonly only?: 'to send' | 'not cancelled' | undefined;
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
  | Settled
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

const GATES = { 'to send': 1, 'not cancelled': 2 } as const;

export class Chunks {
  readonly #redis: Redis;
  readonly #random: Random;
  readonly #now: () => string;
  readonly #withOptOuts = new Set<string>();

  constructor({ redis, random, now }: OperationsOptions) {
    this.#redis = redis;
    this.#random = random;
    this.#now = () => (now ? String(now()) : '');
  }

  /** The chunk for an attempt at sending it, with all that may stand in its way, or why it is not to be had. */
  async begin(id: string, { queue, leaseMs, untriedOnly }: Beginning): Promise<Begun> {
    const lease = this.#random.hex(16);
    const campaign = readChunkId(id)?.campaign;
    const answer = (await runScript(
      this.#redis,
      beginChunkScript,
      [keys.record(id), keys.due(queue), keys.heldAccounts, keys.record(campaign ?? 'none')],
      [
        id,
        this.#now(),
        lease,
        leaseMs,
        `,${statesInQueue('chunk', queue).join(',')},`,
        OVER,
        RECORD_VERSION,
        untriedOnly ? 1 : 0,
        ...(campaign === undefined ? [] : CAMPAIGN_FIELDS),
      ],
    )) as readonly [Begun['is'], number, readonly string[], number, readonly (string | null)[]];
    const [is, at, chunk, held, fields] = answer;
    if (is !== 'acquired') return { is };
    const record = readRecord('chunk', fieldsOf(chunk));
    return {
      is,
      record,
      lease,
      at,
      accountHeld: held === 1,
      campaign: campaign === undefined ? undefined : campaignOfChunk(campaign, fields),
    };
  }

  async settle(record: ChunkRecord, lease: string, change: ChunkChange): Promise<ChunkSettled> {
    const words = settleWords(record, lease, change, { op: this.#random.hex(8), now: this.#now() });
    const { messages = [], counts = {}, opened = [], closed = [], sent = [], at = 0, optOutsOf = [] } = change;
    const pairs = Object.entries(counts).filter(([, delta]) => delta !== 0);
    const lists = optOutsOf.map((sender) => keys.optOuts(record.account, sender));
    if (lists.length > 0) lists.push(keys.optOutsForgotten(record.account));
    const texts = [keys.openTexts(record.account), keys.sentTexts(record.account, slotOf(at))];
    const answer = await runScript(
      this.#redis,
      chunkScript,
      [
        ...words.keys,
        ...campaignKeys(record.campaign),
        ...texts,
        ...lists,
        ...messages.map(({ id }) => keys.record(id)),
      ],
      [
        ...words.args,
        change.only ? GATES[change.only] : 0,
        record.campaign ? 1 : 0,
        change.expiresAt ?? '',
        opened.join(''),
        closed.join(''),
        sent.length === closed.length && sent.every((mark, index) => mark === closed[index]) ? '=' : sent.join(''),
        record.campaign ? 1 : 0,
        lists.length,
        pairs.length * 2,
        ...pairs.flat(),
        ...messages.flatMap(({ from, to, code, event }) => [
          from,
          to,
          code ?? '',
          event?.type ?? '',
          event ? JSON.stringify(event.data) : '',
        ]),
      ],
    );
    const [is, ...rest] = answer as [string, ...number[]];
    if (is === 'opt-outs') this.#withOptOuts.add(record.account);
    if (is === 'parked' || is === 'cancelled' || is === 'opt-outs') return { is };
    if (is === 'paced') return { is, waitMs: rest[0] ?? 0 };
    if (is === 'expiring') return { is, at: rest[0] ?? 0 };
    if (is === 'busy') return { is, places: rest };
    return readSettled(answer, words.op, record.rev);
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
