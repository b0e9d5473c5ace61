/** Doors whose clocks are wrong, at one limit of the day. */
import { afterEach, expect, test, vi } from 'vitest';
import { systemRandom } from '../../src/lib/random.ts';
import { Operations } from '../../src/operations/operations.ts';
import { keysLike, storeOfThisFile } from '../support/fresh-redis.ts';

const store = storeOfThisFile();
afterEach(() => void vi.useRealTimers());

const DAY_MS = 86_400_000;

/** Each has the program alone: what its machine takes for now is its own affair. */
async function askedAt(door: Operations, id: string, ahead: number, dryRun = false) {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ahead });
  try {
    const limits = { MAX_PER_DAY: 15_000 };
    const judge = dryRun ? new Operations({ redis: store.redis, random: systemRandom, limits, dryRun }) : door;
    const asked = {
      kind: 'disbursement',
      state: 'queued',
      account: 'main',
      xof: 10_000,
      id,
      fingerprint: id,
    } as const;
    const fields = { amount: 10_000, accountAlias: '771234567', withdrawMode: 'wallet-a-senegal', disburseId: id };
    return await judge.accept({ ...asked, beneficiary: `SN ${id}`, fields });
  } finally {
    vi.useRealTimers();
  }
}

test.for([
  ['a day ahead', DAY_MS],
  ['a week behind', -7 * DAY_MS],
] as const)('a day has one sum, also for a door whose clock is %s', async ([_says, ahead]) => {
  const door = new Operations({ redis: store.redis, random: systemRandom, limits: { MAX_PER_DAY: 15_000 } });
  expect((await askedAt(door, 'dsb_right', 0)).outcome).toBe('accepted');
  expect(await askedAt(door, 'dsb_wrong', ahead, true)).toMatchObject({ outcome: 'limited', limit: 'MAX_PER_DAY' });
  expect(await askedAt(door, 'dsb_wrong', ahead)).toMatchObject({ outcome: 'limited', limit: 'MAX_PER_DAY' });
  // The sum is of the day that Redis has.
  const [seconds] = await store.redis.time();
  const day = new Date(Number(seconds) * 1_000).toISOString().slice(0, 10);
  expect((await keysLike(store.redis, '*accepted:*')).map((name) => name.slice(-10))).toEqual([day]);
});
