/** A page of records: the newest first, filtered before it is cut, and from a place that is found again. */
import { describe, expect, test } from 'vitest';
import { Queries as LedgerQueries } from '../../src/ledger/queries.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Operations } from '../../src/operations/operations.ts';
import { keys } from '../../src/operations/keys.ts';
import { Queries } from '../../src/operations/queries.ts';
import { insertOperations } from '../support/ledger-rows.ts';
import { ledgerOfThisFile } from '../support/ledger-of-file.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';

const store = storeOfThisFile();
const ledger = ledgerOfThisFile('operation');

interface Asked {
  readonly id: string;
  readonly account?: string;
  readonly state?: 'queued' | 'held';
}

interface World {
  readonly queries: Pick<Queries, 'page'>;
  readonly accept: (asked: Asked) => Promise<void>;
  readonly reject: (id: string) => Promise<void>;
}

const FIELDS = { amount: 500, accountAlias: '771234567', withdrawMode: 'wallet-a-senegal', disburseId: 'd' };
const FIRST = 1_700_000_000_000;

/** `stepMs` apart. */
function onRedis(stepMs: number): World & { readonly operations: Operations; readonly queries: Queries } {
  let now = FIRST;
  const operations = new Operations({ redis: store.redis, random: systemRandom, now: () => (now += stepMs) });
  const queries = new Queries(store.redis);
  return {
    operations,
    queries,
    accept: async ({ id, account = 'main', state = 'queued' }) => {
      await operations.accept({ kind: 'disbursement', id, state, account, fingerprint: id, fields: FIELDS });
    },
    reject: async (id) => {
      const record = await queries.read('disbursement', id);
      await operations.transition(record!, undefined, { to: 'rejected', set: { reason: 'test' } });
    },
  };
}

function onLedger(stepMs: number): World {
  let now = FIRST;
  return {
    queries: new LedgerQueries({ database: ledger.database }),
    accept: ({ id, account = 'main', state = 'queued' }) =>
      insertOperations(ledger, [
        { id, account, state, created_at: new Date((now += stepMs)).toISOString(), amount: FIELDS.amount },
      ]),
    reject: async (id) => {
      await ledger.query(`update relais.operation set state = 'rejected', finished_at = now() where id = '${id}'`);
    },
  };
}

const worlds: readonly (readonly [string, (stepMs: number) => World])[] = [
  ['Redis', onRedis],
  ['PostgreSQL', onLedger],
];

/** One a millisecond, so that there is an order. */
async function madeIn(
  open: (stepMs: number) => World,
  count: number,
  more: (index: number) => Omit<Asked, 'id'>,
): Promise<World> {
  const world = open(1);
  for (let index = 0; index < count; index += 1) await world.accept({ id: `dsb_${index}`, ...more(index) });
  return world;
}

const idsOf = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id);

describe.each(worlds)('in %s', (_name, open) => {
  const made = (count: number, more: (index: number) => Omit<Asked, 'id'>) => madeIn(open, count, more);

  test('the newest come first, and later pages give older ones, whatever was accepted meanwhile', async () => {
    const { queries, accept } = await made(5, () => ({}));
    const first = await queries.page('disbursement', { limit: 2 });
    expect(idsOf(first.items)).toEqual(['dsb_4', 'dsb_3']);
    await accept({ id: 'dsb_5' });
    const second = await queries.page('disbursement', { limit: 2, after: first.next });
    expect(idsOf(second.items)).toEqual(['dsb_2', 'dsb_1']);
    const last = await queries.page('disbursement', { limit: 2, after: second.next });
    expect([idsOf(last.items), last.next]).toEqual([['dsb_0'], undefined]);
  });

  test('a page of one account is filled from below those of the others', async () => {
    const { queries } = await made(12, (index) => ({ account: index < 3 ? 'main' : 'other' }));
    const { items, next } = await queries.page('disbursement', { limit: 3, accounts: ['main'] });
    expect([idsOf(items), next]).toEqual([['dsb_2', 'dsb_1', 'dsb_0'], undefined]);
  });

  test('what is filtered has as many pages as it needs, the end among them', async () => {
    const { queries } = await made(7, () => ({}));
    const pages = [];
    let after: string | undefined;
    do {
      const page = await queries.page('disbursement', { limit: 3, accounts: ['main'], after });
      pages.push(idsOf(page.items).length);
      after = page.next;
    } while (after !== undefined);
    expect(pages).toEqual([3, 3, 1]);
  });

  test('a page goes on after a record that has left its state meanwhile', async () => {
    const { queries, reject } = await made(4, () => ({ state: 'held' }));
    const first = await queries.page('disbursement', { limit: 2, states: ['held'] });
    expect(idsOf(first.items)).toEqual(['dsb_3', 'dsb_2']);
    await reject('dsb_2');
    const second = await queries.page('disbursement', { limit: 2, states: ['held'], after: first.next });
    expect(idsOf(second.items)).toEqual(['dsb_1', 'dsb_0']);
  });

  test('one of another account among many is found at once', async () => {
    const { queries } = await made(25, (index) => ({ account: index === 0 ? 'main' : 'other' }));
    const { items, next } = await queries.page('disbursement', { limit: 2, accounts: ['main'] });
    expect([idsOf(items), next]).toEqual([['dsb_0'], undefined]);
  });

  test('what was accepted in the same moment is shown once each, however the pages fall', async () => {
    const { queries, accept } = open(0);
    const names = Array.from({ length: 40 }, (_, index) => `dsb_${index}`);
    for (const [index, id] of names.entries()) await accept({ id, state: index % 2 === 0 ? 'queued' : 'held' });
    const seen: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await queries.page('disbursement', { limit: 3, after });
      seen.push(...idsOf(page.items));
      after = page.next;
      if (after === undefined) break;
    }
    expect(seen).toHaveLength(40);
    expect(seen.toSorted()).toEqual(names.toSorted());
  });

  test('several states are one list, in the order in which they were asked for', async () => {
    const { queries, reject } = await made(6, (index) => ({ state: index % 2 === 0 ? 'held' : 'queued' }));
    await reject('dsb_0');
    const { items } = await queries.page('disbursement', { limit: 9, states: ['rejected', 'held'] });
    expect(idsOf(items)).toEqual(['dsb_4', 'dsb_2', 'dsb_0']);
  });
});

test('a walk that finds little is cut, and leads on', async () => {
  const { queries, accept } = onRedis(1);
  await accept({ id: 'dsb_0' });
  const later = Array.from({ length: 6_000 }, (_, n) => [1_700_000_001_000 + n, `dsb_x${n}.1`]).flat();
  await store.redis.zadd(keys.listed('disbursement', 'main', 'queued'), ...later);
  const first = await queries.page('disbursement', { limit: 2, amountMin: 2 });
  expect([first.items, typeof first.next]).toEqual([[], 'string']);
  const second = await queries.page('disbursement', { limit: 2, amountMin: 2, after: first.next });
  expect([idsOf(second.items), second.next]).toEqual([['dsb_0'], undefined]);
});

test('of many accounts no more is asked for a page that finds little, and none is left out', async () => {
  const accounts = ['main', ...Array.from({ length: 49 }, (_, nth) => `shop-${nth}`)];
  const [all, rare] = [10_000, 'dsb_rare.2'];
  const pipeline = store.redis.pipeline().sadd(keys.accounts, ...accounts);
  for (let nth = 0; nth < all; nth += 1) {
    const account = nth % 2 === 0 ? 'main' : (accounts[1 + (Math.floor(nth / 2) % 49)] ?? '');
    pipeline.zadd(keys.listed('disbursement', account, 'succeeded'), nth, nth === 0 ? rare : `dsb_x${nth}.1`);
  }
  await pipeline.exec();
  const asked: number[] = [];
  const multi = () => {
    const chain = store.redis.multi();
    const exec = chain.exec.bind(chain);
    return Object.assign(chain, {
      exec: async () => {
        const answers = await exec();
        asked.push((answers ?? []).reduce((sum, [, found]) => sum + 1 + (found as unknown[]).length / 2, 0));
        return answers;
      },
    });
  };
  const counted = new Proxy(store.redis, {
    get: (redis, name) => {
      const own: unknown = name === 'multi' ? multi : Reflect.get(redis, name);
      return typeof own === 'function' ? own.bind(redis) : own;
    },
  });
  const queries = new Queries(counted);
  let after: string | undefined;
  do {
    asked.length = 0;
    ({ next: after } = await queries.page('disbursement', { limit: 50, amountMin: 2, after }));
    expect(asked.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(5_000);
  } while (after !== undefined);
  expect(asked.length).toBeGreaterThan(0);
});

test('a campaign that is under way is found below any number of those that are over', async () => {
  const { operations, queries } = onRedis(1);
  await operations.accept({
    kind: 'campaign',
    id: 'cmp_0',
    state: 'draft',
    account: 'main',
    fingerprint: 'f',
    fields: { name: 'n', text: 't' },
  });
  const later = Array.from({ length: 2_000 }, (_, n) => [1_800_000_000_000 + n, `cmp_x${n}`]).flat();
  await store.redis.zadd(keys.index('campaign'), ...later);
  const { items, next } = await queries.page('campaign', { limit: 2, states: ['draft', 'running'] });
  expect([idsOf(items), next]).toEqual([['cmp_0'], undefined]);
});
