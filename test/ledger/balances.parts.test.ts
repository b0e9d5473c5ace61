/** Balances of the accounts over time are read in pages, newest first, with the requested filters. */
import { expect, test } from 'vitest';
import { Balances } from '../../src/ledger/balances.ts';
import { ledgerOfThisFile } from '../support/ledger-of-file.ts';

const FIRST = 1_760_000_000_000;
const MINUTE = 60_000;

const ledger = ledgerOfThisFile('balance', 'leader');

const open = (): Balances => new Balances({ database: ledger.database });

/** A reading every ten minutes. */
const seen = (account: string, count: number): Promise<unknown> =>
  ledger.query(`insert into relais.balance (account, at, country, xof)
    select '${account}', to_timestamp(${FIRST / 1_000} + n * 600), c.country, case when c.country = 'SN' then n end
    from generate_series(0, ${count - 1}) n, unnest(array['SN', 'CI']) c(country)`);

async function pagesOf(page: { from?: number; to?: number; limit: number }, accounts = ['main', 'shop']) {
  const balances = open();
  const pages: { account: string; at: number }[][] = [];
  for (let after: string | undefined; ; ) {
    const { items, next } = await balances.history(accounts, { ...page, after });
    pages.push(items.map(({ account, seen: { at } }) => ({ account, at })));
    if (next === undefined) return pages;
    after = next;
  }
}

test('each balance of two accounts is listed one time, newest first, for any page size', async () => {
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

test('unrequested accounts are omitted, and one without a reading has none', async () => {
  await seen('main', 3);
  expect(await pagesOf({ limit: 10 }, ['shop'])).toEqual([[]]);
});

test('the newest balance of each account is returned, and an unreadable one is null', async () => {
  await seen('main', 3);
  const balances = open();
  await balances.note('shop', { at: FIRST, balances: { SN: 7, ML: null } });
  expect(await balances.latest(['main', 'shop', 'other'])).toEqual([
    { account: 'main', seen: { at: FIRST + 20 * MINUTE, balances: { SN: 2, CI: null } } },
    { account: 'shop', seen: { at: FIRST, balances: { SN: 7, ML: null } } },
  ]);
  expect(await balances.latest([])).toEqual([]);
});

test('one of many concurrent callers reads in an interval', async () => {
  const turns = await Promise.all([1, 2, 3].map(() => open().isMyTurn(3_600_000)));
  expect(turns.filter(Boolean)).toHaveLength(1);
});

test('after 35 days, the last balance of each day stays in PostgreSQL', async () => {
  await seen('main', 1_300);
  const lastAt = FIRST + 35 * 24 * 60 * MINUTE + 1_299 * 10 * MINUTE;
  await open().note('main', { at: lastAt, balances: { SN: 1 } });
  const days = await ledger.query<{ looks: number }>(`select count(distinct at)::int as looks from relais.balance
    where at < to_timestamp(${lastAt / 1_000}) group by (at at time zone 'UTC')::date order by (at at time zone 'UTC')::date`);
  // Readings of more than 40 days ago were thinned out while they were younger.
  expect(days.map(({ looks }) => looks).slice(-5)).toEqual([1, 1, 1, 1, 1]);
});
