import { beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../src/ledger/pool.ts';
import { LedgerRates } from '../../src/ledger/rates.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Rates, Urgency } from '../../src/provider/rates.ts';
import { ledgerOfThisFile } from '../support/ledger-of-file.ts';
import { json, listen, liveAccount, openUpstream } from './listener.ts';

let waits: number[] = [];
/** Records waits instead of waiting. */
const clock = {
  ...systemClock,
  sleep: async (ms: number) => {
    waits.push(ms);
  },
};
beforeEach(() => {
  waits = [];
});

const ledger = ledgerOfThisFile('rate');
const inLedger = (ratePerSecond: number, database: Pick<Database, 'run'> = ledger.database): LedgerRates =>
  new LedgerRates({ database, clock, ratePerSecond });

async function admitted(limiters: readonly Rates[], count: number, urgency: Urgency): Promise<number> {
  const asked = Array.from({ length: count }, (_, index) =>
    limiters[index % limiters.length]!.admit('main', 'payments', urgency),
  );
  return (await Promise.all(asked)).filter((one) => one.admitted).length;
}

/** The number of requests that a rate allows during the test: a slow machine has more time. */
function freedAt(perSecond: number): () => number {
  const began = performance.now();
  return () => Math.ceil(((performance.now() - began) * perSecond) / 1_000);
}

describe('rates', () => {
  const limiter: (ratePerSecond: number) => Rates = inLedger;

  test('two processes share one rate: a small burst, then a second’s worth of reservations', async () => {
    const freed = freedAt(20);
    const count = await admitted([limiter(20), limiter(20)], 100, 'act');
    expect(count).toBeGreaterThanOrEqual(21);
    expect(count).toBeLessThanOrEqual(24 + freed());
  });

  test('a caller that would wait longer than a second is told how long, and takes nothing', async () => {
    const one = limiter(0.1);
    await admitted([one], 20, 'act');
    for (let count = 0; count < 3; count += 1) {
      const answer = await one.admit('main', 'payments', 'act');
      expect(answer).toMatchObject({ admitted: false });
      expect(!answer.admitted && answer.retryAfterMs).toBeGreaterThan(1_000);
      expect(!answer.admitted && answer.retryAfterMs).toBeLessThanOrEqual(11_000);
    }
  });

  test('status checks use at most half of the rate, and leave the other half to acts', async () => {
    const one = limiter(20);
    const freed = freedAt(20);
    const looks = await admitted([one], 100, 'look');
    expect(looks).toBeGreaterThanOrEqual(10);
    expect(looks).toBeLessThanOrEqual(12 + freed());
    const acts = await admitted([one], 100, 'act');
    expect(acts).toBeGreaterThanOrEqual(9);
    expect(looks + acts).toBeLessThanOrEqual(23 + freed());
  });

  test('sequential status checks use at most half of the rate, too', async () => {
    const one = limiter(20);
    const freed = freedAt(20);
    let looks = 0;
    for (let nth = 0; nth < 20; nth += 1) looks += await admitted([one], 1, 'look');
    expect(looks).toBeLessThanOrEqual(12 + freed());
  });

  test('status checks wait behind acts', async () => {
    const one = limiter(20);
    const freed = freedAt(20);
    await admitted([one], 100, 'act');
    expect(await admitted([one], 20, 'look')).toBeLessThanOrEqual(1 + freed());
  });

  test('accounts and areas have rates of their own', async () => {
    const one = limiter(1);
    await admitted([one], 10, 'act');
    expect(await one.admit('other', 'payments', 'act')).toEqual({ admitted: true });
    expect(await one.admit('main', 'messaging', 'act')).toEqual({ admitted: true });
  });

  test('unlimited, too, is paused for every process when one had to slow down', async () => {
    await limiter(0).pause('main', 'messaging', 30_000);
    const answer = await limiter(0).admit('main', 'messaging', 'act');
    expect(!answer.admitted && answer.retryAfterMs).toBeGreaterThan(25_000);
    expect(await limiter(0).admit('main', 'payments', 'act')).toMatchObject({ admitted: true });
  });

  test('a pause holds for every process, for its own area only, and is not shortened', async () => {
    const [one, two] = [limiter(20), limiter(20)];
    await one.pause('main', 'payments', 30_000);
    await one.pause('main', 'payments', 2_000);
    const answer = await two.admit('main', 'payments', 'act');
    expect(!answer.admitted && answer.retryAfterMs).toBeGreaterThan(25_000);
    expect(await two.admit('main', 'messaging', 'act')).toEqual({ admitted: true });
  });

  test('a short pause is waited out, one after the other', async () => {
    const one = limiter(20);
    await limiter(20).pause('main', 'payments', 500);
    await admitted([one], 5, 'act');
    expect(Math.min(...waits)).toBeGreaterThan(0);
    expect(new Set(waits).size).toBeGreaterThanOrEqual(4);
  });

  test('a 429 met by one client pauses the area for the other', async () => {
    const listener = await listen(json({}, 429, { 'retry-after': '9' }));
    const [one, two] = [1, 2].map(() => openUpstream(listener.url, { rates: limiter(50) }));
    if (!one || !two) throw new Error('two clients');
    const account = liveAccount();
    await one.upstream.payments.balances(account);
    const answer = await two.upstream.admit(account, 'payments', 'look');
    expect(!answer.admitted && answer.retryAfterMs).toBeGreaterThan(8_000);
    expect(await two.upstream.admit(account, 'messaging', 'act')).toEqual({ admitted: true });
    await Promise.all([one.upstream.close(), two.upstream.close(), listener.close()]);
  });

  test('each request of a full second waits for its own permit', async () => {
    const one = limiter(20);
    await admitted([one], 22, 'act');
    const sorted = waits.toSorted((a, b) => a - b);
    expect(sorted.length).toBeGreaterThanOrEqual(19);
    expect(sorted.at(-1)).toBeLessThanOrEqual(1_000);
    expect(sorted.at(-1)).toBeGreaterThan(800);
  });
});

test('without a rate, the ledger is asked once in a while, and only for pauses', async () => {
  const asked: string[] = [];
  const run = async (name: string) => {
    asked.push(name);
    return [];
  };
  expect(await admitted([inLedger(0, { run })], 500, 'act')).toBe(500);
  expect([asked, waits]).toEqual([['provider_pause'], []]);
});

test('a pause holds in its own process even when PostgreSQL is away', async () => {
  const run = () => Promise.reject(new Error('away'));
  for (const one of [inLedger(0, { run }), inLedger(20, { run })]) {
    await one.pause('main', 'payments', 5_000);
    expect(await one.admit('main', 'payments', 'act')).toMatchObject({ admitted: false });
  }
  await expect(inLedger(20, { run }).admit('main', 'payments', 'act')).rejects.toThrow('away');
});

test('a busy process takes permits in lots, and one that is refused asks no more than it must', async () => {
  const asked: string[] = [];
  const counting: Pick<Database, 'run'> = {
    run: (name, values) => {
      asked.push(name);
      return ledger.database.run(name, values);
    },
  };
  const busy = inLedger(1_000, counting);
  for (let nth = 0; nth < 300; nth += 1) await busy.admit('main', 'payments', 'act');
  expect(asked.length).toBeLessThan(150);
  const slow = inLedger(1, counting);
  asked.length = 0;
  for (let nth = 0; nth < 300; nth += 1) await slow.admit('slow', 'payments', 'act');
  expect(asked.length).toBeLessThan(150);
});

test('unused permits expire, and a clock that was set back stops no process', async () => {
  let mono = 0;
  const own = { ...clock, monotonic: () => mono };
  const one = new LedgerRates({ database: ledger.database, clock: own, ratePerSecond: 100 });
  for (let nth = 0; nth < 10; nth += 1) await one.admit('main', 'payments', 'act');
  mono += 10_000;
  expect(await one.admit('main', 'payments', 'act')).toEqual({ admitted: true });
  await ledger.query(
    `update relais.rate set all_at = now() + interval '1 hour', look_at = now() + interval '1 hour'`,
  );
  expect(await inLedger(100).admit('main', 'payments', 'look')).toEqual({ admitted: true });
});
