/** What PostgreSQL refuses is set aside under its id with the reason, stays in Redis, and holds up nothing else. */
import { expect, onTestFinished, test } from 'vitest';
import { Audit } from '../../src/operations/audit.ts';
import { waitingForHistory } from '../../src/operations/history.ts';
import { keys } from '../../src/operations/keys.ts';
import { type SetAside, setAsideFromHistory } from '../../src/operations/set-aside.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { historyOfThisFile, PAID, writerOf } from './history-world.ts';

const NOON = Date.parse('2026-11-22T12:00:00Z');
const DAY_MS = 86_400_000;
const BAD = 13;

const store = storeOfThisFile();
const history = historyOfThisFile(store, NOON);
const query = (sql: string) => history.database.query(sql);

/** A process with the role history, which ends with the test. */
function process(parts: Parameters<typeof writerOf>[2] = {}) {
  const one = writerOf(store.redis, () => history.database.url, parts);
  onTestFinished(() => one.close());
  return one;
}

async function pass(parts: Parameters<typeof writerOf>[2] = {}): Promise<void> {
  const one = writerOf(store.redis, () => history.database.url, parts);
  try {
    await one.pass();
  } finally {
    await one.close();
  }
}

async function paid(id: string, amount = 500): Promise<void> {
  await history.world.accept(id, amount);
  await history.world.go(id, ...PAID);
}

const idsIn = async (table: string, column = 'id'): Promise<unknown[]> =>
  (await query(`select ${column} as id from relais.${table} order by 1`)).map((row) => Reflect.get(row, 'id'));
const aside = async () => (await setAsideFromHistory(store.redis, 100)).some;
const refuses = (table = 'disbursements', condition = `amount <> ${BAD}`) =>
  query(`alter table relais.${table} add constraint none_of_these check (${condition})`);
const takes = (table = 'disbursements') => query(`alter table relais.${table} drop constraint none_of_these`);
const waiting = () => store.redis.zrange(keys.historyWaiting, '0', '-1');

test('a row that PostgreSQL refuses is set aside under its id, and the others go on in the same pass', async () => {
  await pass();
  await refuses();
  for (let at = 0; at < 9; at += 1) await paid(`dsb_${at}`);
  await paid('dsb_bad', BAD);
  const told: SetAside[] = [];
  await pass({ onSetAside: (some) => void told.push(...some) });
  expect(await idsIn('disbursements')).toEqual(Array.from({ length: 9 }, (_, at) => `dsb_${at}`));
  expect(await waiting()).toEqual(['dsb_bad']);
  expect(await aside()).toMatchObject([{ id: 'dsb_bad', why: expect.stringContaining('none_of_these') }]);
  expect(told).toMatchObject([{ id: 'dsb_bad', why: expect.stringContaining('none_of_these') }]);
  expect(await waitingForHistory(store.redis)).toMatchObject({ count: 1, setAside: 1 });
});

test('what is not taken is told without what was in it', async () => {
  await pass();
  await query(`create function public.refuse() returns trigger language plpgsql as $$ begin
    raise exception 'not %', new.names using errcode = '22000'; end $$`);
  await query(`create trigger refuse before insert on relais.disbursements for each row execute function refuse()`);
  await paid('dsb_bad');
  await pass();
  const [told] = await aside();
  expect(told?.why).toMatch(/^22000: not /);
  expect(told?.why).not.toContain('771000000');
});

test('what was set aside never leaves Redis, and what history has does', async () => {
  await pass();
  await refuses();
  await paid('dsb_good');
  await paid('dsb_bad', BAD);
  history.turnTo(NOON + 30 * DAY_MS);
  await history.pass();
  await history.pass();
  expect(await store.redis.exists(keys.record('dsb_good'))).toBe(0);
  expect(await store.redis.exists(keys.record('dsb_bad'))).toBe(1);
});

test('it is tried again when a process begins, and after an hour, and is set aside no longer once it is taken', async () => {
  await pass();
  await refuses();
  await paid('dsb_bad', BAD);
  const one = process();
  await one.pass();
  await takes();
  await one.pass();
  expect(await waiting()).toEqual(['dsb_bad']);
  const [, score] = await store.redis.zrange(keys.historyWaiting, '0', '0', 'WITHSCORES');
  expect(Number(score)).toBeGreaterThan(Date.now() + 3_500_000);
  await one.close();
  await pass();
  expect(await idsIn('disbursements')).toEqual(['dsb_bad']);
  expect([await waiting(), await aside()]).toEqual([[], []]);
});

test('a late word to it is tried at once', async () => {
  await pass();
  await refuses('disbursements', `amount <> ${BAD} or state = 'reversed'`);
  await paid('dsb_bad', BAD);
  const one = process();
  await one.pass();
  expect(await aside()).toHaveLength(1);
  await history.world.go('dsb_bad', 'reversed');
  await one.pass();
  expect(await idsIn('disbursements', 'state')).toEqual(['reversed']);
  expect(await aside()).toEqual([]);
});

test('what goes on while it is refused is not put off', async () => {
  await pass();
  await refuses('disbursements', `amount <> ${BAD} or state = 'reversed'`);
  await paid('dsb_bad', BAD);
  let once = true;
  const one = process({
    at: async (step) => {
      if (step !== 'written' || !once) return;
      once = false;
      await history.world.go('dsb_bad', 'reversed');
    },
  });
  await one.pass();
  await one.pass();
  expect(await idsIn('disbursements', 'state')).toEqual(['reversed']);
  expect(await aside()).toEqual([]);
});

test('what PostgreSQL keeps otherwise than it was given, twice, is set aside', async () => {
  await pass();
  await query(`create function public.bend() returns trigger language plpgsql as $$ begin
    new.amount := 1; return new; end $$`);
  await query(`create trigger bend before insert or update on relais.disbursements
    for each row when (new.id = 'dsb_bad') execute function public.bend()`);
  await paid('dsb_good');
  await paid('dsb_bad');
  const one = process();
  await expect(one.pass()).rejects.toThrow('a row of disbursements differs');
  expect(await aside()).toEqual([]);
  await one.pass();
  expect(await waiting()).toEqual(['dsb_bad']);
  expect(await aside()).toMatchObject([{ id: 'dsb_bad', why: 'a row of disbursements differs' }]);
});

test('a time that is none, which no row can be made of, holds up nothing', async () => {
  await pass();
  await paid('dsb_good');
  await paid('dsb_bad');
  await store.redis.hset(keys.record('dsb_bad'), 'since', '1e300');
  history.turnTo(NOON + 30 * DAY_MS);
  await history.pass();
  expect(await idsIn('disbursements')).toEqual(['dsb_good']);
  expect(await aside()).toMatchObject([{ id: 'dsb_bad' }]);
  expect(await store.redis.exists(keys.record('dsb_good'))).toBe(0);
});

test('what is damaged after it was copied is set aside then, and keeps no other from leaving', async () => {
  await paid('dsb_good');
  await paid('dsb_bad');
  await pass();
  await store.redis.hset(keys.record('dsb_bad'), 'since', '1e300');
  history.turnTo(NOON + 30 * DAY_MS);
  await history.pass();
  await history.pass();
  expect(await aside()).toMatchObject([{ id: 'dsb_bad' }]);
  expect(await store.redis.exists(keys.record('dsb_good'))).toBe(0);
});

test('where PostgreSQL takes none at all, all are set aside within bounds, and come when it does', async () => {
  await pass();
  await refuses('disbursements', 'amount < 0');
  for (let at = 0; at < 300; at += 1) await paid(`dsb_${at}`);
  let commands = 0;
  await query('create sequence public.tries');
  await query(`create function public.try() returns trigger language plpgsql as $$ begin
    perform nextval('public.tries'); return new; end $$`);
  await query('grant all on public.tries to public');
  await query('create trigger try before insert on relais.disbursements for each statement execute function try()');
  await pass();
  expect(await aside()).toHaveLength(100);
  expect((await setAsideFromHistory(store.redis, 1)).count).toBe(300);
  commands = Number(Reflect.get((await query('select last_value as tries from public.tries'))[0] ?? {}, 'tries'));
  expect(commands).toBeLessThan(300);
  await takes();
  await pass();
  expect([await idsIn('disbursements'), await aside()]).toMatchObject([{ length: 300 }, []]);
});

test('a part of a table that somebody took away is made again, and nothing is set aside for it', async () => {
  const one = process();
  await one.pass();
  await paid('dsb_a');
  await one.pass();
  await query('drop table relais.disbursements_2026_11');
  await paid('dsb_b');
  await one.pass();
  expect([await idsIn('disbursements'), await aside()]).toEqual([['dsb_b'], []]);
});

const act = (target: string) => ({
  by: 'one',
  person: '',
  role: 'approve',
  door: 'api' as const,
  requestId: 'r',
  act: 'disbursement.approve',
  target,
});

/** Three acts, of which the second was damaged. */
async function acts(): Promise<void> {
  const audit = new Audit(store.redis);
  await audit.tell(act('dsb_1'));
  const [[, first] = ['', []]] = await store.redis.xrange(keys.audit, '-', '+');
  const damaged = first.map((word, at) =>
    first[at - 1] === 'after' ? '{"no' : first[at - 1] === 'target' ? 'dsb_2' : word,
  );
  await store.redis.xadd(keys.audit, '*', ...damaged);
  await audit.tell(act('dsb_3'));
}

test('a damaged line of the audit is set aside as it stands, and those after it are copied', async () => {
  await acts();
  await paid('dsb_a');
  await pass();
  expect(await idsIn('audit', 'target')).toEqual(['dsb_1', 'dsb_3']);
  expect(await idsIn('disbursements')).toEqual(['dsb_a']);
  const [told] = await aside();
  expect(told).toMatchObject({ id: expect.stringMatching(/^audit \d+-\d+$/), why: expect.any(String) });
  expect(told?.line).toContain('{"no');
  expect(await waiting()).toEqual([told?.id]);
  // Another process finds it as it is.
  await pass();
  expect(await aside()).toEqual([told]);
});

test('a line of the audit that PostgreSQL refuses comes to history later, even if Redis has forgotten the stream', async () => {
  await pass();
  await refuses('audit', "target <> 'dsb_2'");
  const audit = new Audit(store.redis);
  for (const target of ['dsb_1', 'dsb_2', 'dsb_3']) await audit.tell(act(target));
  await pass();
  expect(await idsIn('audit', 'target')).toEqual(['dsb_1', 'dsb_3']);
  await store.redis.xtrim(keys.audit, 'MAXLEN', 0);
  await takes('audit');
  await pass();
  expect(await idsIn('audit', 'target')).toEqual(['dsb_1', 'dsb_2', 'dsb_3']);
  expect([await waiting(), await aside()]).toEqual([[], []]);
});

test('an event that no row can be made of, and one that is refused, hold up no other', async () => {
  await pass();
  await refuses('events', "operation <> 'dsb_bad'");
  await paid('dsb_a');
  await paid('dsb_bad');
  await store.redis.xadd(
    keys.events,
    '*',
    'op',
    'dsb_odd',
    'seq',
    '1',
    'at',
    'never',
    'type',
    'disbursement.succeeded',
  );
  await paid('dsb_b');
  await pass();
  expect(await idsIn('events', 'operation')).toEqual(['dsb_a', 'dsb_b']);
  expect(new Set((await aside()).map(({ line }) => line?.[1]))).toEqual(new Set(['dsb_bad', 'dsb_odd']));
  await takes('events');
  await pass();
  expect(await idsIn('events', 'operation')).toEqual(['dsb_a', 'dsb_b', 'dsb_bad']);
});

test('a look at a balance that is refused holds up no other', async () => {
  await pass();
  await refuses('balances', `xof <> ${BAD}`);
  for (const [at, xof] of [BAD, 5].entries()) {
    await history.world.balances.note('main', { at: NOON + at, balances: { SN: xof } });
  }
  await pass();
  expect(await idsIn('balances', 'xof')).toEqual(['5']);
  await takes('balances');
  await pass();
  expect(await idsIn('balances', 'xof')).toEqual(['5', '13']);
});

test.for(['written', 'compared', 'kept'] as const)(
  'a process that ends when it has %s, with one refused, leaves nothing out and nothing twice',
  async (last) => {
    await pass();
    await refuses();
    await paid('dsb_good');
    await paid('dsb_bad', BAD);
    const ends = process({
      at: (step) => {
        if (step === last) throw new Error('it ends here');
      },
    });
    await expect(ends.pass()).rejects.toThrow('it ends here');
    await store.redis.del(keys.historyTurn);
    await pass({ name: 'two' });
    expect(await idsIn('disbursements')).toEqual(['dsb_good']);
    expect(await waiting()).toEqual(['dsb_bad']);
  },
);

test('a lost connection sets nothing aside', async () => {
  await pass();
  await paid('dsb_a');
  const one = process({
    at: async (step) => {
      if (step !== 'read') return;
      await query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'relais'
        and datname = current_database()`);
    },
  });
  await expect(one.pass()).rejects.toThrow();
  expect([await waiting(), await aside()]).toEqual([['dsb_a'], []]);
});

test('where one is refused, the mark is raised once all the others are there: a copy from between them is older', async () => {
  await paid('dsb_first');
  await pass();
  await refuses();
  await query('create table public.seen as select value from relais.facts where false');
  await query(`create function public.see() returns trigger language plpgsql as $$ begin
    insert into public.seen select value from relais.facts where name = 'pass'; return new; end $$`);
  await query('grant all on public.seen to public');
  await query('create trigger see before insert on relais.disbursements for each row execute function public.see()');
  const before = await query("select value from relais.facts where name = 'pass'");
  await paid('dsb_good');
  await paid('dsb_bad', BAD);
  await pass();
  expect(await query('select distinct value from public.seen')).toEqual(before);
  expect(await query("select value from relais.facts where name = 'pass'")).not.toEqual(before);
});
