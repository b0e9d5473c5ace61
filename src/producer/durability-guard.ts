import type { Redis } from 'ioredis';
import type { Clock } from '../lib/clock.ts';
import { type Durability, checkDurability } from '../redis/durability.ts';
import { NotDurableError } from './errors.ts';

interface DurabilityGuardOptions {
  readonly redis: Redis;
  readonly clock: Clock;
  /** The operator answers for what cannot be seen: nothing is asked. */
  readonly asserted: boolean;
  /** How many replicas the workers wait for (REDIS_WAIT_REPLICAS). */
  readonly replicas: number;
}

const GOOD_FOR_MS = 60_000;
const BAD_FOR_MS = 1_000;
/** A fuller Redis accepts nothing new; the same share as at the HTTP door. */
const MEMORY_SHARE_MAX = 0.85;

/** Asks Redis, once a minute and after each reconnect, whether what it answers survives a loss of power. */
export class DurabilityGuard {
  readonly #options: DurabilityGuardOptions;
  #asked: Promise<Durability> | undefined;
  #askAgainMono = 0;

  constructor(options: DurabilityGuardOptions) {
    this.#options = options;
    // What answers after a reconnect may be another server.
    options.redis.on('ready', () => (this.#asked = undefined));
  }

  /** Throws `NotDurableError` with the reasons, each with its remedy. */
  async require(): Promise<void> {
    if (this.#options.asserted) return;
    const { durable, reasons, usedMemoryShare } = await this.#verdict();
    if (!durable) throw new NotDurableError(reasons);
    if (usedMemoryShare !== null && usedMemoryShare > MEMORY_SHARE_MAX) {
      throw new NotDurableError([
        `it uses ${Math.round(usedMemoryShare * 100)} % of its maxmemory: give it more, or wait`,
      ]);
    }
  }

  async #verdict(): Promise<Durability> {
    const { redis, clock, replicas } = this.#options;
    if (this.#asked && clock.monotonic() < this.#askAgainMono) return this.#asked;
    const asking = checkDurability(redis, { asserted: false, replicas });
    this.#asked = asking;
    this.#askAgainMono = Number.POSITIVE_INFINITY;
    try {
      const verdict = await asking;
      this.#askAgainMono = clock.monotonic() + (verdict.durable ? GOOD_FOR_MS : BAD_FOR_MS);
      return verdict;
    } catch (error) {
      if (this.#asked === asking) this.#asked = undefined;
      throw error;
    }
  }
}
