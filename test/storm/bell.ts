/** The Redis of a storm: killed and started empty, frozen, flushed, and full. No promise depends on it. */
import { Redis } from 'ioredis';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { wait } from './clock.ts';
import { within } from './phases.ts';

const START_WITHIN_MS = 90_000;
const FULL_BYTES = '1';

export type BellStrike = 'crash' | 'freeze' | 'flush' | 'fill';
export const bellStrikes: readonly BellStrike[] = ['crash', 'freeze', 'flush', 'fill'];

export class Bell {
  #redis: EmbeddedRedis;
  readonly counts: Record<BellStrike, number> = { crash: 0, freeze: 0, flush: 0, fill: 0 };

  private constructor(redis: EmbeddedRedis) {
    this.#redis = redis;
  }

  static async start(): Promise<Bell> {
    return new Bell(await startEmbeddedRedis());
  }

  get port(): number {
    return this.#redis.port;
  }

  get url(): string {
    return this.#redis.url;
  }

  async strike(how: BellStrike, ms: number): Promise<void> {
    this.counts[how] += 1;
    if (how === 'crash') return this.#crash(ms);
    if (how === 'freeze') return this.#freeze(ms);
    if (how === 'flush') return this.#command((redis) => redis.flushall());
    await this.#command((redis) => redis.config('SET', 'maxmemory', FULL_BYTES));
    await wait(ms);
    await this.#command((redis) => redis.config('SET', 'maxmemory', '0'));
  }

  stop(): Promise<void> {
    return this.#redis.stop();
  }

  async #crash(ms: number): Promise<void> {
    const { pid, port } = this.#redis;
    process.kill(pid, 'SIGKILL');
    await this.#redis.stop();
    await wait(ms);
    this.#redis = await within(START_WITHIN_MS, 'Redis to start', startEmbeddedRedis({ port }));
  }

  async #freeze(ms: number): Promise<void> {
    const { pid } = this.#redis;
    process.kill(pid, 'SIGSTOP');
    await wait(ms);
    process.kill(pid, 'SIGCONT');
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
