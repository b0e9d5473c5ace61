/** What a Redis that was put back shows open, and history shows over, ends as history has it, and is told so once. */
import { expect, test } from 'vitest';
import { HistoryReader } from '../../src/history/reader.ts';
import type { StateOf } from '../../src/kinds/index.ts';
import { fingerprint } from '../../src/lib/ids.ts';
import { keys } from '../../src/operations/keys.ts';
import { LaterWords } from '../../src/operations/later-words.ts';
import { HistoryAway } from '../../src/operations/past.ts';
import { Queries } from '../../src/operations/queries.ts';
import { eventOf } from '../../src/operations/transition.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { noticedCopyOf, historyOfThisFile, PAID } from './history-world.ts';

const NOON = Date.parse('2026-11-01T12:00:00Z');
const AWAY = 'postgres://127.0.0.1:1/none';
const LOOK_MS = 2_000;
const DAY_MS = 86_400_000;

const store = storeOfThisFile();
const here = historyOfThisFile(store, NOON);
const { pass } = here;

const lost = { since: 7, from: NOON, at: NOON };
const always = (): boolean => true;

function wordsFrom(url: string | undefined): LaterWords {
  const past = url === undefined ? undefined : new HistoryReader(url, () => undefined);
  return new LaterWords({ redis: store.redis, past, operations: here.world.operations, lookInMs: LOOK_MS });
}

const copied = () => noticedCopyOf(store.redis);
const leave = () => store.redis.hdel(keys.heartbeat, 'recovering');

async function told(): Promise<{ type: string; id: string; sequence: number }[]> {
  const entries = await store.redis.xrange(keys.events, '-', '+');
  return entries.map(([, words]) => {
    const at = (name: string): string => words[words.indexOf(name) + 1] ?? '';
    return { type: at('type'), id: at('op'), sequence: Number(at('seq')) };
  });
}

const rowsOf = (id: string) =>
  here.database.query<{ rev: string; state: string }>(
    `select rev::text, state from relais.disbursements where id = '${id}'`,
  );
const read = (id: string) => new Queries(store.redis).read('disbursement', id);

const once = [{ type: 'disbursement.succeeded', id: 'dsb_a', sequence: 1 }];

/** Accepted before the copy, led on after it. */
async function loseTheEnd(id: string, ...states: readonly StateOf<'disbursement'>[]): Promise<void> {
  await here.world.accept(id);
  await pass();
  const putBack = await copied();
  await here.world.go(id, ...states);
  await pass();
  await putBack();
}

test('a payment that was made in the lost time is settled so, and told as it was told then', async () => {
  await loseTheEnd('dsb_a', ...PAID);
  const words = wordsFrom(here.database.url);
  expect(await words.turn(lost, always)).toBe(true);
  const { rev = 0, state, fields } = (await read('dsb_a')) ?? {};
  expect([state, rev > 1_000_000, fields?.['seq']]).toEqual(['succeeded', true, '1002']);
  expect(await told()).toEqual(once);
  expect(await words.counts(lost.since)).toEqual({ disbursement: 1 });
  const { count, xof } = await new Queries(store.redis).counts('disbursement');
  expect([count['queued'] ?? 0, count['succeeded'], xof['succeeded']]).toEqual([0, 1, 500]);
  for (const name of [keys.state('disbursement', 'queued'), keys.due('disbursement')])
    expect(await store.redis.zcard(name), name).toBe(0);
  await words.turn(lost, always);
  await words.turn({ ...lost, since: 8 }, always);
  expect(await told(), 'asked for again, and in another recovery').toEqual(once);
  await leave();
  await pass();
  expect(await rowsOf('dsb_a'), 'history has it as Redis has it').toEqual([{ rev: String(rev), state }]);
  expect(await here.world.ask('dsb_a')).toMatchObject({ outcome: 'duplicate', state: 'succeeded' });
});

test('what waits for a person in history is left to one, and so is what history does not know', async () => {
  await loseTheEnd('dsb_a', 'created', 'submitting', 'needs_review');
  expect(await wordsFrom(here.database.url).turn(lost, always)).toBe(true);
  expect([await read('dsb_a'), await told()]).toMatchObject([{ state: 'queued', rev: 1 }, []]);
});

test('what was paid, and taken back or doubted in the lost time, is so again, and leaves as history has it', async () => {
  const taken = { dsb_a: 'reversed', dsb_b: 'needs_review' } as const;
  for (const id of ['dsb_a', 'dsb_b']) {
    await here.world.accept(id);
    await here.world.go(id, ...PAID);
  }
  await pass();
  const putBack = await copied();
  for (const [id, state] of Object.entries(taken)) await here.world.go(id, state);
  await pass();
  await putBack();
  await wordsFrom(here.database.url).turn(lost, always);
  for (const [id, state] of Object.entries(taken)) expect(await read(id)).toMatchObject({ state });
  const { count, xof } = await new Queries(store.redis).counts('disbursement');
  expect([count['succeeded'] ?? 0, xof['reversed'], xof['needs_review']]).toEqual([0, 500, 500]);
  expect(await store.redis.zrange(keys.state('disbursement', 'needs_review'), '0', '-1')).toEqual(['dsb_b']);
  expect((await told()).filter(({ sequence }) => sequence !== 1)).toEqual([
    { type: 'disbursement.reversed', id: 'dsb_a', sequence: 2 },
    { type: 'disbursement.needs_review', id: 'dsb_b', sequence: 2 },
  ]);
  await leave();
  here.turnTo(NOON + 8 * DAY_MS);
  await pass();
  expect(await read('dsb_a'), 'it has left').toBeUndefined();
  expect(await rowsOf('dsb_a')).toMatchObject([{ state: 'reversed' }]);
  expect(await here.world.ask('dsb_a')).toMatchObject({ outcome: 'duplicate', state: 'reversed' });
});

test('what a look has learnt since the copy is not undone, and is told no second time', async () => {
  await loseTheEnd('dsb_a', ...PAID);
  await here.world.go('dsb_a', ...PAID);
  await wordsFrom(here.database.url).turn(lost, always);
  expect(await told()).toEqual(once);
});

test('an operation of another acceptance under the same id is another one', async () => {
  await loseTheEnd('dsb_a', ...PAID);
  await store.redis.hset(keys.record('dsb_a'), 'createdAt', NOON - 1);
  await wordsFrom(here.database.url).turn(lost, always);
  expect([await read('dsb_a'), await told()]).toMatchObject([{ state: 'queued' }, []]);
});

test('a transaction that another operation has by now settles nothing', async () => {
  await here.world.accept('dsb_a');
  const putBack = await copied();
  await here.world.go('dsb_a', 'created', 'submitting');
  const record = await read('dsb_a');
  if (!record) throw new Error('no dsb_a');
  const event = eventOf(record, 'succeeded');
  await here.world.operations.transition(record, undefined, { to: 'succeeded', event, set: { transactionId: 'tx' } });
  await pass();
  await putBack();
  await store.redis.set(keys.claim('main', 'transactionId=tx'), 'dsb_b');
  await wordsFrom(here.database.url).turn(lost, always);
  expect([await read('dsb_a'), await told()]).toMatchObject([{ state: 'queued' }, []]);
});

test('a callback that came before says otherwise: it is looked at', async () => {
  await loseTheEnd('dsb_a', ...PAID);
  await here.world.operations.nudge('disbursement', 'dsb_a', { operation: 'callback', code: 'failed' }, 0);
  await wordsFrom(here.database.url).turn(lost, always);
  expect(await read('dsb_a')).toMatchObject({ state: 'succeeded' });
  expect(await store.redis.zscore(keys.due('status-poll'), 'dsb_a')).toBe(String(NOON + LOOK_MS));
});

test('a credit and an invoice end as history has them', async () => {
  const { operations } = here.world;
  const queries = new Queries(store.redis);
  const asked = (id: string) => ({ id, account: 'main', fingerprint: fingerprint(id), xof: 900, dueInMs: 0 });
  const credited = { kind: 'direct_credit', state: 'queued', fields: { amount: 900, accountAlias: 'shop' } } as const;
  await operations.accept({ ...asked('dcr_a'), ...credited });
  const billed = { kind: 'invoice', state: 'creating', fields: { totalAmount: 900, request: '{}' } } as const;
  await operations.accept({ ...asked('inv_a'), ...billed });
  const putBack = await copied();
  for (const to of ['sending', 'succeeded'] as const) {
    const record = await queries.read('direct_credit', 'dcr_a');
    const event = record && to === 'succeeded' ? eventOf(record, to) : undefined;
    if (record) await operations.transition(record, undefined, { to, event });
  }
  for (const to of ['pending', 'completed'] as const) {
    const record = await queries.read('invoice', 'inv_a');
    const event = record && to === 'completed' ? eventOf(record, to) : undefined;
    if (record) await operations.transition(record, undefined, { to, event, set: { token: 't1' } });
  }
  await pass();
  await putBack();
  const words = wordsFrom(here.database.url);
  await words.turn(lost, always);
  expect(await queries.read('direct_credit', 'dcr_a')).toMatchObject({ state: 'succeeded' });
  expect(await queries.read('invoice', 'inv_a')).toMatchObject({ state: 'completed', token: 't1' });
  expect((await told()).map(({ type }) => type).toSorted()).toEqual(['direct_credit.succeeded', 'invoice.completed']);
  expect(await words.counts(lost.since)).toEqual({ direct_credit: 1, invoice: 1 });
});

test('a page at a time, broken off between each, everything is settled and told once', async () => {
  const ids = Array.from({ length: 1_100 }, (_, nth) => `dsb_${nth}`);
  await Promise.all(ids.map((id) => here.world.accept(id)));
  const putBack = await copied();
  await Promise.all(ids.map((id) => here.world.go(id, 'cancelled')));
  await pass();
  await putBack();
  const turns: boolean[] = [];
  while (turns.at(-1) !== true) {
    turns.push(await wordsFrom(here.database.url).turn(lost, () => false));
    await expect(wordsFrom(AWAY).turn(lost, always)).rejects.toThrow(HistoryAway);
  }
  expect(turns.length).toBeGreaterThan(2);
  expect(await wordsFrom(here.database.url).counts(lost.since)).toEqual({ disbursement: 1_100 });
  expect((await told()).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
});

test('an apply that is late settles nothing once the recovery is over', async () => {
  await loseTheEnd('dsb_a', ...PAID);
  await leave();
  await wordsFrom(here.database.url).turn(lost, always);
  expect([await read('dsb_a'), await told()]).toMatchObject([{ state: 'queued' }, []]);
});
