/** A list is one list, wherever its rows are: from Redis while it has them, from history after that. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HistoryReader } from '../../src/history/reader.ts';
import type { Named } from '../../src/operations/places.ts';
import { type NamedPage, Queries } from '../../src/operations/queries.ts';
import { type FreshPostgres, freshPostgres } from '../support/fresh-postgres.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { type HistoryWorld, historyWorld, PAID, trimmerOf, writerOf } from './history-world.ts';

const DAY_MS = 86_400_000;
const NOON = Date.parse('2026-11-01T12:00:00Z');
const LATER = NOON + 8 * DAY_MS;
const NOWHERE = 'postgres://127.0.0.1:1/none';

const store = storeOfThisFile();
let database: FreshPostgres;
let world: HistoryWorld;
let reader: HistoryReader;
let queries: Queries;
let now: number;

beforeEach(async () => {
  database = await freshPostgres();
  turnTo(NOON, (world = historyWorld(store.redis, NOON)));
  reader = new HistoryReader(database.url, () => undefined);
  queries = new Queries(store.redis, reader);
});
afterEach(async () => {
  await reader?.close();
  await database?.close();
});

function turnTo(ms: number, of = world): void {
  now = ms;
  of.turnTo(ms);
}

async function pass(): Promise<void> {
  const trimmer = trimmerOf(store.redis, world.operations, { now: () => now });
  const writer = writerOf(store.redis, () => database.url, { accounts: ['main', 'other'], trimmer });
  await writer.pass();
  await writer.close();
}

async function paid(id: string, ...more: Parameters<HistoryWorld['ask']> extends [string, ...infer M] ? M : never) {
  await world.ask(id, ...more);
  await world.go(id, ...PAID);
  turnTo(now + 1);
}

/** Two that leave, then two that stay: `dsb_a`, `dsb_b`, `dsb_c`, `dsb_d`, the last being the newest. */
async function twoAndTwo(): Promise<void> {
  await paid('dsb_a');
  await paid('dsb_b', {
    xof: 700,
    fields: { ...FIELDS, amount: 700, accountAlias: '772222222' },
    phone: 'SN 772222222',
  });
  await pass();
  turnTo(LATER);
  await pass();
  await paid('dsb_c');
  await paid('dsb_d', { account: 'other' });
}

const FIELDS = { amount: 500, accountAlias: '771000000', disburseId: 'dsb_b', withdrawMode: 'wallet-a-senegal' };

const idsOf = ({ items }: { readonly items: readonly { readonly id: string }[] }) => items.map(({ id }) => id);

/** All pages, of so many rows each. */
async function turned(asked: NamedPage, between: () => Promise<void> = async () => undefined): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | undefined, pages = 0; pages < 20; pages += 1) {
    const page = await queries.page('disbursement', { ...asked, after });
    ids.push(...idsOf(page));
    if (page.next === undefined) return ids;
    after = page.next;
    await between();
  }
  throw new Error(`it does not end: ${ids.join(' ')}`);
}

test('one page comes from both, the newest first, and each is there once', async () => {
  await twoAndTwo();
  expect(await queries.page('disbursement', { limit: 10 })).toMatchObject({
    items: [{ id: 'dsb_d' }, { id: 'dsb_c' }, { id: 'dsb_b', state: 'succeeded' }, { id: 'dsb_a' }],
  });
  // History has those that are still in Redis too.
  await pass();
  expect(idsOf(await queries.page('disbursement', { limit: 10 }))).toEqual(['dsb_d', 'dsb_c', 'dsb_b', 'dsb_a']);
});

test('what left reads as it was read before', async () => {
  await paid('dsb_a');
  const before = await queries.read('disbursement', 'dsb_a');
  await pass();
  turnTo(LATER);
  await pass();
  const { fields: _near, evidence: _lines, ...shown } = before ?? { fields: {}, evidence: {} };
  expect(await queries.page('disbursement', { limit: 1 })).toMatchObject({ items: [shown] });
});

test.for([1, 2, 3])('pages of %i go on through both without a gap', async (limit) => {
  await twoAndTwo();
  expect(await turned({ limit })).toEqual(['dsb_d', 'dsb_c', 'dsb_b', 'dsb_a']);
});

test('what leaves between two pages is neither left out nor told twice', async () => {
  for (const id of ['dsb_a', 'dsb_b', 'dsb_c', 'dsb_d', 'dsb_e']) {
    await paid(id);
    turnTo(now + DAY_MS);
  }
  await pass();
  const left: number[] = [];
  const all = await turned({ limit: 1 }, async () => {
    turnTo(now === NOON + 5 * DAY_MS + 5 ? LATER : now + DAY_MS);
    await pass();
    left.push((await new Queries(store.redis).page('disbursement', { limit: 10 })).items.length);
  });
  expect(all).toEqual(['dsb_e', 'dsb_d', 'dsb_c', 'dsb_b', 'dsb_a']);
  expect(left).toEqual([4, 3, 2, 1]);
});

test('those of one moment are told apart on both sides', async () => {
  for (const id of ['dsb_a', 'dsb_c', 'dsb_e']) await world.accept(id);
  for (const id of ['dsb_a', 'dsb_c', 'dsb_e']) await world.go(id, ...PAID);
  await pass();
  turnTo(LATER);
  await pass();
  turnTo(NOON);
  for (const id of ['dsb_b', 'dsb_d']) await world.accept(id);
  expect(await turned({ limit: 1 })).toEqual(['dsb_e', 'dsb_d', 'dsb_c', 'dsb_b', 'dsb_a']);
});

test('filters hold in history as they do in Redis', async () => {
  await twoAndTwo();
  const cases: readonly (readonly [Partial<NamedPage>, readonly string[]])[] = [
    [{ states: ['succeeded'] }, ['dsb_d', 'dsb_c', 'dsb_b', 'dsb_a']],
    [{ states: ['failed', 'held'] }, []],
    [{ accounts: ['main'] }, ['dsb_c', 'dsb_b', 'dsb_a']],
    [{ accounts: ['other'] }, ['dsb_d']],
    [{ accounts: [] }, []],
    [{ createdFrom: NOON + 1, createdTo: LATER }, ['dsb_c', 'dsb_b']],
    [{ amountMin: 600 }, ['dsb_b']],
    [{ amountMax: 699, createdTo: NOON + 1 }, ['dsb_a']],
    [{ named: [['phone', 'SN 771000000']] }, ['dsb_d', 'dsb_c', 'dsb_a']],
    [{ named: [['disburseId', 'dsb_b']] }, ['dsb_b']],
    [
      {
        named: [
          ['disburseId', 'dsb_b'],
          ['phone', 'SN 771000000'],
        ],
      },
      [],
    ],
  ];
  for (const [filters, ids] of cases)
    expect([filters, await turned({ limit: 2, ...filters })]).toEqual([filters, ids]);
});

test('what left is found by its id, its reference, and all its names, and is told once', async () => {
  await twoAndTwo();
  const found = async (word: string, named: readonly Named[], accounts?: readonly string[]) => {
    const { items } = await queries.sought({ word, ids: [word], named }, { accounts, limit: 9 });
    return idsOf({ items });
  };
  expect(await found('dsb_a', [['disburseId', 'dsb_a']])).toEqual(['dsb_a']);
  expect(await found('of-dsb_a', [])).toEqual(['dsb_a']);
  expect(await found('of-dsb_a', [], ['other'])).toEqual([]);
  expect(await found('77', [['phone', 'SN 771000000']])).toEqual(['dsb_d', 'dsb_c', 'dsb_a']);
  await pass();
  expect(await found('77', [['phone', 'SN 771000000']])).toEqual(['dsb_d', 'dsb_c', 'dsb_a']);
});

test('what left is found by its reference, whichever identity it was accepted under', async () => {
  await twoAndTwo();
  const asked = { reference: 'of-dsb_a', accounts: ['main', 'other'] };
  expect(idsOf(await queries.referred('disbursement', ['dsb_never'], asked))).toEqual(['dsb_a']);
  expect(idsOf(await queries.referred('disbursement', [], { ...asked, states: ['failed'] }))).toEqual([]);
});

test('while Redis has it, it is as Redis has it', async () => {
  await paid('dsb_a');
  await paid('dsb_b');
  await pass();
  turnTo(LATER);
  await database.query("update relais.disbursements set amount = 501 where id = 'dsb_b'");
  await pass();
  await world.go('dsb_b', 'reversed');
  expect(await queries.page('disbursement', { limit: 9, states: ['succeeded'] })).toMatchObject({
    items: [{ id: 'dsb_a' }],
  });
  expect(await queries.page('disbursement', { limit: 9, states: ['reversed'] })).toMatchObject({
    items: [{ id: 'dsb_b', amount: 500 }],
  });
});

test('of two rows of one operation the higher revision is told', async () => {
  await paid('dsb_a');
  await pass();
  turnTo(LATER);
  await pass();
  await database.query(
    `insert into relais.disbursements select (jsonb_populate_record(d, jsonb_build_object(
      'created_at', d.created_at + interval '1 second', 'rev', d.rev - 1, 'state', 'failed'))).* from relais.disbursements d`,
  );
  expect(await database.query('select state from relais.disbursements')).toHaveLength(2);
  expect(await turned({ limit: 1 })).toEqual(['dsb_a']);
  expect(await queries.page('disbursement', { limit: 5 })).toMatchObject({ items: [{ state: 'succeeded' }] });
});

describe('while history is away', () => {
  test('what Redis has is told, and that there is more', async () => {
    await twoAndTwo();
    const { items, ...rest } = await away().page('disbursement', { limit: 10 });
    expect([idsOf({ items }), rest]).toEqual([['dsb_d', 'dsb_c'], { incomplete: true }]);
  });

  test('nothing is missing where nothing left, or what is asked for never leaves', async () => {
    await paid('dsb_a');
    expect(await away().page('disbursement', { limit: 10 })).not.toHaveProperty('incomplete');
    await pass();
    turnTo(LATER);
    await pass();
    expect(await away().page('disbursement', { limit: 10, states: ['held', 'queued'] })).toEqual({ items: [] });
  });

  const away = () => new Queries(store.redis, new HistoryReader(NOWHERE, () => undefined));
});
