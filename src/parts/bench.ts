import type { Bench } from '../processors/bench.ts';
import { createUpstream } from '../upstream/client.ts';
import { callbackPath } from '../webhooks/path.ts';
import { Secret } from '../lib/secret.ts';
import type { Config } from '../config.ts';
import type { Foundation } from './foundation.ts';
import type { Timing } from './timing.ts';

/** How many chunks of one campaign are out at a time: enough for every slot of several workers, few enough to pause. */
const FEED_WINDOW = 400;
const FENCE_WAIT_MS = 2_000;

export function callbackSecrets(config: Config): Secret[] {
  const text = config.CALLBACK_SECRET?.reveal() ?? '';
  return text
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '')
    .map((secret) => new Secret(secret));
}

function openUpstream({ config, redis, clock, random, metrics }: Foundation) {
  return createUpstream({
    baseUrl: config.SERVICE_BASE_URL ?? '',
    crmUrl: config.SERVICE_CRM_URL ?? '',
    timeoutMs: config.UPSTREAM_TIMEOUT,
    connectTimeoutMs: config.UPSTREAM_CONNECT_TIMEOUT,
    ratePerSecond: config.UPSTREAM_RATE,
    livePathsInTest: config.LIVE_PATHS_IN_TEST === 'send',
    softpayCard: false,
    smsLoginEncoding: config.SMS_LOGIN_ENCODING,
    clock,
    random,
    redis,
    keyPrefix: '{relais}',
    onExchange: (seen) => metrics.exchanged(seen),
  });
}

/** `publicUrl` is asked for each time: in development it is known only once the receiver listens. */
export function createBench(foundation: Foundation, timing: Timing, publicUrl: () => string | undefined) {
  const { config, redis, clock, book, fingerprints, metrics } = foundation;
  const secrets = callbackSecrets(config);
  const upstream = openUpstream(foundation);
  const bench: Bench = {
    ...foundation,
    upstream,
    policy: {
      leaseMs: timing.leaseMs,
      resubmit: config.DISBURSEMENT_RESUBMIT === 'resubmit',
      quietMs: config.DISBURSEMENT_QUIET_PERIOD,
      pollMs: config.DISBURSEMENT_POLL,
      limitMs: config.DISBURSEMENT_LIMIT,
      holdRecheckMs: config.HOLD_RECHECK,
      settleDelayMs: config.SMS_SETTLE_DELAY,
      feedWindow: FEED_WINDOW,
    },
    account: (name) => {
      const account = book.get(name);
      return account ? { upstream: account, fingerprint: fingerprints.get(name) ?? '' } : undefined;
    },
    callbackUrl: (account, id) => {
      const url = publicUrl();
      if (url === undefined || secrets.length === 0) return undefined;
      return url + callbackPath(secrets, { account, kind: 'disbursement', id });
    },
    fence: async () => {
      const replicas = config.REDIS_WAIT_REPLICAS;
      if (replicas === 0) return true;
      const startedMono = clock.monotonic();
      const reached = await redis.wait(replicas, FENCE_WAIT_MS);
      metrics.fenced(clock.monotonic() - startedMono);
      return reached >= replicas;
    },
  };
  return { bench, close: () => upstream.close() };
}
