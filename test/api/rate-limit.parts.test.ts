import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Allowance } from '../../src/api/gates.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { keys } from '../../src/operations/keys.ts';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';
import { startService } from '../support/service.ts';

let fresh: FreshRedis;
beforeAll(async () => {
  fresh = await freshRedis();
});
afterAll(() => fresh.close());

/** An allowance as each process has one, and how often it went to Redis. */
function processOf(ratePerSecond: number) {
  let trips = 0;
  const redis = new Proxy(fresh.redis, {
    get: (target, name) => {
      if (name === 'evalsha') trips += 1;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { allowance: new Allowance({ redis, clock: systemClock, ratePerSecond }), trips: () => trips };
}

/** Asks as fast as it can for so long; how often the answer was yes. */
async function hammer(allowance: Allowance, name: string, ms: number): Promise<number> {
  const endsAt = performance.now() + ms;
  let granted = 0;
  while (performance.now() < endsAt) {
    const waitMs = await allowance.take(name);
    if (waitMs === 0) granted += 1;
    else await systemClock.sleep(Math.min(waitMs, 5));
  }
  return granted;
}

describe('the requests of a key', () => {
  test('are counted over all processes, and no more than the rate gets through', async () => {
    const many = [processOf(200), processOf(200), processOf(200)];
    const startedAt = performance.now();
    const granted = await Promise.all(many.map(({ allowance }) => hammer(allowance, 'shared', 1_500)));
    const seconds = (performance.now() - startedAt) / 1_000;
    const sum = granted.reduce((all, one) => all + one, 0);
    // A second's worth was in the bucket at the start.
    expect(sum).toBeLessThanOrEqual(200 + 200 * seconds);
    expect(sum).toBeGreaterThan(0);
  });

  test('do not wait until the clock of Redis is where it once was: one that took over may be an hour behind', async () => {
    const [seconds] = await fresh.redis.time();
    const ahead = (Number(seconds) + 3_600) * 1_000_000;
    await fresh.redis.set(keys.requestRate('moved'), String(ahead), 'PX', 3_601_000);
    const { allowance } = processOf(10);
    expect(await allowance.take('moved')).toBe(0);
    // From then on it is counted as ever.
    const waits = await Promise.all(Array.from({ length: 30 }, async () => allowance.take('moved')));
    expect(waits.filter((wait) => wait === 0).length).toBeLessThan(15);
  });

  test('cost Redis far less than a command each, whether they get through or not', async () => {
    const { allowance, trips } = processOf(1_000);
    const waits: number[] = [];
    for (let n = 0; n < 500; n += 1) waits.push(await allowance.take('busy'));
    expect(waits.every((wait) => wait === 0)).toBe(true);
    expect(trips()).toBeLessThan(250);
    const slow = processOf(1);
    await Promise.all(Array.from({ length: 1_000 }, async () => slow.allowance.take('eager')));
    expect(slow.trips()).toBeLessThan(500);
  });

  test('wait for nothing while there are tokens here', async () => {
    const clock = { ...systemClock, monotonic: () => 0 };
    const allowance = new Allowance({ redis: fresh.redis, clock, ratePerSecond: 1_000 });
    expect(await allowance.take('steady')).toBe(0);
    expect(await allowance.take('steady')).toBe(0);
    expect(allowance.take('steady')).toBe(0);
  });

  test('of another key are another matter', async () => {
    const { allowance } = processOf(1);
    expect(await allowance.take('first')).toBe(0);
    expect(await allowance.take('first')).toBeGreaterThan(0);
    expect(await allowance.take('second')).toBe(0);
  });

  test('are not let through uncounted while Redis is away', async () => {
    const away = fresh.redis.duplicate({ lazyConnect: true, enableOfflineQueue: false });
    const allowance = new Allowance({ redis: away, clock: systemClock, ratePerSecond: 5 });
    await expect(allowance.take('any')).rejects.toThrow(/writeable|closed/);
  });
});

test('whoever asks too often is told when to come back, by whichever process it asks', async () => {
  const one = await startService({ API_RATE: '5' });
  const url = `redis://${one.redis.options.host}:${one.redis.options.port}/${one.redis.options.db}`;
  const { base: SERVICE_BASE_URL, crm: SERVICE_CRM_URL } = one.sandbox;
  const other = await startService({ API_RATE: '5', REDIS_URL: url, SERVICE_BASE_URL, SERVICE_CRM_URL });
  const ask = (at: number, key: string) => (at % 2 ? one : other).call('GET', '/v1/accounts', { key });
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => ask(n, 'maker-secret')));
  const seconds = (performance.now() - startedAt) / 1_000;
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.length - refused.length).toBeGreaterThan(0);
  expect(answers.length - refused.length).toBeLessThanOrEqual(10 + 5 * seconds);
  expect(refused[0]?.headers['retry-after']).toBe('1');
  expect(refused[0]?.body.type).toMatch(/too-many-requests$/);
  expect((await ask(1, 'reader-secret')).status).toBe(200);
  await other.stop();
  await one.stop();
});
