/** Chunks of recipients: the one step that changes a chunk, its campaign's bins and its messages together. */
import type { Redis } from 'ioredis';
import type { Random } from '../lib/random.ts';
import { keys } from './keys.ts';
import type { MessageState } from './lifecycle.ts';
import type { OperationsOptions } from './operations.ts';
import type { ChunkRecord } from './text-records.ts';
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
   * `to send`: only while the campaign runs, nobody has expired and no same text is open: asked in the same step, right
   * before recipients are sent to. `not cancelled`: unless nobody will ever be sent to again.
   */
  readonly only?: 'to send' | 'not cancelled' | undefined;
  /** The clock of Redis a moment ago: which half day the texts that were sent are kept in. */
  readonly at?: number | undefined;
  /** When the first of those who are sent to expires, ms since the epoch. */
  readonly expiresAt?: number | undefined;
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
  /** The campaign is ahead of its pace. */
  | { readonly is: 'paced'; readonly waitMs: number }
  /** Somebody has expired by now. */
  | { readonly is: 'expiring'; readonly at: number }
  /** Places in `opened` of the texts that are open elsewhere. */
  | { readonly is: 'busy'; readonly places: readonly number[] };

const GATES = { 'to send': 1, 'not cancelled': 2 } as const;

export class Chunks {
  readonly #redis: Redis;
  readonly #random: Random;
  readonly #now: () => string;

  constructor({ redis, random, now }: OperationsOptions) {
    this.#redis = redis;
    this.#random = random;
    this.#now = () => (now ? String(now()) : '');
  }

  async settle(record: ChunkRecord, lease: string, change: ChunkChange): Promise<ChunkSettled> {
    const words = settleWords(record, lease, change, { op: this.#random.hex(8), now: this.#now() });
    const { messages = [], counts = {}, opened = [], closed = [], sent = [], at = 0 } = change;
    const pairs = Object.entries(counts).filter(([, delta]) => delta !== 0);
    const texts = [keys.openTexts(record.account), keys.sentTexts(record.account, slotOf(at))];
    const answer = await runScript(
      this.#redis,
      chunkScript,
      [...words.keys, ...campaignKeys(record.campaign), ...texts, ...messages.map(({ id }) => keys.record(id))],
      [
        ...words.args,
        change.only ? GATES[change.only] : 0,
        record.campaign ? 1 : 0,
        change.expiresAt ?? '',
        opened.length,
        closed.length,
        sent.length,
        record.campaign ? 1 : 0,
        pairs.length * 2,
        ...pairs.flat(),
        ...opened,
        ...closed,
        ...sent,
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
    if (is === 'parked' || is === 'cancelled') return { is };
    if (is === 'paced') return { is, waitMs: rest[0] ?? 0 };
    if (is === 'expiring') return { is, at: rest[0] ?? 0 };
    if (is === 'busy') return { is, places: rest };
    return readSettled(answer, words.op, record.rev);
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
