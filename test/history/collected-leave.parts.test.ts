/** Invoices and payment requests leave Redis as payments do, and come back when something is said of them. */
import { expect, test } from 'vitest';
import { HistoryReader } from '../../src/history/reader.ts';
import { fingerprint } from '../../src/lib/ids.ts';
import { keys } from '../../src/operations/keys.ts';
import { Queries } from '../../src/operations/queries.ts';
import { keysLike, storeOfThisFile } from '../support/fresh-redis.ts';
import { historyOfThisFile } from './history-world.ts';

const DAY_MS = 86_400_000;
const NOON = Date.parse('2026-11-01T12:00:00Z');
const LATER = NOON + 8 * DAY_MS;

const store = storeOfThisFile();
const here = historyOfThisFile(store, NOON);
const { turnTo } = here;

const AFTER = { invoice: 7 * DAY_MS, payment_request: 7 * DAY_MS };
const pass = (): Promise<void> => here.pass({ after: AFTER });

const isThere = async (id: string) => (await store.redis.exists(keys.record(id))) === 1;

/** Asked of the service, and told by it. */
async function collected(kind: 'invoice' | 'payment_request', id: string, fields: Record<string, string | number>) {
  const ask = () =>
    here.world.operations.accept({
      kind,
      id,
      account: 'main',
      state: 'creating',
      fingerprint: fingerprint(id),
      reference: `of-${id}`,
      fields,
    });
  const becomes = async (to: 'pending' | 'completed' | 'failed', set: Record<string, string> = {}) => {
    const record = await new Queries(store.redis).read(kind, id);
    if (!record) throw new Error(`no ${id}`);
    expect(await here.world.operations.transition(record, undefined, { to, set })).toMatchObject({ is: 'applied' });
  };
  await ask();
  await becomes('pending', kind === 'invoice' ? { token: 'tok-1', request: '' } : { referenceNumber: 'PR-1' });
  await store.redis.zrem(keys.due('invoice-confirm'), id);
  await store.redis.zrem(keys.due('status-poll'), id);
  return { ask, becomes };
}

test('an invoice that was not paid leaves, and comes back when it is paid late', async () => {
  const bill = { totalAmount: 42_300, request: '{"items":[]}' };
  const { ask, becomes } = await collected('invoice', 'inv_a', bill);
  await becomes('failed');
  const before = await new Queries(store.redis).read('invoice', 'inv_a');
  await pass();
  turnTo(LATER);
  await pass();
  expect(await keysLike(store.redis, '*inv_a*')).toEqual([]);
  expect(await keysLike(store.redis, 'names:*')).toEqual([]);
  expect(await ask()).toMatchObject({ outcome: 'duplicate', state: 'failed' });
  const reader = new HistoryReader(here.database.url, () => undefined);
  // History stores no evidence of a record beside its lines.
  const { fields: _near, evidence: _lines, ...shown } = before ?? { fields: {}, evidence: {} };
  expect(await new Queries(store.redis, reader).read('invoice', 'inv_a')).toMatchObject(shown);
  await reader.close();

  const said = { operation: 'callback', code: 'completed' } as const;
  const posted = { redacted: '{}', agreesWith: ['completed'] };
  expect(await here.world.operations.nudge('invoice', 'inv_a', said, 5_000, posted)).toMatchObject({ is: 'final' });
  await pass();
  expect(await store.redis.zscore(keys.due('invoice-confirm'), 'inv_a')).not.toBeNull();
  await becomes('completed');
  await store.redis.zrem(keys.due('invoice-confirm'), 'inv_a');
  await pass();
  expect(await here.database.query('select state, total_amount from relais.invoices')).toEqual([
    { state: 'completed', total_amount: '42300' },
  ]);
  turnTo(LATER + 8 * DAY_MS);
  await pass();
  expect(await isThere('inv_a')).toBe(false);
  expect(await ask()).toMatchObject({ outcome: 'duplicate', state: 'completed' });
});

test('a payment request leaves, and its reference stays taken', async () => {
  const asked = { askedAmount: 5_000, feesPaidBy: 'customer', notify: 0 };
  const { ask, becomes } = await collected('payment_request', 'prq_a', asked);
  await becomes('completed');
  const before = await new Queries(store.redis).read('payment_request', 'prq_a');
  await pass();
  turnTo(LATER);
  await pass();
  expect(await keysLike(store.redis, '*prq_a*')).toEqual([]);
  expect(await ask()).toMatchObject({ outcome: 'duplicate', state: 'completed' });
  const reader = new HistoryReader(here.database.url, () => undefined);
  // History stores no evidence of a record beside its lines.
  const { fields: _near, evidence: _lines, ...shown } = before ?? { fields: {}, evidence: {} };
  expect(await new Queries(store.redis, reader).read('payment_request', 'prq_a')).toMatchObject(shown);
  await reader.close();
});

test('what was collected stands in lists as before once it left, by its amount too', async () => {
  const bill = { totalAmount: 42_300, request: '{"items":[]}' };
  await (await collected('invoice', 'inv_a', bill)).becomes('completed', { request: '' });
  const asked = { askedAmount: 5_000, feesPaidBy: 'customer', notify: 0 };
  await (await collected('payment_request', 'prq_a', asked)).becomes('completed');
  const reader = new HistoryReader(here.database.url, () => undefined);
  const queries = new Queries(store.redis, reader);
  const listed = async (kind: 'invoice' | 'payment_request', amounts: object) =>
    (await queries.page(kind, { limit: 9, ...amounts })).items.map(({ id }) => id);
  const all = async () => [
    await listed('invoice', { amountMin: 42_300, amountMax: 42_300 }),
    await listed('invoice', { amountMax: 42_299 }),
    await listed('payment_request', { states: ['completed'], amountMin: 5_000 }),
    await listed('payment_request', { amountMin: 5_001 }),
  ];
  const before = await all();
  expect(before).toEqual([['inv_a'], [], ['prq_a'], []]);
  await pass();
  turnTo(LATER);
  await pass();
  expect([await isThere('inv_a'), await isThere('prq_a')]).toEqual([false, false]);
  expect(await all()).toEqual(before);
  await reader.close();
});
