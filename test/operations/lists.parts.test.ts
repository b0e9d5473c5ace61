/** A page of records: the newest first, filtered before it is cut, and from a place that is found again. */
import { expect, test } from 'vitest';
import { systemRandom } from '../../src/lib/random.ts';
import { Operations } from '../../src/operations/operations.ts';
import { Queries } from '../../src/operations/queries.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';

const store = storeOfThisFile();

/** One a millisecond, so that there is an order. */
async function made(count: number, more: (index: number) => { account?: string; state?: 'queued' | 'held' }) {
  let now = 1_700_000_000_000;
  const operations = new Operations({ redis: store.redis, random: systemRandom, now: () => (now += 1) });
  const fields = { amount: 500, accountAlias: '771234567', withdrawMode: 'wallet-a-senegal', disburseId: 'd' };
  for (let index = 0; index < count; index += 1) {
    const { account = 'main', state = 'queued' } = more(index);
    const id = `dsb_${index}`;
    await operations.accept({ kind: 'disbursement', id, state, account, fingerprint: id, fields });
  }
  return { operations, queries: new Queries(store.redis) };
}

const idsOf = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id);

test('the newest come first, and later pages give older ones, whatever was accepted meanwhile', async () => {
  const { queries, operations } = await made(5, () => ({}));
  const first = await queries.page('disbursement', { limit: 2 });
  expect(idsOf(first.items)).toEqual(['dsb_4', 'dsb_3']);
  const fields = { amount: 500, accountAlias: '771234567', withdrawMode: 'wallet-a-senegal', disburseId: 'd' };
  await operations.accept({
    kind: 'disbursement',
    id: 'dsb_5',
    state: 'queued',
    account: 'main',
    fingerprint: 'x',
    fields,
  });
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
  const { queries, operations } = await made(4, () => ({ state: 'held' }));
  const first = await queries.page('disbursement', { limit: 2, state: 'held' });
  expect(idsOf(first.items)).toEqual(['dsb_3', 'dsb_2']);
  const record = await queries.read('disbursement', 'dsb_2');
  await operations.transition(record!, undefined, { to: 'rejected', set: { reason: 'test' } });
  const second = await queries.page('disbursement', { limit: 2, state: 'held', after: first.next });
  expect(idsOf(second.items)).toEqual(['dsb_1', 'dsb_0']);
});

test('a walk that finds little is cut, and leads on', async () => {
  const { queries } = await made(25, (index) => ({ account: index === 0 ? 'main' : 'other' }));
  const first = await queries.page('disbursement', { limit: 2, accounts: ['main'] });
  expect([first.items, typeof first.next]).toEqual([[], 'string']);
  const second = await queries.page('disbursement', { limit: 2, accounts: ['main'], after: first.next });
  expect([idsOf(second.items), second.next]).toEqual([['dsb_0'], undefined]);
});
