/** What history has leaves Redis, its identity stays taken, and what is said about it later is not lost. */
import { expect, test } from 'vitest';
import { HistoryReader } from '../../src/history/reader.ts';
import { fingerprint } from '../../src/lib/ids.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Batches } from '../../src/operations/batches.ts';
import { keys } from '../../src/operations/keys.ts';
import { acceptMessages } from '../../src/operations/messages.ts';
import { Names } from '../../src/operations/places.ts';
import { KeptFiles } from '../../src/operations/kept-files.ts';
import { Purge } from '../../src/operations/purge.ts';
import { Queries } from '../../src/operations/queries.ts';
import { namedUnreadable } from '../../src/operations/record.ts';
import { forgetStubs } from '../../src/operations/scripts/generated/scripts.ts';
import { stubsLeft, stubAt, stubBuckets } from '../../src/operations/stubs.ts';
import { keysLike, storeOfThisFile } from '../support/fresh-redis.ts';
import { historyOfThisFile, PAID, trimmerOf, writerOf } from './history-world.ts';

const DAY_MS = 86_400_000;
const NOON = Date.parse('2026-11-01T12:00:00Z');
const LATER = NOON + 8 * DAY_MS;

const BATCH = {
  id: 'bat_1',
  account: 'main',
  fingerprint: 'fp',
  contentHash: 'ab',
  state: 'awaiting_approval',
  dueInMs: 1_000,
  fields: { by: 'maker' },
  tells: {},
} as const;

const store = storeOfThisFile();
const here = historyOfThisFile(store, NOON);

const { turnTo, pass } = here;

const read = (id: string) => new Queries(store.redis).read('disbursement', id);
const isThere = async (id: string) => (await store.redis.exists(keys.record(id))) === 1;

async function paidAndKept(...ids: string[]): Promise<void> {
  for (const id of ids) {
    await here.world.accept(id);
    await here.world.go(id, ...PAID);
  }
  await pass();
}

test('a payment that history has leaves after its time, and with it all by which it was found', async () => {
  await paidAndKept('dsb_a');
  turnTo(LATER);
  await pass();
  expect(await isThere('dsb_a')).toBe(false);
  expect(await keysLike(store.redis, '*dsb_a*')).toEqual([]);
  expect(await store.redis.zcard(keys.listed('disbursement', 'main', 'succeeded'))).toBe(0);
  expect(await keysLike(store.redis, 'names:*')).toEqual([]);
  expect((await stubsLeft(store.redis, ['dsb_a', 'dsb_b'])).map((stub) => stub?.state)).toEqual([
    'succeeded',
    undefined,
  ]);
});

test('what is younger stays, and so does what is open or waits for a person', async () => {
  await paidAndKept('dsb_a');
  await here.world.accept('dsb_open');
  await here.world.accept('dsb_review');
  await here.world.go('dsb_review', 'created', 'submitting', 'needs_review');
  turnTo(NOON + 6 * DAY_MS);
  await pass();
  expect(await isThere('dsb_a')).toBe(true);
  turnTo(LATER);
  await pass();
  expect([await isThere('dsb_a'), await isThere('dsb_open'), await isThere('dsb_review')]).toEqual([
    false,
    true,
    true,
  ]);
});

test('nothing leaves where no time is set for it', async () => {
  await paidAndKept('dsb_a');
  turnTo(LATER);
  await pass({ after: {} });
  expect(await isThere('dsb_a')).toBe(true);
});

test('an old reference is a duplicate, or a conflict, and nothing is written for it', async () => {
  await paidAndKept('dsb_a');
  turnTo(LATER);
  await pass();
  expect(await here.world.ask('dsb_a')).toMatchObject({ outcome: 'duplicate', id: 'dsb_a', state: 'succeeded' });
  expect(await here.world.ask('dsb_a', { fingerprint: fingerprint('something else') })).toMatchObject({
    outcome: 'conflict',
    id: 'dsb_a',
  });
  expect(await isThere('dsb_a')).toBe(false);
});

test('a reference that left is taken for another identity too', async () => {
  await paidAndKept('dsb_a');
  turnTo(LATER);
  await pass();
  expect(await here.world.ask('dsb_b', { idOfReference: 'dsb_a', reference: 'of-dsb_a' })).toMatchObject({
    outcome: 'conflict',
    id: 'dsb_a',
  });
});

test('its identity is free again only after its time', async () => {
  await paidAndKept('dsb_a');
  turnTo(LATER);
  await pass();
  const { stubs, stubName } = stubAt('dsb_a');
  const forgetAt = (ms: number) => forgetStubs(store.redis, { stubs, now: ms });
  expect(await forgetAt(LATER + 400 * DAY_MS)).toBe(0);
  expect(await store.redis.hexists(stubs, stubName)).toBe(1);
  expect(await forgetAt(LATER + 401 * DAY_MS)).toBe(1);
  expect(await store.redis.exists(stubs)).toBe(0);
});

test('each bucket of stubs is looked through in turn', () => {
  const [first, second] = [stubBuckets(0, 200_000), stubBuckets(200_000, 62_144)];
  expect(new Set([...first.names, ...second.names]).size).toBe(262_144);
  expect([...first.names, ...second.names]).toContain(stubAt('dsb_a').stubs.slice(-3));
  expect(second.next).toBe(0);
});

test('what changes between the comparison and the trim stays, and history gets it as it is', async () => {
  await paidAndKept('dsb_a');
  turnTo(LATER);
  await pass({ at: async (step) => void (step === 'compared' && (await here.world.go('dsb_a', 'reversed'))) });
  expect((await read('dsb_a'))?.state).toBe('reversed');
  await pass();
  expect(await here.database.query('select state, rev from relais.disbursements')).toEqual([
    { state: 'reversed', rev: '6' },
  ]);
});

test('what somebody said of it between the comparison and the trim keeps it there', async () => {
  await paidAndKept('dsb_a');
  turnTo(LATER);
  const said = { operation: 'callback', code: 'failed' } as const;
  await pass({
    at: async (step) => void (step === 'compared' && (await here.world.operations.appendEvidence('dsb_a', said))),
  });
  expect(await isThere('dsb_a')).toBe(true);
  // History has not heard that: it is copied, and then it may leave.
  await pass();
  await pass();
  expect(await isThere('dsb_a')).toBe(false);
  const [row] = await here.database.query<{ record: Record<string, string> }>(
    'select record from relais.disbursements',
  );
  expect(JSON.stringify(row?.record)).toContain('callback');
});

test('what history does not have as it is stays, and is copied anew', async () => {
  await paidAndKept('dsb_a', 'dsb_b');
  await here.database.query("delete from relais.disbursements where id = 'dsb_a'");
  await here.database.query("update relais.disbursements set amount = 501 where id = 'dsb_b'");
  turnTo(LATER);
  await pass();
  expect([await isThere('dsb_a'), await isThere('dsb_b')]).toEqual([true, true]);
  await pass();
  expect([await isThere('dsb_a'), await isThere('dsb_b')]).toEqual([false, false]);
  expect(await here.database.query('select id, amount from relais.disbursements order by id')).toEqual([
    { id: 'dsb_a', amount: '500' },
    { id: 'dsb_b', amount: '500' },
  ]);
});

test('what is looked at once more stays', async () => {
  await paidAndKept('dsb_a');
  await store.redis.zadd(keys.due('status-poll'), LATER + 1, 'dsb_a');
  turnTo(LATER);
  await pass();
  expect(await isThere('dsb_a')).toBe(true);
});

test('nothing leaves for another database than the one that has the rest', async () => {
  await paidAndKept('dsb_a', 'dsb_b');
  await store.redis.hset(keys.trimmed, 'store', 'another');
  turnTo(LATER);
  await expect(pass()).rejects.toThrow('what left Redis is in another database');
  expect(await isThere('dsb_a')).toBe(true);
});

test('a callback for what left brings it back, and is noted and looked into', async () => {
  await paidAndKept('dsb_a');
  const before = await read('dsb_a');
  turnTo(LATER);
  await pass();
  const said = { operation: 'callback', code: 'failed' } as const;
  const posted = { redacted: '{"status":"failed"}', agreesWith: ['failed', 'reversed'] };
  const hinted = await here.world.operations.nudge('disbursement', 'dsb_a', said, 5_000, posted);
  expect(hinted).toMatchObject({ is: 'final', state: 'succeeded' });
  expect(await isThere('dsb_a')).toBe(false);
  await pass();
  const after = await read('dsb_a');
  expect(after).toMatchObject({ state: 'succeeded', rev: before?.rev, createdAt: before?.createdAt });
  expect(JSON.stringify(after?.fields)).toContain('callback');
  expect(await store.redis.zscore(keys.due('status-poll'), 'dsb_a')).not.toBeNull();
  expect(await new Queries(store.redis).page('disbursement', { limit: 10 })).toMatchObject({
    items: [{ id: 'dsb_a' }],
  });
  expect(await store.redis.hgetall(keys.recalled)).toEqual({});
  await here.world.go('dsb_a', 'reversed');
  await pass();
  expect(await here.database.query('select state from relais.disbursements')).toEqual([{ state: 'reversed' }]);
  expect((await here.world.ask('dsb_a')).outcome).toBe('duplicate');
});

test('a row that cannot be read stays where it is, is told, and holds up nothing', async () => {
  await paidAndKept('dsb_a', 'dsb_b', 'dsb_c');
  turnTo(LATER);
  await pass();
  await here.database.query("update relais.disbursements set state = 'strange' where id = 'dsb_a'");
  for (const id of ['dsb_a', 'dsb_b'])
    await here.world.operations.nudge('disbursement', id, { operation: 'callback', code: 'failed' }, 5_000);
  await paidAndKept('dsb_d');
  turnTo(LATER + 10 * DAY_MS);
  await pass();
  expect([await isThere('dsb_a'), await isThere('dsb_b'), await isThere('dsb_d')]).toEqual([false, true, false]);
  // What was said about it is kept for when it can be read.
  expect(await store.redis.hkeys(keys.recalled)).toEqual(['dsb_a']);
  expect(await new Queries(store.redis).unreadable()).toBe(1);
  expect(await namedUnreadable(store.redis)).toMatchObject([
    { id: 'dsb_a', message: expect.stringContaining('its row in history') },
  ]);
  await here.database.query("update relais.disbursements set state = 'succeeded' where id = 'dsb_a'");
  await pass();
  expect(await isThere('dsb_a')).toBe(true);
  expect(await store.redis.hkeys(keys.recalled)).toEqual([]);
  expect(await namedUnreadable(store.redis)).toEqual([]);
});

test('a record that comes back is the record that left, field by field', async () => {
  await paidAndKept('dsb_a');
  const before = await read('dsb_a');
  turnTo(LATER);
  await pass();
  await here.world.operations.nudge('disbursement', 'dsb_a', { operation: 'callback', code: 'completed' }, 5_000);
  await pass();
  const { hint: _hint, hintedAt: _at, en: _en, ...after } = (await read('dsb_a'))?.fields ?? {};
  const { op: _op, en: _lines, ...left } = before?.fields ?? {};
  const isLine = (name: string): boolean => /^e\d+$/.test(name);
  const plain = (fields: object) => Object.fromEntries(Object.entries(fields).filter(([name]) => !isLine(name)));
  expect(plain(after)).toEqual(plain(left));
});

test('the reference of a record that comes back is taken for as long as the record is there', async () => {
  const named = { reference: 'order-1', idOfReference: 'dsb_other' };
  await here.world.ask('dsb_a', named);
  await here.world.go('dsb_a', ...PAID);
  await pass();
  turnTo(LATER);
  await pass();
  const mapping = keys.reference('main', 'disbursement', 'order-1');
  expect(await store.redis.ttl(mapping)).toBeGreaterThan(0);
  await here.world.operations.nudge('disbursement', 'dsb_a', { operation: 'callback', code: 'completed' }, 5_000);
  await pass();
  expect([await isThere('dsb_a'), await store.redis.ttl(mapping)]).toEqual([true, -1]);
});

test('a name leads to what is there alone', async () => {
  await paidAndKept('dsb_a');
  const [place] = await Names.of({ redis: store.redis }).placesOf([['disburseId', 'dsb_a']]);
  const found = async () => (place ? new Queries(store.redis).named(place, { accounts: undefined, limit: 10 }) : []);
  expect(await found()).toMatchObject([{ id: 'dsb_a' }]);
  turnTo(LATER);
  await pass();
  expect(await found()).toEqual([]);
});

test('a row whose payment left is settled, and known when its file comes again', async () => {
  await paidAndKept('dsb_a');
  turnTo(LATER);
  await pass();
  const batches = new Batches(store.redis, systemRandom);
  const to = { row: 2, accountAlias: '771000000', amount: 500, withdrawMode: 'wallet-a-senegal', reference: 'of' };
  const rows = ['dsb_a', 'dsb_never'].map((id) => ({ ...to, id }));
  await batches.accept(BATCH, rows);
  const accepted = { id: 'bat_1', fed: 2, problems: { count: 0, list: [] }, createdAt: NOON };
  const states: string[] = [];
  for await (const page of batches.rowsNow(accepted, { from: 0, to: 2 })) {
    states.push(...page.map(({ state }) => state));
  }
  expect(states).toEqual(['succeeded', 'waiting']);
  const asked = (id: string, print: string) => ({ id, fingerprint: fingerprint(print), reference: 'of', fields: {} });
  const known = await batches.standing('main', [
    asked('dsb_a', 'dsb_a'),
    asked('dsb_a', 'other'),
    asked('dsb_n', 'n'),
  ]);
  expect(known).toMatchObject([{ id: 'dsb_a', same: true }, { id: 'dsb_a', same: false }, undefined]);
});

test('a single message leaves too, and its reference stays taken', async () => {
  const slice = { id: 'slc_1', account: 'main', lane: 'normal', dueInMs: 0 } as const;
  const one = { id: 'msg_a', fingerprint: fingerprint('a'), to: '+221771234567', text: 'Bonjour', reference: 'r' };
  const ask = async (id: string, more: object = {}) =>
    (await acceptMessages(store.redis, { ...slice, id }, [{ ...one, ...more }], { now: here.now })).verdicts;
  const texts = { message: 3 * DAY_MS };
  await pass({ after: texts });
  expect(await ask('slc_1')).toMatchObject([{ outcome: 'accepted' }]);
  await store.redis.hset(keys.record('msg_a'), 'state', 'sent');
  await store.redis.zrem(keys.listed('message', 'main', 'queued'), 'msg_a');
  await store.redis.zadd(keys.listed('message', 'main', 'sent'), NOON, 'msg_a');
  turnTo(LATER);
  await pass({ after: texts });
  await pass({ after: texts });
  expect(await isThere('msg_a')).toBe(false);
  expect(await ask('slc_2')).toMatchObject([{ outcome: 'duplicate', state: 'sent' }]);
  expect(await ask('slc_2', { text: 'Another', fingerprint: fingerprint('b') })).toMatchObject([
    { outcome: 'conflict' },
  ]);
  expect(await ask('slc_2', { id: 'msg_b', idOfReference: 'msg_a' })).toMatchObject([
    { outcome: 'conflict', id: 'msg_a' },
  ]);
});

test('a slice whose last message leaves just as the process ends leaves in a later pass', async () => {
  const texts = { message: 3 * DAY_MS };
  await pass({ after: texts });
  const one = { id: 'msg_a', fingerprint: fingerprint('a'), to: '+221771234567', text: 'Bonjour' };
  const slice = { id: 'slc_1', account: 'main', lane: 'normal', dueInMs: 0 } as const;
  await acceptMessages(store.redis, slice, [one], { now: here.now });
  await store.redis.hset(keys.record('slc_1'), 'state', 'settled');
  await store.redis.del(keys.due('sms-batch'), keys.due('sms-otp'), keys.due('status-poll'));
  await store.redis.hset(keys.record('msg_a'), 'state', 'sent');
  await store.redis.zrem(keys.listed('message', 'main', 'queued'), 'msg_a');
  await store.redis.zadd(keys.listed('message', 'main', 'sent'), NOON, 'msg_a');
  await store.redis.zadd(keys.historyWaiting, 0, 'msg_a');
  await pass({ after: texts });
  turnTo(LATER);
  const trimmer = trimmerOf(store.redis, here.world.operations, { now: here.now, after: texts });
  const take = trimmer.trimming.take.bind(trimmer.trimming);
  trimmer.trimming.take = async (...asked) => {
    await take(...asked);
    throw new Error('the process ended');
  };
  const writer = writerOf(store.redis, () => here.database.url, { trimmer });
  await expect(writer.pass()).rejects.toThrow('the process ended');
  expect([await isThere('msg_a'), await isThere('slc_1')]).toEqual([false, true]);
  await pass({ after: texts });
  expect([await isThere('slc_1'), await store.redis.exists(keys.slicesLeaving)]).toEqual([false, 0]);
});

test('what left is read by its id and its reference as before, from history', async () => {
  await paidAndKept('dsb_a');
  const before = await read('dsb_a');
  turnTo(LATER);
  await pass();
  const reader = new HistoryReader(here.database.url, () => undefined);
  const queries = new Queries(store.redis, reader);
  const { fields: _near, evidence: _lines, ...shown } = before ?? { fields: {}, evidence: {} };
  expect(await queries.read('disbursement', 'dsb_a')).toMatchObject(shown);
  expect(await queries.kindOf('dsb_a')).toBe('disbursement');
  expect(await queries.readable('disbursement', ['dsb_a', 'dsb_never'])).toMatchObject([{ id: 'dsb_a' }]);
  await reader.close();
});

test('while history is away what left is not denied, and what never was is not there', async () => {
  await paidAndKept('dsb_a');
  turnTo(LATER);
  await pass();
  const queries = new Queries(store.redis, new HistoryReader('postgres://127.0.0.1:1/none', () => undefined));
  await expect(queries.read('disbursement', 'dsb_a')).rejects.toThrow('history is away');
  expect(await queries.read('disbursement', 'dsb_never')).toBeUndefined();
});

test('a payment whose person was forgotten in history leaves as it stands there', async () => {
  await paidAndKept('dsb_a');
  const names = "update relais.disbursements set names = array_remove(names, 'p:SN 771000000') returning names";
  expect(await here.database.query(names)).toEqual([{ names: ['d:dsb_a'] }]);
  turnTo(LATER);
  await pass();
  await pass();
  expect(await isThere('dsb_a')).toBe(false);
  expect(await here.database.query('select names from relais.disbursements')).toEqual([{ names: ['d:dsb_a'] }]);
});

test('a single message whose person is forgotten is forgotten in history too, while Redis has it', async () => {
  await pass();
  const one = { id: 'msg_a', fingerprint: fingerprint('a'), to: '+221771234567', text: 'Bonjour' };
  await acceptMessages(store.redis, { id: 'slc_1', account: 'main', lane: 'normal', dueInMs: 0 }, [one]);
  await store.redis.hset(keys.record('msg_a'), 'state', 'sent');
  await store.redis.zadd(keys.historyWaiting, 0, 'msg_a');
  await pass();
  const kept = () => here.database.query<{ phone: string }>('select phone from relais.messages');
  expect(await kept()).toEqual([{ phone: '+221771234567' }]);
  await new Purge(store.redis, { files: new KeptFiles({ redis: store.redis, random: systemRandom }) }).page({
    phone: '+221771234567',
    reads: () => false,
  });
  await pass();
  expect(await kept()).toEqual([{ phone: expect.stringMatching(/^purged-/) }]);
  expect(JSON.stringify(await here.database.query('select * from relais.messages'))).not.toContain('771234567');
});
