/** Permits for requests to the provider, counted in Redis. */
import type { Redis } from 'ioredis';
import type { Clock } from '../lib/clock.ts';
import { tokenBucket } from '../redis/scripts/generated/scripts.ts';
import type { Area } from './account.ts';
import { type Admission, BURST_PART, LONGEST_WAIT_MS, PAUSE_LOOK_MS, type Rates, type Urgency } from './rates.ts';
import { keepLonger } from './scripts/generated/scripts.ts';

interface RatesOptions {
  readonly redis: Redis;
  readonly clock: Clock;
  /** For each account and area. 0 = unlimited: Redis is asked only for pauses, and only once in a while. */
  readonly ratePerSecond: number;
}

const longestUs = LONGEST_WAIT_MS * 1_000;
const MICROSECONDS = 1_000_000;

/** Where Redis keeps what is known of an account and an area. */
type KeyOf = (account: string, area: Area, what: string) => string;

/** What upstream asked us to wait, as far as this process has heard of it. */
function createPauses({ redis, clock }: Pick<RatesOptions, 'redis' | 'clock'>, keyOf: KeyOf) {
  const until = new Map<string, number>();
  const askedAt = new Map<string, number>();
  const nameOf = (account: string, area: Area): string => `${area}:${account}`;

  return {
    leftMs: (account: string, area: Area): number =>
      Math.ceil(Math.max((until.get(nameOf(account, area)) ?? 0) - clock.monotonic(), 0)),

    /** What another process was asked for. Where Redis cannot tell, our own pauses are all there is. */
    async hear(account: string, area: Area): Promise<void> {
      const name = nameOf(account, area);
      const now = clock.monotonic();
      if (now - (askedAt.get(name) ?? -PAUSE_LOOK_MS) < PAUSE_LOOK_MS) return;
      askedAt.set(name, now);
      const left = await redis.pttl(keyOf(account, area, 'pause')).catch(() => 0);
      if (left > 0) until.set(name, Math.max(until.get(name) ?? 0, clock.monotonic() + left));
    },

    async begin(account: string, area: Area, ms: number): Promise<void> {
      until.set(nameOf(account, area), clock.monotonic() + ms);
      if (ms < 1) return;
      try {
        await keepLonger(redis, { pause: keyOf(account, area, 'pause'), forMs: Math.ceil(ms) });
      } catch (error) {
        // The answer that asked for the pause matters more than telling the others of it, and this process still waits.
        if (!(error instanceof Error)) throw error;
      }
    },
  };
}

export function redisRates({ redis, clock, ratePerSecond }: RatesOptions): Rates {
  const everyUs = MICROSECONDS / ratePerSecond;
  const burst = Math.max(1, Math.floor(ratePerSecond * BURST_PART));
  const keyOf: KeyOf = (account, area, what) => `rate:${account}:${area}:${what}`;
  const pauses = createPauses({ redis, clock }, keyOf);

  async function waitFor(
    account: string,
    area: Area,
    urgency: Urgency,
  ): Promise<Admission & { readonly waitMs?: number }> {
    if (ratePerSecond === 0) await pauses.hear(account, area);
    const pauseMs = pauses.leftMs(account, area);
    if (pauseMs > LONGEST_WAIT_MS) return { admitted: false, retryAfterMs: pauseMs };
    if (ratePerSecond === 0) return { admitted: true, waitMs: pauseMs };
    const buckets = [keyOf(account, area, 'all')];
    // The look's own bucket drips half as fast: it is the second in line.
    if (urgency === 'look') buckets.push(keyOf(account, area, 'look'));
    const pause = keyOf(account, area, 'pause');
    const { taken, waitMs } = await tokenBucket(redis, { pause, buckets, everyUs, burst, longestUs, wanted: 1 });
    return taken === 1 ? { admitted: true, waitMs } : { admitted: false, retryAfterMs: waitMs };
  }

  return {
    async admit(account, area, urgency) {
      const answer = await waitFor(account, area, urgency);
      if (!answer.admitted) return answer;
      if (answer.waitMs) await clock.sleep(answer.waitMs);
      return { admitted: true };
    },
    pause: (account, area, ms) => pauses.begin(account, area, ms),
  };
}
