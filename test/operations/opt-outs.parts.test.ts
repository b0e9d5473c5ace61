import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OptOuts as LedgerOptOuts } from '../../src/ledger/opt-outs.ts';
import { Database } from '../../src/ledger/pool.ts';
import { OptOuts } from '../../src/operations/opt-outs.ts';
import { freshLedger } from '../support/fresh-ledger.ts';
import { freshRedis, keysLike } from '../support/fresh-redis.ts';

type Answers = Pick<OptOuts, 'page' | 'count' | 'among'> & {
  add(list: { account: string; sender: string }, phones: readonly string[]): Promise<number>;
  remove(list: { account: string; sender: string }, phones: readonly string[]): Promise<number>;
  forget(phone: string): Promise<number>;
};

interface Store {
  readonly optOuts: Answers;
  /** All stored text. */
  readonly written: () => Promise<string>;
  empty(): Promise<unknown>;
  close(): Promise<void>;
}

async function inRedis(): Promise<Store> {
  const fresh = await freshRedis();
  const { redis } = fresh;
  const written = async () => {
    const lists = (await keysLike(redis, '*optouts*')).map((key) => redis.smembers(key));
    return JSON.stringify(await Promise.all(lists));
  };
  return { optOuts: new OptOuts(redis), written, empty: () => redis.flushdb(), close: () => fresh.close() };
}

async function inLedger(): Promise<Store> {
  const ledger = await freshLedger();
  const database = new Database(ledger);
  return {
    optOuts: new LedgerOptOuts({ database }),
    written: async () => JSON.stringify(await ledger.query('select * from relais.opt_out')),
    empty: () => ledger.query('truncate relais.opt_out'),
    close: async () => {
      await database.close();
      await ledger.close();
    },
  };
}

const all = { account: 'main', sender: '' };
const shop = { account: 'main', sender: 'SHOP' };
const AWA = '+221771234567';
const BINTA = '+221771234568';

describe.each([
  ['Redis', inRedis],
  ['the ledger', inLedger],
])('opt-outs in %s', (_store, open) => {
  let store: Store;
  let optOuts: Answers;
  let written: Store['written'];
  beforeAll(async () => {
    store = await open();
    ({ optOuts, written } = store);
  });
  afterAll(() => store?.close());
  beforeEach(() => store.empty());

  test('who opted out of everything is left out whoever sends; who opted out of one sender, only by that one', async () => {
    expect(await optOuts.add(all, [AWA])).toBe(1);
    expect(await optOuts.add(shop, [BINTA])).toBe(1);
    const people = [
      { to: AWA, sender: 'SHOP' },
      { to: AWA },
      { to: BINTA, sender: 'SHOP' },
      { to: BINTA, sender: 'BANK' },
      { to: BINTA },
    ];
    expect(await optOuts.among('main', people)).toEqual([true, true, true, false, false]);
    expect(await optOuts.among('other', people)).toEqual([false, false, false, false, false]);
  });

  test('opting out twice counts once, and opting in again takes it back', async () => {
    expect([await optOuts.add(all, [AWA]), await optOuts.add(all, [AWA])]).toEqual([1, 0]);
    expect([await optOuts.remove(all, [AWA]), await optOuts.remove(all, [AWA])]).toEqual([1, 0]);
    expect(await optOuts.among('main', [{ to: AWA }])).toEqual([false]);
  });

  test('a list that was kept as bare digits is found by every spelling of its numbers', async () => {
    await optOuts.add(all, [AWA]);
    expect(await written()).toContain('221771234567');
    const spellings = [{ to: AWA }, { to: '221771234567' }, { to: '00221771234567' }];
    expect(await optOuts.among('main', spellings)).toEqual([true, true, true]);
    expect(await optOuts.add(all, ['00221 77 123 45 67'])).toBe(0);
    expect(await optOuts.forget('00221771234567')).toBe(1);
    expect(await optOuts.among('main', spellings)).toEqual([true, true, true]);
  });

  test('thousands are listed page by page, nobody left out', async () => {
    const many = Array.from({ length: 5_000 }, (_, n) => `+22177${String(1_000_000 + n)}`);
    expect(await optOuts.add(all, many)).toBe(5_000);
    const found = new Set<string>();
    let after: string | undefined;
    do {
      const page = await optOuts.page(all, { limit: 700, ...(after ? { after } : {}) });
      for (const phone of page.phones) found.add(phone);
      after = page.next;
    } while (after !== undefined);
    expect(found).toEqual(new Set(many));
  });

  test('a forgotten number is written nowhere, and its person is still not texted, until they opt in again', async () => {
    await optOuts.add(all, [AWA]);
    await optOuts.add(shop, [BINTA]);
    expect([await optOuts.forget(AWA), await optOuts.forget(BINTA), await optOuts.forget('+221770000000')]).toEqual([
      1, 1, 0,
    ]);
    expect(await written()).not.toMatch(/22177123/);
    expect(await optOuts.count(all)).toEqual({ listed: 0, forgotten: 2 });
    const people = [{ to: AWA }, { to: BINTA, sender: 'SHOP' }, { to: BINTA }];
    expect(await optOuts.among('main', people)).toEqual([true, true, false]);
    expect(await optOuts.remove(all, [AWA])).toBe(1);
    expect(await optOuts.among('main', [{ to: AWA }])).toEqual([false]);
  });

  test('a person who was forgotten, and opted out once more, is one person when they opt in again', async () => {
    await optOuts.add(all, [AWA, BINTA]);
    await optOuts.forget(AWA);
    expect(await optOuts.add(all, [AWA])).toBe(1);
    expect(await optOuts.remove(all, [AWA, BINTA, BINTA, '+221771234569'])).toBe(2);
    expect(await optOuts.among('main', [{ to: AWA }, { to: BINTA }])).toEqual([false, false]);
    expect(await optOuts.count(all)).toEqual({ listed: 0, forgotten: 0 });
  });

  test('who opted out with a number of before its country added two digits is left out by today’s, and the other way round', async () => {
    const people = [{ to: '+22507080910' }, { to: '+2250707080910', sender: 'SHOP' }, { to: '+2250507080910' }];
    await optOuts.add(all, ['+22507080910']);
    expect(await optOuts.among('main', people)).toEqual([true, true, false]);
    expect(await optOuts.forget('+2250707080910')).toBe(1);
    expect(await written()).not.toMatch(/07080910/);
    expect(await optOuts.among('main', people)).toEqual([true, true, false]);
    await optOuts.add(all, ['+22507080910', '+2250707080910']);
    expect(await optOuts.remove(all, ['+2250707080910'])).toBe(1);
    expect(await optOuts.among('main', people)).toEqual([false, false, false]);
    await optOuts.add(shop, ['+2250707080910']);
    expect(await optOuts.remove(shop, ['+2250707080910', '+22507080910', '+22507080911'])).toBe(1);
  });

  test('who opted out of a sender is left out however its name is written, and taken back by any spelling of it', async () => {
    const spelled = { account: 'main', sender: 'Shop' };
    await optOuts.add(spelled, [AWA]);
    const people = [
      { to: AWA, sender: 'SHOP' },
      { to: AWA, sender: ' shop ' },
      { to: AWA, sender: 'SHOP2' },
      { to: AWA },
    ];
    expect(await optOuts.among('main', people)).toEqual([true, true, false, false]);
    expect(await optOuts.among('other', people)).toEqual([false, false, false, false]);
    await optOuts.add(shop, [AWA]);
    expect(await optOuts.remove({ account: 'main', sender: 'shop' }, [AWA, BINTA])).toBe(1);
    expect(await optOuts.among('main', people)).toEqual([false, false, false, false]);
    await optOuts.add(spelled, [BINTA]);
    expect(await optOuts.forget(BINTA)).toBe(1);
    expect(await optOuts.among('main', [{ to: BINTA, sender: 'SHOP' }])).toEqual([true]);
    expect(await optOuts.remove(shop, [BINTA])).toBe(1);
    expect(await optOuts.among('main', [{ to: BINTA, sender: 'SHOP' }])).toEqual([false]);
  });
});
