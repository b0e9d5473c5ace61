import type { Redis } from 'ioredis';
import type { Clock } from '../lib/clock.ts';
import { tokenBucket } from '../redis/scripts/generated/scripts.ts';
import type { Area, UpstreamAccount, UpstreamOptions } from './account.ts';
import { createExchange } from './exchange.ts';
import { createMessaging, type Messaging } from './messaging/messaging.ts';
import { createTokens } from './messaging/token.ts';
import { createPayments } from './payments/payments.ts';
import type { Payments } from './payments/ask.ts';
import { keepLonger } from './scripts/generated/scripts.ts';
import { createTransport } from './transport.ts';

export type { UpstreamAccount, UpstreamOptions } from './account.ts';

export interface Upstream {
  readonly payments: Payments;
  readonly messaging: Messaging;
  /** Asks for leave to make one call. Call it before each; the calls themselves do not wait for it. */
  readonly admit: (account: Pick<UpstreamAccount, 'name'>, area: Area, urgency: Urgency) => Promise<Admission>;
  /** Lets the calls in flight end, then closes every connection to upstream. The Redis client stays the caller's. */
  readonly close: () => Promise<void>;
}

/** The whole interface of the service behind verdicts. Opens nothing until the first call. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const limiter = createLimiter(options);
  const transports = { payments: createTransport(options), messaging: createTransport(options) };
  const exchange = createExchange({
    clock: options.clock,
    transports,
    onExchange: options.onExchange,
    onThrottle: (account, area, ms) => limiter.pause(account, area, ms),
  });
  const baseUrl = withoutSlash(options.baseUrl);
  const crmUrl = withoutSlash(options.crmUrl);
  const tokens = createTokens({ ...options, exchange, crmUrl, loginEncoding: options.smsLoginEncoding });
  const { livePathsInTest, softpayCard, timeoutMs, smsNumberFormat = 'plus', extraWithdrawModes = [] } = options;
  return {
    payments: createPayments({ exchange, baseUrl, livePathsInTest, softpayCard, timeoutMs, extraWithdrawModes }),
    messaging: createMessaging({ exchange, tokens, crmUrl, numberFormat: smsNumberFormat }),
    admit: (account, area, urgency) => limiter.admit(account.name, area, urgency),
    close: async () => {
      await Promise.all([transports.payments.close(), transports.messaging.close()]);
    },
  };
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

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
const longestUs = LONGEST_WAIT_MS * 1_000;
/** Without a rate, how often it is asked whether another process was told to slow down. */
const PAUSE_LOOK_MS = 250;
/** How much of one second's rate may go at once: enough to be smooth, too little to be a burst after a recovery. */
const BURST_PART = 0.1;
const MICROSECONDS = 1_000_000;

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
        await keepLonger(redis, { pause: keyOf(account, area, 'pause'), forMs: Math.ceil(ms) });
      } catch (error) {
        // The answer that asked for the pause matters more than telling the others of it, and this process still waits.
        if (!(error instanceof Error)) throw error;
      }
    },
  };
}

/** One rate per account and area for the whole cluster. */
export function createLimiter({ redis, clock, ratePerSecond }: LimiterOptions): Limiter {
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
