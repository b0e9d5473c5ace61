/** Chunks of recipients: the one step that changes a chunk, its campaign's bins and its messages together. */
import type { Redis } from 'ioredis';
import type { Random } from '../lib/random.ts';
import { keys } from './keys.ts';
import type { MessageState } from './lifecycle.ts';
import type { OperationsOptions } from './operations.ts';
import type { CampaignBin, ChunkRecord } from './record.ts';
import { chunkScript } from './scripts/chunk.ts';
import { runScript } from './scripts/script.ts';
import { type Change, type EventDraft, type Settled, readSettled, settleWords } from './settle.ts';

export interface MessageChange {
  readonly id: string;
  readonly from: MessageState;
  readonly to: MessageState;
  readonly code?: string | undefined;
  readonly event?: EventDraft | undefined;
}

export interface ChunkChange extends Change<'chunk'> {
  /** Only while the campaign runs: asked in the same step, right before recipients are sent. */
  readonly gated?: boolean;
  readonly bins?: Readonly<Partial<Record<CampaignBin, number>>>;
  readonly messages?: readonly MessageChange[];
}

export type ChunkSettled = Settled | { readonly is: 'parked' | 'cancelled' };

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
    const { messages = [], bins = {} } = change;
    const pairs = Object.entries(bins).filter(([, delta]) => delta !== 0);
    const answer = await runScript(
      this.#redis,
      chunkScript,
      [...words.keys, ...campaignKeys(record.campaign), ...messages.map(({ id }) => keys.record(id))],
      [
        ...words.args,
        change.gated ? 1 : 0,
        record.campaign ? 1 : 0,
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
    const [is] = answer as [string];
    if (is === 'parked' || is === 'cancelled') return { is };
    return readSettled(answer, words.op, record.rev);
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
