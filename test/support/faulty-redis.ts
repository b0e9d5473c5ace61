/** A Redis that is killed and restarted empty, frozen, flushed, or full. */
import { Redis } from 'ioredis';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { wait } from '../storm/clock.ts';
import { within } from '../storm/phases.ts';

const START_WITHIN_MS = 90_000;
const FULL_BYTES = '1';

type Mend = () => Promise<void>;
export type RedisFault = 'crash' | 'freeze' | 'flush' | 'fill';
export const redisFaults: readonly RedisFault[] = ['crash', 'freeze', 'flush', 'fill'];

export class FaultyRedis {
  #redis: EmbeddedRedis;
  readonly counts: Record<RedisFault, number> = { crash: 0, freeze: 0, flush: 0, fill: 0 };

  private constructor(redis: EmbeddedRedis) {
    this.#redis = redis;
  }

  static async start(): Promise<FaultyRedis> {
    return new FaultyRedis(await startEmbeddedRedis());
  }

  get port(): number {
    return this.#redis.port;
  }

  get url(): string {
    return this.#redis.url;
  }

  async strike(how: RedisFault, ms: number): Promise<void> {
    const mend = await this.begin(how);
    await wait(ms);
    await mend();
  }

  /** The fault lasts until the returned function is called. */
  begin(how: RedisFault): Promise<Mend> {
    this.counts[how] += 1;
    return this.#begin[how]();
  }

  readonly #begin: Readonly<Record<RedisFault, () => Promise<Mend>>> = {
    crash: async () => {
      const { pid, port } = this.#redis;
      process.kill(pid, 'SIGKILL');
      await this.#redis.stop();
      return async () => {
        this.#redis = await within(START_WITHIN_MS, 'Redis to start', startEmbeddedRedis({ port }));
      };
    },
    freeze: async () => {
      const { pid } = this.#redis;
      process.kill(pid, 'SIGSTOP');
      return async () => void process.kill(pid, 'SIGCONT');
    },
    flush: async () => {
      await this.#command((redis) => redis.flushall());
      return async () => undefined;
    },
    fill: async () => {
      await this.#command((redis) => redis.config('SET', 'maxmemory', FULL_BYTES));
      return () => this.#command((redis) => redis.config('SET', 'maxmemory', '0'));
    },
  };

  stop(): Promise<void> {
    return this.#redis.stop();
  }

  async #command(ask: (redis: Redis) => Promise<unknown>): Promise<void> {
    const redis = new Redis(this.url, { maxRetriesPerRequest: 1 });
    redis.on('error', () => undefined);
    try {
      await ask(redis);
    } finally {
      redis.disconnect();
    }
  }
}
