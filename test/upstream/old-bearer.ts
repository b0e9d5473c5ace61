import type { Redis } from 'ioredis';
import type { Upstream, UpstreamAccount } from '../../src/upstream/client.ts';
import { keysLike } from '../support/fresh-redis.ts';

const HALF_AN_HOUR_MS = 1_800_000;

/** As if it had logged in half an hour ago: fresh bearers that are refused say something else, that the login is contested. */
export async function logInLongAgo(upstream: Upstream, redis: Redis, account: UpstreamAccount): Promise<void> {
  await upstream.messaging.prepare(account);
  const [key] = await keysLike(redis, `sms:${account.name}:*:token`);
  if (!key) throw new Error(`${account.name} has no bearer`);
  await redis.pexpire(key, HALF_AN_HOUR_MS);
}
