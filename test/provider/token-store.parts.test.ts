/** What the store of the SMS token promises: leases, generations, refusals and pauses. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TokenStore } from '../../src/provider/messaging/token-store.ts';
import { type TokensUnderTest, ledgerTokens } from './token-stores.ts';

const HOUR_MS = 3_600_000;

let tokens: TokensUnderTest;
let store: TokenStore;
let other: TokenStore;
beforeEach(async () => {
  tokens = await ledgerTokens();
  store = (await tokens.open())('main', 'credentials');
  other = (await tokens.open())('main', 'credentials');
});
afterEach(() => tokens.close());

async function stored(text = 'sealed'): Promise<number> {
  expect(await store.lock('one', 10_000)).toBe(true);
  return store.store('one', text, HOUR_MS);
}

test('one process has the lease of a login, and only it stores a token', async () => {
  const locks = await Promise.all([store.lock('one', 10_000), other.lock('two', 10_000)]);
  expect(locks.filter(Boolean)).toHaveLength(1);
  const [owner, loser] = locks[0] ? ['one', 'two'] : ['two', 'one'];
  expect(await other.store(loser ?? '', 'stolen', HOUR_MS)).toBe(0);
  await other.unlock(loser ?? '');
  expect(await store.store(owner ?? '', 'sealed', HOUR_MS)).toBe(1);
  expect(await other.store(owner ?? '', 'again', HOUR_MS)).toBe(0);
  const { token, pause } = await other.look();
  expect([token, pause]).toEqual([
    { sealed: 'sealed', generation: 1, usableMs: HOUR_MS, remainingMs: expect.any(Number) },
    undefined,
  ]);
  expect(await other.lock('three', 10_000)).toBe(true);
});

test('a refused token is removed once, and an older refusal removes nothing', async () => {
  expect([await stored('first'), await stored('second')]).toEqual([1, 2]);
  expect(await other.invalidate(1)).toEqual({ waitMs: 0, contested: false });
  expect((await store.look()).token).toMatchObject({ sealed: 'second' });
  await Promise.all([store.invalidate(2), other.invalidate(2)]);
  expect((await store.look()).token).toBeUndefined();
});

test('a second fresh token that is refused pauses the login: another system uses it', async () => {
  await stored();
  expect(await store.invalidate(1)).toEqual({ waitMs: 0, contested: false });
  await stored();
  expect(await other.invalidate(2)).toEqual({ waitMs: 60_000, contested: true });
  const { token, pause } = await store.look();
  expect(token).toBeUndefined();
  expect(pause).toMatchObject({ is: 'config', code: 'token_refused_repeatedly' });
  expect(pause?.remainingMs).toBeGreaterThan(50_000);
});

test('tokens refused for their age cost one login in ten seconds', async () => {
  for (const generation of [1, 2]) {
    expect(await stored()).toBe(generation);
    await tokens.shortenToken(HOUR_MS / 2);
    const { waitMs, contested } = await store.invalidate(generation);
    expect(contested).toBe(false);
    if (generation === 1) expect(waitMs).toBe(0);
    else expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(10_000);
  }
  expect((await other.look()).token).toMatchObject({ generation: 2 });
});

test('the pause after a failed login doubles up to the most, ends the lease, and ends with a token', async () => {
  const failed = async (): Promise<number> => {
    await store.lock('one', 10_000);
    return store.pause('one', { is: 'config', code: 'ERROR_105' }, 1_000, 3_000);
  };
  expect([await failed(), await failed(), await failed(), await failed()]).toEqual([1_000, 2_000, 3_000, 3_000]);
  expect((await other.look()).pause).toMatchObject({ is: 'config', code: 'ERROR_105' });
  expect(await other.lock('two', 10_000)).toBe(true);
  expect(await other.store('two', 'sealed', HOUR_MS)).toBe(1);
  expect((await store.look()).pause).toBeUndefined();
  expect(await failed()).toBe(1_000);
});

test('how a login was understood is remembered', async () => {
  expect(await store.encoding()).toBeNull();
  await store.lock('one', 10_000);
  await store.rememberEncoding('json');
  expect(await other.encoding()).toBe('json');
});
