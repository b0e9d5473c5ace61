/**
 * Collects single messages into slices of up to 50, since upstream takes that many in one request. Each process fills
 * slices of its own, a few per account and lane; a message is durable in its slice before it is answered.
 *
 * What is asked for in one turn of the event loop goes into its slice in one script, whichever door it came through.
 */
import type { RequestOf } from '../kinds/index.ts';
import type { QueueName } from '../kinds/due-queues.ts';
import { derivedId } from '../lib/ids.ts';
import type { Random } from '../lib/random.ts';
import type { Guard } from '../operations/heartbeat.ts';
import { RECIPIENTS_PER_REQUEST } from '../operations/slice-form.ts';
import type { AcceptingScripts } from '../operations/accepting.ts';
import { type MessageAccepted, type NewMessage, type OpenSlice, acceptMessages } from '../operations/messages.ts';
import { Names } from '../operations/places.ts';
import type { MessageIdentity } from './acceptance-store.ts';
import { SLICE_PREFIX, SLICE_WAKE_GRACE_MS, queueOfLane } from '../operations/slices.ts';
import { payeeOf } from '../upstream/capabilities.ts';
import { batchPerTick } from '../redis/connections.ts';
import type { RecordHost } from '../redis/scripts.ts';

export interface FillerOptions {
  readonly redis: RecordHost;
  readonly random: Random;
  readonly batchWindowMs: number;
  readonly after: (ms: number, run: () => void) => () => void;
  readonly wake: (queue: QueueName, id: string, rev: string | number) => void;
  readonly heartbeat?: Guard | undefined;
  readonly scripts?: AcceptingScripts | undefined;
}

type Target = Pick<OpenSlice, 'account' | 'lane'>;

/** Somebody waits for the verdict on this message. */
interface Asked {
  readonly target: Target;
  readonly message: NewMessage;
  readonly resolve: (accepted: MessageAccepted) => void;
  readonly reject: (error: unknown) => void;
}

interface FillingSlice extends OpenSlice {
  /** The numbers in it or on the way into it: number → id of the message. */
  readonly numbers: Map<string, string>;
  readonly cancelTimer: () => void;
  /** It takes what is asked for in this turn of the event loop, and nothing after it. */
  readonly isUrgent: boolean;
  /** Messages on their way into it, and whether one has arrived. */
  pending: number;
  filled: boolean;
  closed: boolean;
}

/**
 * Of an account and lane, filled at a time: a number that stands in the first goes into the next one. So a list in
 * which everybody stands a few times still fills its slices.
 */
export const MOST_FILLING = 8;

export class MessageFiller {
  readonly #options: FillerOptions;
  /** The oldest first: a message in a later one is in those before it too, so their texts keep their order. */
  readonly #filling = new Map<string, FillingSlice[]>();
  /** Where one-time passwords have left lately, and what forgets it. */
  readonly #lately = new Map<string, () => void>();
  readonly #names: Names;
  readonly #ask: (asked: Asked) => void;

  constructor(options: FillerOptions) {
    this.#options = options;
    const { redis, heartbeat, scripts } = options;
    this.#names = Names.of({ redis, heartbeat, nameKey: scripts?.nameKey });
    this.#ask = batchPerTick(options.redis, (together) => this.#place(together));
  }

  async accept(request: RequestOf<'message'>, identity: MessageIdentity): Promise<MessageAccepted> {
    const { account, lane, to, text, from, expiresAt } = request;
    const { id, fingerprint, reference, idOfReference, act } = identity;
    const [names] = await this.#names.placesOf([['phone', payeeOf(to, undefined)]]);
    const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
    const message = { id, fingerprint, reference, idOfReference, to, text, from, expiresAt: expiresAtMs, act, names };
    return new Promise((resolve, reject) => this.#ask({ target: { account, lane }, message, resolve, reject }));
  }

  flush(): void {
    for (const slice of [...this.#filling.values()].flat()) this.#close(slice);
  }

  async #place(together: readonly Asked[]): Promise<void> {
    try {
      const bySlice = this.#share(together);
      for (const slice of bySlice.keys()) if (slice.isUrgent) this.#close(slice);
      await Promise.all([...bySlice].map(([slice, asked]) => this.#put(slice, asked)));
    } catch (error) {
      // A fault of ours, and no reason to leave anybody without an answer.
      for (const { reject } of together) reject(error);
    }
  }

  /** Which slice each goes into. From here on none of these slices is woken before all of them have arrived. */
  #share(together: readonly Asked[]): Map<FillingSlice, Asked[]> {
    const bySlice = new Map<FillingSlice, Asked[]>();
    for (const asked of together) {
      const slice = this.#sliceFor(asked);
      slice.pending += 1;
      if (slice.numbers.size === RECIPIENTS_PER_REQUEST) this.#close(slice);
      const others = bySlice.get(slice);
      if (others) others.push(asked);
      else bySlice.set(slice, [asked]);
    }
    return bySlice;
  }

  /** A slice that somebody has begun to send, or filled, takes no more: the next one does. */
  async #put(slice: FillingSlice, asked: readonly Asked[]): Promise<void> {
    const left: Asked[] = [];
    try {
      const messages = asked.map(({ message }) => message);
      const { count, verdicts } = await acceptMessages(this.#options.redis, slice, messages, {
        heartbeat: this.#options.heartbeat,
        scripts: this.#options.scripts,
      });
      for (const [at, verdict] of verdicts.entries()) {
        if (verdict.outcome === 'accepted') slice.filled = true;
        if (verdict.outcome === 'full') left.push(...asked.slice(at, at + 1));
        else if (verdict.outcome === 'failed')
          asked[at]?.reject(new Error(`${verdict.why} (script accept-messages)`));
        else asked[at]?.resolve(verdict);
      }
      if (left.length > 0 || count >= RECIPIENTS_PER_REQUEST) this.#close(slice);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    } finally {
      slice.pending -= asked.length;
      this.#wakeIfReady(slice);
    }
    if (left.length > 0) await this.#place(left);
  }

  /**
   * No number twice in one slice: statistics could not tell the two apart. The same message twice is no such case,
   * since it is accepted once.
   */
  #sliceFor({ target, message: { id, to } }: Asked): FillingSlice {
    const filling = this.#filling.get(placeOf(target)) ?? [];
    let free: FillingSlice | undefined;
    for (const slice of filling) {
      const known = slice.numbers.get(to);
      if (known === id) return slice;
      if (known === undefined) free ??= slice;
    }
    free?.numbers.set(to, id);
    if (free) return free;
    const [oldest] = filling;
    if (oldest && filling.length === MOST_FILLING) this.#close(oldest);
    return this.#open(target, [to, id]);
  }

  #open({ account, lane }: Target, first: readonly [to: string, id: string]): FillingSlice {
    const { random, batchWindowMs, after } = this.#options;
    const place = placeOf({ account, lane });
    // Somebody waits for a one-time password: only where many come are they collected.
    const isUrgent = lane === 'otp' && !this.#lately.has(place);
    const slice: FillingSlice = {
      id: derivedId(SLICE_PREFIX, random.hex(16)),
      account,
      lane,
      dueInMs: batchWindowMs + SLICE_WAKE_GRACE_MS,
      numbers: new Map([first]),
      cancelTimer: isUrgent ? () => undefined : after(batchWindowMs, () => this.#close(slice)),
      isUrgent,
      pending: 0,
      filled: false,
      closed: false,
    };
    this.#filling.set(place, [...(this.#filling.get(place) ?? []), slice]);
    return slice;
  }

  #close(slice: FillingSlice): void {
    slice.cancelTimer();
    if (slice.closed) return;
    slice.closed = true;
    const place = placeOf(slice);
    const others = (this.#filling.get(place) ?? []).filter((other) => other !== slice);
    if (others.length > 0) this.#filling.set(place, others);
    else this.#filling.delete(place);
    if (slice.lane === 'otp') this.#noteThatOneLeft(place);
    this.#wakeIfReady(slice);
  }

  #noteThatOneLeft(place: string): void {
    const { batchWindowMs, after } = this.#options;
    this.#lately.get(place)?.();
    this.#lately.set(
      place,
      after(batchWindowMs, () => void this.#lately.delete(place)),
    );
  }

  /** A slice that is woken before its last message has arrived would be sent without it. */
  #wakeIfReady(slice: FillingSlice): void {
    if (slice.closed && slice.filled && slice.pending === 0) this.#options.wake(queueOfLane[slice.lane], slice.id, 1);
  }
}

/** Under what slices are found while they are being filled. */
function placeOf({ account, lane }: Target): string {
  return `${lane} ${account}`;
}
