/** What became final is in history once, with its last revision, whatever is cut or killed on the way. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { HistoryStore } from '../../src/history/store.ts';
import { writerSteps } from '../../src/history/writer.ts';
import { HistoryDesk } from '../../src/operations/history.ts';
import { keys } from '../../src/operations/keys.ts';
import { type FreshPostgres, freshPostgres } from '../support/fresh-postgres.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { type HistoryWorld, historyWorld, PAID, writerOf } from './history-world.ts';

const NOON = Date.parse('2026-11-22T12:00:00Z');

const store = storeOfThisFile();
let database: FreshPostgres;
let world: HistoryWorld;

beforeEach(async () => {
  database = await freshPostgres();
  world = historyWorld(store.redis, NOON);
});
afterEach(() => database?.close());

const kept = () =>
  database.query<{ id: string; rev: string; state: string }>(
    'select id, rev, state from relais.disbursements order by id, rev',
  );
const waiting = () => store.redis.zrange(keys.historyWaiting, '0', '-1');
const writer = (parts: Parameters<typeof writerOf>[2] = {}) => writerOf(store.redis, () => database.url, parts);

async function pass(): Promise<void> {
  const one = writer();
  await one.pass();
  await one.close();
}

test('nothing is noted where history is not kept', async () => {
  await world.accept('dsb_a');
  await world.go('dsb_a', ...PAID);
  expect(await waiting()).toEqual([]);
});

test('what had ended before history was kept is found', async () => {
  await world.accept('dsb_a');
  await world.go('dsb_a', ...PAID);
  await world.accept('dsb_open');
  await pass();
  expect(await kept()).toEqual([{ id: 'dsb_a', rev: '5', state: 'succeeded' }]);
  expect(await waiting()).toEqual([]);
});

test('what ends later waits from the step in which it ends, and no longer once it is kept', async () => {
  await pass();
  await world.accept('dsb_a');
  expect(await waiting()).toEqual([]);
  await world.go('dsb_a', ...PAID);
  expect(await waiting()).toEqual(['dsb_a']);
  await pass();
  expect(await kept()).toEqual([{ id: 'dsb_a', rev: '5', state: 'succeeded' }]);
  expect(await waiting()).toEqual([]);
});

test('a late word is a higher revision of the same row', async () => {
  await world.accept('dsb_a');
  await world.go('dsb_a', ...PAID);
  await pass();
  await world.go('dsb_a', 'reversed');
  expect(await waiting()).toEqual(['dsb_a']);
  await pass();
  expect(await kept()).toEqual([{ id: 'dsb_a', rev: '6', state: 'reversed' }]);
});

test('what is final no more is told as what it is', async () => {
  await world.accept('dsb_a');
  await world.go('dsb_a', 'created', 'submitting', 'failed');
  await pass();
  await world.go('dsb_a', 'needs_review');
  await pass();
  expect(await kept()).toMatchObject([{ id: 'dsb_a', state: 'needs_review' }]);
  expect(await database.query('select kind, id, xof from relais.in_doubt')).toEqual([
    { kind: 'disbursement', id: 'dsb_a', xof: '500' },
  ]);
});

test('no limit of time of a writer that has stopped keeps its process from ending', async () => {
  await world.accept('dsb_a');
  await world.go('dsb_a', ...PAID);
  const [begun, ended] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
  onTestFinished(() => void [begun, ended].map((one) => one.mockRestore()));
  await pass();
  expect(await kept()).toHaveLength(1);
  const limits = begun.mock.calls.flatMap(([, ms = 0], at) => (ms >= 60_000 ? [begun.mock.results[at]?.value] : []));
  const over = new Set(ended.mock.calls.map(([limit]) => limit));
  expect(limits.length).toBeGreaterThan(0);
  expect(limits.filter((limit) => !over.has(limit))).toEqual([]);
});

test('a writer leaves a PostgreSQL that hangs: it goes on without it, or ends', async () => {
  const { hostname, port, pathname } = new URL(database.url);
  const wires: Socket[] = [];
  const wire = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect(Number(port), hostname);
    wires.push(near, far);
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const one of wires) one.destroy();
    wire.close();
  });
  const url = `postgres://postgres@127.0.0.1:${(wire.address() as AddressInfo).port}${pathname}`;
  const opened = await HistoryStore.open({ url, newName: () => 'one', timezone: 'UTC' }, () => undefined);
  // Nothing is heard any more, and nothing is hung up.
  for (const one of wires) one.unpipe().pause();
  await opened.close();
});

test('what goes on while it is written goes on waiting', async () => {
  await world.accept('dsb_a');
  await world.go('dsb_a', ...PAID);
  let once = true;
  const one = writer({
    at: async (step) => {
      if (step !== 'compared' || !once) return;
      once = false;
      await world.go('dsb_a', 'reversed');
      expect(await kept()).toMatchObject([{ state: 'succeeded' }]);
    },
  });
  await one.pass();
  await one.close();
  expect(await kept()).toEqual([{ id: 'dsb_a', rev: '6', state: 'reversed' }]);
  expect(await waiting()).toEqual([]);
});

test('what PostgreSQL has lost since it was written goes on waiting', async () => {
  await world.accept('dsb_a');
  await world.go('dsb_a', ...PAID);
  const one = writer({
    at: async (step) => {
      if (step === 'written') await database.query('delete from relais.disbursements');
    },
  });
  await expect(one.pass()).rejects.toThrow('a row of disbursements is not there');
  expect(await waiting()).toEqual(['dsb_a']);
  await one.close();
  await pass();
  expect(await kept()).toEqual([{ id: 'dsb_a', rev: '5', state: 'succeeded' }]);
});

test('a row that is there otherwise than it was given is given again', async () => {
  await world.accept('dsb_a');
  await world.go('dsb_a', ...PAID);
  const one = writer({
    at: async (step) => {
      if (step === 'written') await database.query('update relais.disbursements set amount = 501');
    },
  });
  await expect(one.pass()).rejects.toThrow('a row of disbursements differs');
  await one.close();
  await pass();
  expect(await database.query('select amount from relais.disbursements')).toEqual([{ amount: '500' }]);
});

test('a writer that slept does not write an older revision over a later one', async () => {
  await world.accept('dsb_a');
  await world.go('dsb_a', ...PAID);
  const slept = writer({
    at: async (step) => {
      if (step !== 'read') return;
      await store.redis.del(keys.historyTurn);
      await world.go('dsb_a', 'reversed');
      const other = writer({ name: 'two' });
      await other.pass();
      await other.close();
    },
  });
  await slept.pass();
  await slept.close();
  expect(await kept()).toEqual([{ id: 'dsb_a', rev: '6', state: 'reversed' }]);
  // It cannot know that another has copied what changed since.
  expect(await waiting()).toEqual(['dsb_a']);
  const next = writer({ name: 'three' });
  await next.pass();
  await next.close();
  expect([await kept(), await waiting()]).toEqual([[{ id: 'dsb_a', rev: '6', state: 'reversed' }], []]);
});

test.for(writerSteps)('a writer that ends when it has %s leaves nothing out and nothing twice', async (last) => {
  for (const id of ['dsb_a', 'dsb_b']) {
    await world.accept(id);
    await world.go(id, ...PAID);
  }
  const ends = writer({
    at: (step) => {
      if (step === last) throw new Error('it ends here');
    },
  });
  await expect(ends.pass()).rejects.toThrow('it ends here');
  await store.redis.del(keys.historyTurn);
  await world.go('dsb_a', 'reversed');
  const next = writer({ name: 'two' });
  await next.pass();
  await next.close();
  expect(await kept()).toEqual([
    { id: 'dsb_a', rev: '6', state: 'reversed' },
    { id: 'dsb_b', rev: '5', state: 'succeeded' },
  ]);
  expect(await waiting()).toEqual([]);
});

test('one process writes at a time', async () => {
  const [one, two] = [writer({ name: 'one' }), writer({ name: 'two' })];
  await one.pass();
  await world.accept('dsb_a');
  await world.go('dsb_a', ...PAID);
  await two.pass();
  expect(await waiting()).toEqual(['dsb_a']);
  await one.close();
  await two.pass();
  await two.close();
  expect(await waiting()).toEqual([]);
});

test('another database, and one that was put back from a copy, are given all that there is', async () => {
  await world.accept('dsb_a');
  await world.go('dsb_a', ...PAID);
  await pass();
  // As it was before the last pass.
  await database.query('delete from relais.disbursements');
  await database.query("update relais.facts set value = '0' where name = 'pass'");
  await pass();
  expect(await kept()).toMatchObject([{ id: 'dsb_a' }]);
  const before = database;
  database = await freshPostgres();
  await before.close();
  await pass();
  expect(await kept()).toMatchObject([{ id: 'dsb_a' }]);
});

test('a record that cannot be read holds up no other', async () => {
  for (const id of ['dsb_a', 'dsb_b']) {
    await world.accept(id);
    await world.go(id, ...PAID);
  }
  await store.redis.hset(keys.record('dsb_a'), 'v', '99');
  await pass();
  expect(await kept()).toMatchObject([{ id: 'dsb_b' }]);
  expect(await waiting()).toEqual(['dsb_a']);
  expect(await store.redis.smembers(keys.unreadable)).toEqual(['dsb_a']);
});

test('what another writer has put there meanwhile is no reason to fail', async () => {
  await world.accept('dsb_a');
  await world.go('dsb_a', ...PAID);
  await pass();
  await database.query('create table public.kept as select * from relais.disbursements');
  await database.query('delete from relais.disbursements');
  // It is there again once it was looked for, and before it is written; a sequence is not taken back with the rest.
  const opened = await HistoryStore.open({ url: database.url, newName: () => 'x', timezone: 'UTC' }, () => undefined);
  await database.query(`create function public.put_back() returns trigger language plpgsql as $$ begin
      if nextval('public.times') = 1 then insert into relais.disbursements select * from public.kept; end if;
      return null; end $$`);
  await database.query(`create trigger put_back before insert on relais.disbursements
    for each statement when (pg_trigger_depth() = 0) execute function public.put_back()`);
  await database.query('create sequence public.times');
  await database.query('grant all on public.kept, public.times to public');
  await world.go('dsb_a', 'reversed');
  const one = writer({ open: async () => opened });
  await one.pass();
  await one.close();
  expect(await kept()).toEqual([{ id: 'dsb_a', rev: '6', state: 'reversed' }]);
  expect(await waiting()).toEqual([]);
});

test('while more ends, one turn is copied in a pass, and what has waited for long goes on at once', async () => {
  const desk = (now: number) => new HistoryDesk(store.redis, 'desk', () => now);
  await store.redis.zadd(keys.historyWaiting, NOON, 'dsb_a', NOON + 5_000, 'dsb_b');
  expect(await desk(NOON + 5_500).mayGoOn()).toBe(false);
  expect(await desk(NOON + 7_000).mayGoOn()).toBe(true);
  await store.redis.zadd(keys.historyWaiting, NOON + 301_000, 'dsb_c');
  expect(await desk(NOON + 301_100).mayGoOn()).toBe(true);
  // What nobody can read stands in the time to come.
  await store.redis.zadd(keys.historyWaiting, NOON + 3_600_000, 'dsb_unread');
  expect(await desk(NOON + 7_000).mayGoOn()).toBe(true);
});

test('what ends while others are copied waits for the next pass, and no turn is made for it alone', async () => {
  await pass();
  for (const id of ['dsb_a', 'dsb_b']) await world.accept(id);
  await world.go('dsb_a', ...PAID);
  let turns = 0;
  const one = writer({
    at: async (step) => {
      if (step === 'taken') turns += 1;
      if (step === 'read' && turns === 1) await world.go('dsb_b', ...PAID);
    },
  });
  await one.pass();
  expect([turns, await waiting()]).toEqual([1, ['dsb_b']]);
  await one.pass();
  await one.close();
  expect([turns, await waiting()]).toEqual([2, []]);
});

test('what history has of an operation it never has without what was told of it, wherever the writer ends', async () => {
  const told = async () =>
    (await database.query<{ type: string }>('select type from relais.events order by sequence')).map(
      ({ type }) => type,
    );
  await pass();
  await world.accept('dsb_a');
  await world.go('dsb_a', ...PAID);
  let ended = false;
  const one = writer({
    at: async (step) => {
      // After the events of this pass were copied, and before the record is read.
      if (step === 'taken' && !ended) {
        ended = true;
        await world.go('dsb_a', 'reversed');
      }
      if (step === 'written') throw new Error('the writer ends here');
    },
  });
  await expect(one.pass()).rejects.toThrow('the writer ends here');
  await one.close();
  expect(await kept()).toEqual([{ id: 'dsb_a', rev: '6', state: 'reversed' }]);
  expect(await told()).toEqual(['disbursement.succeeded', 'disbursement.reversed']);
});
