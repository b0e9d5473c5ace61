import type { Redis } from 'ioredis';
import type { Clock } from '../lib/clock.ts';
import { luaScript } from './lua.ts';
import type { Area } from './options.ts';

/** `act` changes something upstream; `look` only asks, and may use at most half of the rate. */
export type Urgency = 'act' | 'look';

export type Admission = { readonly admitted: true } | { readonly admitted: false; readonly retryAfterMs: number };

export interface Limiter {
  admit(account: string, area: Area, urgency: Urgency): Promise<Admission>;
  /** Upstream asked to be left alone for so long: nobody is admitted, in any process. */
  pause(account: string, area: Area, ms: number): Promise<void>;
}

interface LimiterOptions {
  readonly redis: Redis;
  readonly clock: Clock;
  /** For each account and area. 0 = unlimited: Redis is asked only for pauses, and only once in a while. */
  readonly ratePerSecond: number;
}

const LONGEST_WAIT_MS = 1_000;
/** Without a rate, how often it is asked whether another process was told to slow down. */
const PAUSE_LOOK_MS = 250;
/** How much of one second's rate may go at once: enough to be smooth, too little to be a burst after a recovery. */
const BURST_PART = 0.1;
const MICROSECONDS = 1_000_000;

/**
 * A generic cell rate algorithm: each key holds the time at which its bucket is empty again. Redis's own clock counts,
 * so no two machines compare theirs. A short wait is a reservation; a longer one takes nothing. In µs throughout.
 */
const take = luaScript(`
local time = redis.call('TIME')
local now = tonumber(time[1]) * ${MICROSECONDS} + tonumber(time[2])
local start = now + math.max(redis.call('PTTL', KEYS[1]), 0) * 1000
local interval, burst, longest = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local wait, empty = start - now, {}
for i = 2, #KEYS do
  local every = interval * (i - 1)
  local tat = math.max(tonumber(redis.call('GET', KEYS[i]) or '0'), start)
  wait = math.max(wait, tat - math.max(burst - 1, 0) * every - now)
  empty[i] = tat + every
end
if wait > longest then return { 0, math.ceil(wait / 1000) } end
for i = 2, #KEYS do
  redis.call('SET', KEYS[i], string.format('%.0f', empty[i]), 'PX', math.ceil((empty[i] - now) / 1000) + 1000)
end
return { 1, math.ceil(wait / 1000) }`);

// A shorter pause never replaces a longer one.
const keepLonger = luaScript(`
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '1', 'PX', ARGV[1]) end
return 1`);

/** Where Redis keeps what is known of an account and an area. */
type KeyOf = (account: string, area: Area, what: string) => string;

/** What upstream asked us to wait, as far as this process has heard of it. */
function createPauses({ redis, clock }: Pick<LimiterOptions, 'redis' | 'clock'>, keyOf: KeyOf) {
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
        await keepLonger(redis, [keyOf(account, area, 'pause')], [Math.ceil(ms)]);
      } catch (error) {
        // The answer that asked for the pause matters more than telling the others of it, and this process still waits.
        if (!(error instanceof Error)) throw error;
      }
    },
  };
}

/** One rate per account and area for the whole cluster. */
export function createLimiter({ redis, clock, ratePerSecond }: LimiterOptions): Limiter {
  const interval = MICROSECONDS / ratePerSecond;
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
    const keys = [keyOf(account, area, 'pause'), keyOf(account, area, 'all')];
    // The look's own bucket drips half as fast: it is the second in line, and the script doubles its interval.
    if (urgency === 'look') keys.push(keyOf(account, area, 'look'));
    const [admitted, waitMs] = (await take(redis, keys, [interval, burst, LONGEST_WAIT_MS * 1_000])) as [
      number,
      number,
    ];
    return admitted === 1 ? { admitted: true, waitMs } : { admitted: false, retryAfterMs: waitMs };
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
