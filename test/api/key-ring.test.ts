/** Keys created at run time, as cached by a process. */
import { expect, test } from 'vitest';
import { KeyRing, digestOf } from '../../src/api/keys.ts';
import type { MadeKey } from '../../src/ledger/api-keys.ts';

const SECRET = 'rk_secret';
const digest = digestOf(SECRET).toString('hex');
const key: MadeKey = { id: 'key_1', name: 'shop', madeBy: 'root', roles: ['read'], digest, createdAt: 0 };

/** A key ring whose reads end when the test allows it. */
function slowRing() {
  const clock = { mono: 10_000, now: () => clock.mono, monotonic: () => clock.mono };
  const readings: ((keys: readonly MadeKey[]) => void)[] = [];
  const read = (): Promise<readonly MadeKey[]> => new Promise((resolve) => readings.push(resolve));
  const ring = new KeyRing({ fixed: [], read, clock });
  return { clock, readings, ring };
}

const known = [key];
const revoked = [{ ...key, revokedAt: 12_000 }];
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a key that is revoked while a read hangs is not trusted because of it', async () => {
  const { clock, readings, ring } = slowRing();
  const early = ring.find(SECRET);
  clock.mono += 8_000;
  const late = ring.find(SECRET);
  readings[0]?.(known);
  await settled();
  expect((await early)?.id).toBe('key_1');
  readings[1]?.(revoked);
  expect(await late).toBeUndefined();
});

test('long-running requests are not kept alive by an earlier read either', async () => {
  const { clock, readings, ring } = slowRing();
  const found = ring.find(SECRET);
  readings[0]?.(known);
  const holder = await found;
  if (holder === undefined) throw new Error('the key is not known');
  clock.mono += 3_000;
  void ring.refresh();
  clock.mono += 3_000;
  const still = ring.stillHolds(holder);
  readings[1]?.(known);
  await settled();
  readings[2]?.(revoked);
  expect(await still).toBe(false);
});

test('a key that is created while a reading is under way is accepted after the next refresh', async () => {
  const { readings, ring } = slowRing();
  const early = ring.refresh();
  const late = Promise.all([ring.refresh(), ring.refresh()]);
  readings[0]?.([]);
  await early;
  await settled();
  readings[1]?.(known);
  await late;
  expect((await ring.find(SECRET))?.id).toBe('key_1');
  expect(readings).toHaveLength(2);
});
