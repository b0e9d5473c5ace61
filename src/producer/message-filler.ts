/**
 * Collects single messages into chunks of up to 50, since upstream takes that many in one request. Each process fills
 * chunks of its own, one per account and lane; a message is durable in its chunk before it is answered.
 */
import type { Redis } from 'ioredis';
import { derivedId } from '../lib/ids.ts';
import type { Random } from '../lib/random.ts';
import { RECIPIENTS_PER_CHUNK, packMessageItem } from '../operations/chunk-items.ts';
import type { QueueName } from '../operations/due-queues.ts';
import { type NewMessage, acceptMessage, queueOfLane } from '../operations/messages.ts';
import type { Accepted } from '../operations/operations.ts';
import type { MessageRequest } from '../queues/requests.ts';

interface Options {
  readonly redis: Redis;
  readonly random: Random;
  readonly batchWindowMs: number;
  readonly after: (ms: number, run: () => void) => () => void;
  readonly wake: (queue: QueueName, id: string, rev: string | number) => void;
}

interface FillingChunk {
  readonly id: string;
  readonly queue: QueueName;
  readonly numbers: Set<string>;
  readonly cancelTimer: () => void;
  /** Messages on their way into it, and whether one has arrived. */
  pending: number;
  filled: boolean;
  closed: boolean;
}

type Names = Pick<NewMessage, 'id' | 'fingerprint' | 'reference' | 'idOfReference'>;

/** If this process dies before it wakes the chunk, the due index does. */
const WAKE_GRACE_MS = 2_000;

export class MessageFiller {
  readonly #options: Options;
  readonly #filling = new Map<string, FillingChunk>();

  constructor(options: Options) {
    this.#options = options;
  }

  async accept(request: MessageRequest, names: Names): Promise<Accepted> {
    const { account, lane, to, text, from, expiresAt } = request;
    const expiresAtMs = expiresAt === undefined ? 0 : Date.parse(expiresAt);
    const message: NewMessage = {
      ...names,
      account,
      lane,
      item: packMessageItem({ id: names.id, to, from: from ?? '', text, expiresAt: expiresAtMs }),
      fields: { to, text, ...(from ? { from } : {}), ...(expiresAtMs ? { expiresAt: expiresAtMs } : {}) },
    };
    // A chunk that somebody has begun to send, or filled, takes no more: the next one does.
    for (;;) {
      const chunk = this.#chunkFor(`${lane} ${account}`, queueOfLane[lane], to);
      const dueInMs = this.#options.batchWindowMs + WAKE_GRACE_MS;
      const answer = await this.#put(chunk, message, dueInMs);
      const full = answer.outcome === 'full' || answer.count >= RECIPIENTS_PER_CHUNK;
      if (full) this.#close(`${lane} ${account}`, chunk);
      if (answer.outcome !== 'full') return answer;
    }
  }

  async #put(chunk: FillingChunk, message: NewMessage, dueInMs: number) {
    chunk.pending += 1;
    try {
      const answer = await acceptMessage(this.#options.redis, message, { id: chunk.id, dueInMs });
      if (answer.outcome === 'accepted') chunk.filled = true;
      return answer;
    } finally {
      chunk.pending -= 1;
      this.#wakeIfReady(chunk);
    }
  }

  flush(): void {
    for (const [key, chunk] of this.#filling) this.#close(key, chunk);
  }

  /** No number twice in one chunk: statistics could not tell the two apart. */
  #chunkFor(key: string, queue: QueueName, to: string): FillingChunk {
    const open = this.#filling.get(key);
    if (open && !open.numbers.has(to) && open.numbers.size < RECIPIENTS_PER_CHUNK) {
      open.numbers.add(to);
      return open;
    }
    if (open) this.#close(key, open);
    const id = derivedId('chk', this.#options.random.hex(16));
    const chunk: FillingChunk = {
      id,
      queue,
      numbers: new Set([to]),
      cancelTimer: this.#options.after(this.#options.batchWindowMs, () => this.#close(key, chunk)),
      pending: 0,
      filled: false,
      closed: false,
    };
    this.#filling.set(key, chunk);
    return chunk;
  }

  #close(key: string, chunk: FillingChunk): void {
    chunk.cancelTimer();
    if (this.#filling.get(key) === chunk) this.#filling.delete(key);
    if (chunk.closed) return;
    chunk.closed = true;
    this.#wakeIfReady(chunk);
  }

  /** A chunk that is woken before its last message has arrived would be sent without it. */
  #wakeIfReady(chunk: FillingChunk): void {
    if (chunk.closed && chunk.filled && chunk.pending === 0) this.#options.wake(chunk.queue, chunk.id, 1);
  }
}
