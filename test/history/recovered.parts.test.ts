/** A Redis that was put back from a copy asks history what was accepted since: asked for again, it is not done again. */
import { expect, test } from 'vitest';
import { HistoryReader } from '../../src/history/reader.ts';
import { payeesWith } from '../../src/history/payees.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { fingerprint } from '../../src/lib/ids.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { ApiKeys } from '../../src/operations/api-keys.ts';
import { Audit } from '../../src/operations/audit.ts';
import { DayBook } from '../../src/operations/book.ts';
import { Batches } from '../../src/operations/batches.ts';
import { keys } from '../../src/operations/keys.ts';
import type { LostRetries } from '../../src/operations/lost-retries.ts';
import { HistoryAway } from '../../src/operations/past.ts';
import { PutBack } from '../../src/operations/put-back.ts';
import { Queries } from '../../src/operations/queries.ts';
import type { Restored } from '../../src/operations/restored.ts';
import type { ProcessorContext } from '../../src/processors/context.ts';
import { RecoveryDesk } from '../../src/processors/recovery/desk.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { onlyOf } from '../support/only.ts';
import { historyOfThisFile, PAID } from './history-world.ts';

const DAY_MS = 86_400_000;
const NOON = Date.parse('2026-11-01T12:00:00Z');
const AWAY = 'postgres://127.0.0.1:1/none';

const store = storeOfThisFile();
const here = historyOfThisFile(store, NOON);
const { pass } = here;

const lost = { since: 7, from: NOON, at: NOON };
const always = (): boolean => true;

function putBackFrom(url: string | undefined): PutBack {
  return new PutBack({
    redis: store.redis,
    past: url === undefined ? undefined : new HistoryReader(url, () => undefined),
    keepMs: 400 * DAY_MS,
    payeeOf: payeesWith([]),
    idOfReference: (_kind, _account, reference) => reference.replace('of-', ''),
    now: here.now,
  });
}

/** Everything that came since the copy is gone, and relais has noticed it. */
async function putBackTheCopy(): Promise<void> {
  await store.redis.flushdb();
  await store.redis.hset(keys.heartbeat, 'recovering', 'rolled_back');
}
/** Each event as one line: of which operation, its number, when, and what. */
async function toldIn(redis: typeof store.redis): Promise<string[]> {
  return (await redis.xrange(keys.events, '-', '+')).map(([, words]) => words.join(' '));
}

const leave = () => store.redis.hdel(keys.heartbeat, 'recovering');

const credit = (id: string) =>
  here.world.operations.accept({
    kind: 'direct_credit',
    id,
    account: 'main',
    state: 'queued',
    fingerprint: fingerprint(id),
    xof: 900,
    dueInMs: 0,
    reference: `of-${id}`,
    fields: { amount: 900, accountAlias: 'shop' },
  });

async function creditIs(id: string, ...states: readonly ('sending' | 'succeeded' | 'needs_review')[]): Promise<void> {
  for (const to of states) {
    const record = await new Queries(store.redis).read('direct_credit', id);
    if (!record) throw new Error(`no ${id}`);
    await here.world.operations.transition(record, undefined, { to });
  }
}

test('a payment, and a credit, of the lost time are asked for again: a duplicate, and a conflict', async () => {
  await here.world.accept('dsb_a');
  await here.world.go('dsb_a', ...PAID);
  await credit('dcr_a');
  await creditIs('dcr_a', 'sending', 'succeeded');
  await pass();
  await putBackTheCopy();
  const putBack = putBackFrom(here.database.url);
  expect(await putBack.turn(lost, always)).toBe(true);
  expect(await putBack.counts(lost.since)).toMatchObject({ disbursement: 1, direct_credit: 1 });
  await leave();
  expect(await here.world.ask('dsb_a')).toMatchObject({ outcome: 'duplicate', id: 'dsb_a', state: 'succeeded' });
  expect(await here.world.ask('dsb_a', { fingerprint: fingerprint('other') })).toMatchObject({ outcome: 'conflict' });
  expect(await credit('dcr_a')).toMatchObject({ outcome: 'duplicate', id: 'dcr_a', state: 'succeeded' });
  const { count, xof } = await new Queries(store.redis).counts('direct_credit');
  expect([count, xof]).toMatchObject([{ succeeded: 1 }, { succeeded: 900 }]);
});

test('what ended in the lost time, and has a token, is asked about again: what was said of it since is lost', async () => {
  for (const id of ['dsb_a', 'dsb_b']) await here.world.accept(id);
  await here.world.go('dsb_a', 'created');
  const queries = new Queries(store.redis);
  const created = await queries.read('disbursement', 'dsb_a');
  if (!created) throw new Error('it was accepted');
  await here.world.operations.transition(created, undefined, { to: 'submitting', set: { token: 'tok-a' } });
  await here.world.go('dsb_a', 'succeeded');
  await here.world.go('dsb_b', ...PAID);
  await pass();
  await putBackTheCopy();
  await putBackFrom(here.database.url).turn(lost, always);
  await leave();
  expect(await queries.read('disbursement', 'dsb_a')).toMatchObject({ state: 'succeeded', token: 'tok-a' });
  expect(await store.redis.zrange(keys.due('status-poll'), '0', '-1')).toEqual(['dsb_a']);
  expect(await queries.counts('disbursement')).toMatchObject({ count: { succeeded: 2 } });
  expect(await here.world.ask('dsb_a')).toMatchObject({ outcome: 'duplicate', id: 'dsb_a', state: 'succeeded' });
  await here.world.go('dsb_a', 'reversed');
  await pass();
  expect(await here.database.query('select id, state from relais.disbursements order by id')).toEqual([
    { id: 'dsb_a', state: 'reversed' },
    { id: 'dsb_b', state: 'succeeded' },
  ]);
});

test('a batch of the lost time is known when its file comes again, with its rows', async () => {
  const batches = new Batches(store.redis, systemRandom);
  const found = '{"count":0,"list":[]}';
  const batch = {
    id: 'bat_a',
    account: 'main',
    fingerprint: fingerprint('bat_a'),
    contentHash: 'ab',
    state: 'awaiting_approval',
    dueInMs: DAY_MS,
    fields: { by: 'maker', totals: '{"count":1,"xof":500}', problems: found, warnings: found, columns: '[]' },
    tells: {},
  } as const;
  const row = { row: 2, id: 'dsb_a', reference: 'of', accountAlias: '771000000', amount: 500, withdrawMode: 'x' };
  await pass();
  await batches.accept(batch, [row]);
  const accepted = await new Queries(store.redis).read('batch', 'bat_a');
  if (!accepted) throw new Error('it is not there');
  await here.world.operations.transition(accepted, undefined, { to: 'cancelled' });
  await pass();
  await putBackTheCopy();
  const putBack = putBackFrom(here.database.url);
  // It was written by the clock of Redis.
  expect(await putBack.turn({ ...lost, from: 0 }, always)).toBe(true);
  expect(await putBack.counts(lost.since)).toMatchObject({ batch: 1 });
  await leave();
  expect(await batches.accept(batch, [row])).toEqual({ outcome: 'duplicate', id: 'bat_a', state: 'cancelled' });
  const other = { ...batch, fingerprint: fingerprint('other'), contentHash: 'cd' };
  expect(await batches.accept(other, [row])).toEqual({ outcome: 'conflict', id: 'bat_a' });
  expect(await store.redis.keys('*batch:*')).toEqual([]);
  const past = new HistoryReader(here.database.url, () => undefined);
  const pages = new Batches(store.redis, systemRandom, { past }).rowsNow(accepted, { from: 0, to: 1 });
  expect((await pages.next()).value).toEqual([{ row, state: 'waiting' }]);
  await past.close();
});

test('what waits for a person does so again, and its review goes on where nobody has been', async () => {
  await here.world.accept('dsb_a');
  await here.world.go('dsb_a', 'created', 'submitting', 'needs_review');
  await credit('dcr_a');
  await creditIs('dcr_a', 'sending', 'needs_review');
  await pass();
  await putBackTheCopy();
  await putBackFrom(here.database.url).turn(lost, always);
  await leave();
  const queries = new Queries(store.redis);
  expect(await queries.read('disbursement', 'dsb_a')).toMatchObject({ state: 'needs_review', rev: 1_000_004 });
  expect(await queries.read('direct_credit', 'dcr_a')).toMatchObject({ state: 'needs_review', amount: 900 });
  expect(await store.redis.zrange(keys.state('direct_credit', 'needs_review'), '0', '-1')).toEqual(['dcr_a']);
  await creditIs('dcr_a', 'succeeded');
  const { count } = await queries.counts('direct_credit');
  expect([count['needs_review'] ?? 0, count['succeeded']]).toEqual([0, 1]);
});

test('what callers were told of it is told again, once, under the same numbers and of the same time', async () => {
  await here.world.accept('dsb_a');
  await here.world.go('dsb_a', ...PAID);
  await here.world.accept('dsb_b');
  await here.world.go('dsb_b', 'created', 'submitting', 'needs_review');
  await pass();
  const before = await toldIn(store.redis);
  await putBackTheCopy();
  here.turnTo(NOON + 2 * DAY_MS);
  const putBack = putBackFrom(here.database.url);
  await putBack.turn(lost, always);
  await putBack.turn({ ...lost, since: 8 }, always);
  await leave();
  expect((await toldIn(store.redis)).toSorted()).toEqual(before.toSorted());
  await pass();
  const days = 'select day::text, succeeded_count::text from relais.daily';
  expect(await here.database.query(days)).toEqual([{ day: '2026-11-01', succeeded_count: '1' }]);
});

test('the book of the day of the recovery has what was put back, and what stands open or in doubt of it', async () => {
  await here.world.accept('dsb_a');
  await here.world.go('dsb_a', ...PAID);
  await here.world.accept('dsb_b');
  await here.world.go('dsb_b', 'created', 'submitting', 'needs_review');
  await pass();
  await putBackTheCopy();
  here.turnTo(NOON + 2 * DAY_MS);
  await putBackFrom(here.database.url).turn(lost, always);
  await leave();
  const { lines } = await new DayBook(store.redis).day('2026-11-03', '2026-11-03');
  expect(lines.map(({ kind, sums }) => ({ kind, ...sums }))).toEqual([
    expect.objectContaining({
      kind: 'disbursement',
      accepted: 2,
      acceptedXof: 1_000,
      succeeded: 1,
      succeededXof: 500,
      '=open': 1,
      '=openXof': 500,
      '=doubt': 1,
      '=doubtXof': 500,
    }),
  ]);
});

test('a row that this version cannot read is not passed over, and says what to do', async () => {
  await here.world.accept('dsb_a');
  await here.world.go('dsb_a', ...PAID);
  await pass();
  await here.database.query("update relais.disbursements set state = 'of_later' where id = 'dsb_a'");
  await putBackTheCopy();
  const refused = putBackFrom(here.database.url).turn(lost, always);
  await expect(refused).rejects.toThrow(HistoryAway);
  await expect(refused).rejects.toThrow(/apply with the version that wrote it.*dsb_a/);
});

test('a reference that was claimed by another identity is claimed again', async () => {
  await here.world.ask('dsb_key', { reference: 'of-dsb_ref', idOfReference: 'dsb_ref' });
  await here.world.go('dsb_key', ...PAID);
  await pass();
  await putBackTheCopy();
  await putBackFrom(here.database.url).turn(lost, always);
  await leave();
  expect(await here.world.ask('dsb_ref', { reference: 'of-dsb_ref' })).toMatchObject({
    outcome: 'conflict',
    id: 'dsb_key',
  });
});

test('what the copy has is left as it is, and a page at a time nothing is passed over', async () => {
  for (let nth = 0; nth < 450; nth += 1) {
    await here.world.accept(`dsb_${nth}`);
    await here.world.go(`dsb_${nth}`, 'cancelled');
  }
  await pass();
  await putBackTheCopy();
  await leave();
  await here.world.accept('dsb_7');
  await store.redis.hset(keys.heartbeat, 'recovering', 'rolled_back');
  const putBack = putBackFrom(here.database.url);
  const turns: boolean[] = [];
  while (turns.at(-1) !== true) turns.push(await putBack.turn(lost, () => false));
  expect(turns.length).toBeGreaterThan(2);
  expect(await putBack.counts(lost.since)).toMatchObject({ disbursement: 449 });
  await leave();
  expect(await new Queries(store.redis).read('disbursement', 'dsb_7')).toMatchObject({ state: 'queued' });
  expect(await here.world.ask('dsb_449')).toMatchObject({ outcome: 'duplicate', state: 'cancelled' });
});

test('an apply that is late puts nothing back once the recovery is over', async () => {
  await here.world.accept('dsb_a');
  await here.world.go('dsb_a', 'cancelled');
  await pass();
  await store.redis.flushdb();
  await putBackFrom(here.database.url).turn(lost, always);
  expect(await here.world.ask('dsb_a')).toMatchObject({ outcome: 'accepted' });
});

test('while history cannot be asked, nobody says that all is known again', async () => {
  await here.world.accept('dsb_a');
  await pass();
  await store.redis.hset(keys.heartbeat, 'recovering', 'rolled_back');
  await expect(putBackFrom(AWAY).turn(lost, always)).rejects.toThrow(HistoryAway);
  await expect(putBackFrom(undefined).turn(lost, always)).rejects.toThrow(HistoryAway);
  await store.redis.flushdb();
  expect(await putBackFrom(undefined).turn(lost, always)).toBe(true);
});

test('another database than the one that has what left is not believed', async () => {
  await here.world.accept('dsb_a');
  await pass();
  await store.redis.hset(keys.trimmed, 'store', 'another');
  await expect(putBackFrom(here.database.url).turn(lost, always)).rejects.toThrow(HistoryAway);
});

/** As it is while a first turn finds that it needs more of them. */
function deskWith(putBack: PutBack, lastBeat: number): RecoveryDesk {
  return new RecoveryDesk(
    onlyOf<ConstructorParameters<typeof RecoveryDesk>[0]>({
      restored: onlyOf<Restored>({ standings: async () => [] }),
      putBack: onlyOf<PutBack>({
        turn: async () => false,
        revokeAgain: (time, act) => putBack.revokeAgain(time, act),
      }),
      lostRetries: onlyOf<LostRetries>({}),
      context: onlyOf<ProcessorContext>({
        clock: systemClock,
        campaigns: onlyOf<ProcessorContext['campaigns']>({
          circumstances: async () => ({ at: NOON, running: 0 }),
        }),
      }),
      recovery: {
        state: async () => ({ since: 7, because: 'rolled_back', lastBeat, counter: 1 }),
        server: async () => 'server',
        leave: async () => 'none',
      },
    }),
  );
}

test('a key that was revoked in the lost time is revoked by the first turn, and what else people did then is told', async () => {
  const known = new ApiKeys(store.redis);
  const said = { person: '', role: 'admin', door: 'api', requestId: 'r', target: '' } as const;
  const act = (what: string, target: string) => ({ ...said, by: 'admin', act: what, target });
  const key = { id: 'key_a', name: 'leaver', roles: ['approve'], digest: 'ab', createdAt: NOON, madeBy: 'admin' };
  await known.add(key, act('key.create', 'key_a'));
  const copy = (await store.redis.hget(keys.apiKeys, 'key_a')) ?? '';
  await known.revoke('key_a', NOON, act('key.revoke', 'key_a'));
  await new Audit(store.redis).tell(act('account.stop', 'main'));
  await pass();
  await putBackTheCopy();
  await store.redis.hset(keys.apiKeys, 'key_a', copy);
  const putBack = putBackFrom(here.database.url);
  // The clock of this Redis was ahead of the one before: the last beat seems to be younger than the revocation.
  const seems = Date.now() + 60_000;
  const turn = () => deskWith(putBack, seems).apply({ by: 'admin', act: act('recovery.leave', '') });
  expect(await turn()).toMatchObject({ is: 'under way' });
  expect(await turn()).toMatchObject({ is: 'under way' });
  expect(await putBack.lostActs({ from: 0 })).toEqual([
    { act: 'key.create', target: 'key_a' },
    { act: 'account.stop', target: 'main' },
  ]);
  const [there] = await known.all();
  expect([there?.revokedAt, there?.digest]).toEqual([NOON, undefined]);
  const told = await new Audit(store.redis).page({ limit: 10 });
  expect(told.map(({ words }) => [words.act, words.target])).toEqual([['key.revoke', 'key_a']]);
});
