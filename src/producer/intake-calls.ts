/**
 * Calls to the workers over the queue `intake`: a job is added, and its answer is read from the finished job.
 *
 * Redis may be empty, restarted or away at any moment. Each call has its own identity, so a lost job is added again,
 * and if a job runs twice, the second run finds the first one's request.
 */
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { type Clock, describeMs, retryUntilDeadline, within } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { type JobAnswer, OTHER_ENVIRONMENT, RESTORED, UNCONFIRMED, answerIn } from '../queues/intake-answer.ts';
import { batchPerTick, howAway, waitUntilReady } from '../redis/connections.ts';
import { OtherDeployment, Recovering, Unconfirmed } from './errors.ts';

interface CallsOptions {
  readonly queue: Queue;
  /** The connection of the queue. */
  readonly redis: Redis;
  readonly clock: Clock;
  readonly random: Random;
  readonly environment: string;
  /** For a whole call, ms. */
  readonly limitMs: number;
}

interface Call {
  /** The id of its job. */
  id: string;
  readonly data: object;
  /** Whether one of its jobs may have been executed. */
  doubted: boolean;
  last?: unknown;
  /** Why a worker could not record it. */
  failed?: Error;
}

interface Adding extends Pick<Call, 'id' | 'data'> {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Between two tries, ms. */
const PAUSE_MS = 100;
/** Poll interval of pending jobs, ms: the first, and the longest. */
const LOOK_AGAIN_MS = { first: 5, most: 50 } as const;

export class IntakeCalls {
  readonly #options: CallsOptions;
  readonly #add: (one: Adding) => void;
  readonly #pending = new Map<string, (answer: JobAnswer | undefined) => void>();
  #isLooking = false;

  constructor(options: CallsOptions) {
    this.#options = options;
    this.#add = batchPerTick(options.redis, (together) => this.#addAll(together));
  }

  /**
   * Throws `Unconfirmed` after the time-out, `OtherDeployment` and `Recovering` on the workers' answer. `request`
   * needs an identity.
   */
  async ask(kind: string, request: object): Promise<JobAnswer> {
    const { redis, clock, random, limitMs, environment } = this.#options;
    const call: Call = { id: random.hex(16), data: { ...request, kind, environment }, doubted: false };
    const again = (error: unknown): boolean => {
      const away = error instanceof NoAnswer ? 'not done' : howAway(error);
      if (away === 'maybe done') call.doubted = true;
      if (away !== undefined && error !== NO_TIME) call.last = error;
      // A closed client never reconnects.
      return away !== undefined && redis.status !== 'end';
    };
    try {
      return await retryUntilDeadline((leftMs) => this.#once(call, leftMs), {
        clock,
        limitMs,
        pauseMs: PAUSE_MS,
        again,
      });
    } catch (error) {
      if (!(error instanceof NoAnswer) && howAway(error) === undefined) throw error;
      throw new Unconfirmed(call.doubted ? 'unknown' : 'no', call.failed ?? call.last ?? error);
    } finally {
      this.#pending.delete(call.id);
    }
  }

  async #once(call: Call, leftMs: number): Promise<JobAnswer> {
    if (leftMs <= EARLY_MS) throw NO_TIME;
    const { redis, clock, random, environment } = this.#options;
    const endsMono = clock.monotonic() + leftMs;
    await waitUntilReady(redis, leftMs, clock);
    const wasDoubted = call.doubted;
    const added = this.#inTime(endsMono, 'Redis is connected and did not answer', this.#added(call));
    await added.catch((error: unknown) => {
      call.doubted ||= error instanceof NoAnswer;
      throw error;
    });
    call.doubted = true;
    const answer = await this.#inTime(endsMono, 'no worker has answered', this.#answered(call.id));
    if (answer === undefined) throw new NoAnswer('the job was lost by Redis');
    if (answer.outcome === UNCONFIRMED) {
      call.id = random.hex(16);
      call.failed = new NoAnswer('a worker could not record it');
      throw call.failed;
    }
    const refusal = refusalIn(answer, environment);
    if (refusal === undefined) return answer;
    throw wasDoubted ? new Unconfirmed('unknown', refusal) : refusal;
  }

  #inTime<T>(endsMono: number, why: string, asked: Promise<T>): Promise<T> {
    const { clock } = this.#options;
    const ms = Math.max(0, endsMono - clock.monotonic());
    return within({ clock, ms, late: () => new NoAnswer(`${why} for ${describeMs(ms)}`) }, asked);
  }

  /** BullMQ does not add a job whose id exists. */
  #added({ id, data }: Call): Promise<void> {
    return new Promise((resolve, reject) => this.#add({ id, data, resolve, reject }));
  }

  async #addAll(together: readonly Adding[]): Promise<void> {
    try {
      await this.#options.queue.addBulk(together.map(({ id, data }) => ({ name: 'ask', data, opts: { jobId: id } })));
      for (const { resolve } of together) resolve();
    } catch (error) {
      for (const { reject } of together) reject(error);
    }
  }

  /** Undefined: the job is gone. */
  #answered(id: string): Promise<JobAnswer | undefined> {
    return new Promise((resolve) => {
      this.#pending.set(id, resolve);
      if (!this.#isLooking) void this.#lookWhilePending();
    });
  }

  async #lookWhilePending(): Promise<void> {
    const { clock } = this.#options;
    this.#isLooking = true;
    let pauseMs: number = LOOK_AGAIN_MS.first;
    while (this.#pending.size > 0) {
      await clock.sleep(pauseMs);
      // While Redis is away nothing can be read: every call has its own deadline.
      const seen = await this.#look().catch(() => 0);
      pauseMs = seen > 0 ? LOOK_AGAIN_MS.first : Math.min(pauseMs * 2, LOOK_AGAIN_MS.most);
    }
    this.#isLooking = false;
  }

  /** The number of pending jobs that have ended. */
  async #look(): Promise<number> {
    const { queue, redis } = this.#options;
    const ids = [...this.#pending.keys()];
    const ends = await Promise.all(ids.map((id) => redis.hmget(queue.toKey(id), 'timestamp', 'finishedOn')));
    const ended = ids.filter((_, at) => ends[at]?.[0] === null || ends[at]?.[1] !== null);
    const answers = await Promise.all(ended.map((id) => redis.hget(queue.toKey(id), 'data')));
    for (const [at, id] of ended.entries()) {
      this.#pending.get(id)?.(answerOf(answers[at]));
      this.#pending.delete(id);
    }
    return ended.length;
  }
}

class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** Timers can fire this early. A retry in the remaining time would hide the error of the previous one. */
const EARLY_MS = 1;
const NO_TIME = new NoAnswer('there was no time to ask Redis');

/** A job may end with its request still in it: the result is unknown then. */
function answerOf(data: string | null | undefined): JobAnswer | undefined {
  if (data === null || data === undefined) return undefined;
  return answerIn(JSON.parse(data)) ?? { id: '', outcome: UNCONFIRMED };
}

function refusalIn({ outcome, environment }: JobAnswer, ours: string): Error | undefined {
  if (outcome === RESTORED) return new Recovering();
  if (outcome !== OTHER_ENVIRONMENT) return undefined;
  return new OtherDeployment({ ours, theirs: environment ?? '' });
}
