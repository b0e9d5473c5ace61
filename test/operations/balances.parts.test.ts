/** What the accounts had left over time is read in pages, the newest first, and only what was asked for. */
import { expect, test } from 'vitest';
import { Balances } from '../../src/operations/balances.ts';
import { keys } from '../../src/operations/keys.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';

const store = storeOfThisFile();
const FIRST = 1_760_000_000_000;
const MINUTE = 60_000;

async function seen(account: string, count: number, everyMs = 10 * MINUTE): Promise<void> {
  const pipeline = store.redis.pipeline();
  for (let nth = 0; nth < count; nth += 1) {
    const look = { at: FIRST + nth * everyMs, balances: { SN: nth, CI: null } };
    pipeline.lpush(keys.balances(account), JSON.stringify(look));
  }
  await pipeline.exec();
}

async function pagesOf(page: { from?: number; to?: number; limit: number }, accounts = ['main', 'shop']) {
  const balances = new Balances(store.redis);
  const pages: { account: string; at: number }[][] = [];
  for (let after: string | undefined; ; ) {
    const { items, next } = await balances.history(accounts, { ...page, after });
    pages.push(items.map(({ account, seen: { at } }) => ({ account, at })));
    if (next === undefined) return pages;
    after = next;
  }
}

test('of two accounts each look is told once, the newest first, whatever the pages', async () => {
  await seen('main', 1_300);
  await seen('shop', 700);
  const pages = await pagesOf({ limit: 300 });
  const looks = pages.flat();
  expect(pages.map(({ length }) => length)).toEqual([300, 300, 300, 300, 300, 300, 200]);
  expect(new Set(looks.map(({ account, at }) => `${account} ${at}`)).size).toBe(2_000);
  expect(looks.map(({ at }) => at)).toEqual(looks.map(({ at }) => at).toSorted((a, b) => b - a));
});

test('its ends belong to a time that is asked for', async () => {
  await seen('main', 20);
  const [from, to] = [FIRST + 50 * MINUTE, FIRST + 70 * MINUTE];
  const [page] = await pagesOf({ from, to, limit: 10 });
  expect(page?.map(({ at }) => (at - FIRST) / MINUTE)).toEqual([70, 60, 50]);
});

test('accounts that are not asked for are not told of, and one that was never looked at is nothing', async () => {
  await seen('main', 3);
  expect(await pagesOf({ limit: 10 }, ['shop'])).toEqual([[]]);
});

test('a month of looks every ten minutes is kept, and no more', async () => {
  const balances = new Balances(store.redis);
  await seen('main', 6_000);
  await balances.note('main', { at: FIRST + 9_000_000 * MINUTE, balances: { SN: 1 } });
  expect(await store.redis.llen(keys.balances('main'))).toBe(5_040);
});
