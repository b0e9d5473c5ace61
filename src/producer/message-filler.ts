/**
 * Collects single messages into chunks of up to 50, since upstream takes that many in one request. Each process fills
 * chunks of its own, a few per account and lane; a message is durable in its chunk before it is answered.
 *
 * What is asked for in one turn of the event loop goes into its chunk in one script, whichever door it came through.
 */
import type { Redis } from 'ioredis';
import { operations, type RequestOf } from '../kinds/index.ts';
import type { QueueName } from '../kinds/due-queues.ts';
import { derivedId } from '../lib/ids.ts';
import type { Random } from '../lib/random.ts';
import type { Guard } from '../operations/heartbeat.ts';
import { RECIPIENTS_PER_CHUNK } from '../operations/chunk-items.ts';
import type { AcceptingScripts } from '../operations/accepted.ts';
import {
  type MessageAccepted,
  type NewMessage,
  type OpenChunk,
  acceptMessages,
  queueOfLane,
} from '../operations/messages.ts';
import { batchPerTick } from '../redis/auto-pipeline.ts';

interface Options {
  readonly redis: Redis;
  readonly random: Random;
  readonly batchWindowMs: number;
  readonly after: (ms: number, run: () => void) => () => void;
  readonly wake: (queue: QueueName, id: string, rev: string | number) => void;
  readonly heartbeat?: Guard | undefined;
  readonly scripts?: AcceptingScripts | undefined;
}

type Target = Pick<OpenChunk, 'account' | 'lane'>;

/** Somebody waits for the verdict on this message. */
interface Asked {
  readonly target: Target;
  readonly message: NewMessage;
  readonly resolve: (accepted: MessageAccepted) => void;
  readonly reject: (error: unknown) => void;
}

interface FillingChunk extends OpenChunk {
  /** The numbers in it or on the way into it: number → id of the message. */
  readonly numbers: Map<string, string>;
  readonly cancelTimer: () => void;
  /** Messages on their way into it, and whether one has arrived. */
  pending: number;
  filled: boolean;
  closed: boolean;
}

type Names = Pick<NewMessage, 'id' | 'fingerprint' | 'reference' | 'idOfReference'>;

/** If this process dies before it wakes the chunk, the due index does. */
const WAKE_GRACE_MS = 2_000;

/**
 * Of an account and lane, filled at a time: a number that stands in the first goes into the next one. So a list in
 * which everybody stands a few times still fills its chunks.
 */
export const MOST_FILLING = 8;

export class MessageFiller {
  readonly #options: Options;
  /** The oldest first: a message in a later one is in those before it too, so their texts keep their order. */
  readonly #filling = new Map<string, FillingChunk[]>();
  readonly #ask: (asked: Asked) => void;

  constructor(options: Options) {
    this.#options = options;
    this.#ask = batchPerTick(options.redis, (together) => this.#place(together));
  }

  accept({ account, lane, to, text, from, expiresAt }: RequestOf<'message'>, names: Names): Promise<MessageAccepted> {
    const { id, fingerprint, reference, idOfReference } = names;
    const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
    const message = { id, fingerprint, reference, idOfReference, to, text, from, expiresAt: expiresAtMs };
    return new Promise((resolve, reject) => this.#ask({ target: { account, lane }, message, resolve, reject }));
  }

  flush(): void {
    for (const chunk of [...this.#filling.values()].flat()) this.#close(chunk);
  }

  async #place(together: readonly Asked[]): Promise<void> {
    try {
      const byChunk = this.#share(together);
      await Promise.all([...byChunk].map(([chunk, asked]) => this.#put(chunk, asked)));
    } catch (error) {
      // A fault of ours, and no reason to leave anybody without an answer.
      for (const { reject } of together) reject(error);
    }
  }

  /** Which chunk each goes into. From here on none of these chunks is woken before all of them have arrived. */
  #share(together: readonly Asked[]): Map<FillingChunk, Asked[]> {
    const byChunk = new Map<FillingChunk, Asked[]>();
    for (const asked of together) {
      const chunk = this.#chunkFor(asked);
      chunk.pending += 1;
      if (chunk.numbers.size === RECIPIENTS_PER_CHUNK) this.#close(chunk);
      const others = byChunk.get(chunk);
      if (others) others.push(asked);
      else byChunk.set(chunk, [asked]);
    }
    return byChunk;
  }

  /** A chunk that somebody has begun to send, or filled, takes no more: the next one does. */
  async #put(chunk: FillingChunk, asked: readonly Asked[]): Promise<void> {
    const left: Asked[] = [];
    try {
      const messages = asked.map(({ message }) => message);
      const { count, verdicts } = await acceptMessages(this.#options.redis, chunk, messages, {
        heartbeat: this.#options.heartbeat,
        scripts: this.#options.scripts,
      });
      for (const [at, verdict] of verdicts.entries()) {
        if (verdict.outcome === 'accepted') chunk.filled = true;
        if (verdict.outcome !== 'full') asked[at]?.resolve(verdict);
        else left.push(...asked.slice(at, at + 1));
      }
      if (left.length > 0 || count >= RECIPIENTS_PER_CHUNK) this.#close(chunk);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    } finally {
      chunk.pending -= asked.length;
      this.#wakeIfReady(chunk);
    }
    if (left.length > 0) await this.#place(left);
  }

  /**
   * No number twice in one chunk: statistics could not tell the two apart. The same message twice is no such case,
   * since it is accepted once.
   */
  #chunkFor({ target, message: { id, to } }: Asked): FillingChunk {
    const filling = this.#filling.get(placeOf(target)) ?? [];
    let free: FillingChunk | undefined;
    for (const chunk of filling) {
      const known = chunk.numbers.get(to);
      if (known === id) return chunk;
      if (known === undefined) free ??= chunk;
    }
    free?.numbers.set(to, id);
    if (free) return free;
    const [oldest] = filling;
    if (oldest && filling.length === MOST_FILLING) this.#close(oldest);
    return this.#open(target, [to, id]);
  }

  #open({ account, lane }: Target, first: readonly [to: string, id: string]): FillingChunk {
    const { random, batchWindowMs, after } = this.#options;
    const chunk: FillingChunk = {
      id: derivedId(operations.chunk.prefix, random.hex(16)),
      account,
      lane,
      dueInMs: batchWindowMs + WAKE_GRACE_MS,
      numbers: new Map([first]),
      cancelTimer: after(batchWindowMs, () => this.#close(chunk)),
      pending: 0,
      filled: false,
      closed: false,
    };
    const place = placeOf(chunk);
    this.#filling.set(place, [...(this.#filling.get(place) ?? []), chunk]);
    return chunk;
  }

  #close(chunk: FillingChunk): void {
    chunk.cancelTimer();
    if (chunk.closed) return;
    chunk.closed = true;
    const place = placeOf(chunk);
    const others = (this.#filling.get(place) ?? []).filter((other) => other !== chunk);
    if (others.length > 0) this.#filling.set(place, others);
    else this.#filling.delete(place);
    this.#wakeIfReady(chunk);
  }

  /** A chunk that is woken before its last message has arrived would be sent without it. */
  #wakeIfReady(chunk: FillingChunk): void {
    if (chunk.closed && chunk.filled && chunk.pending === 0) this.#options.wake(queueOfLane[chunk.lane], chunk.id, 1);
  }
}

/** Under what chunks are found while they are being filled. */
function placeOf({ account, lane }: Target): string {
  return `${lane} ${account}`;
}
