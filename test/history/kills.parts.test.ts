/**
 * Operations end while PostgreSQL is killed, wires are cut and writers die between any two steps: then each of them is in
 * history once, as it is, and the day in SQL is the day of the book.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { rowsOf } from '../../src/api/daily.ts';
import { writerSteps } from '../../src/history/writer.ts';
import { seededRandom } from '../../src/lib/random.ts';
import { DayBook } from '../../src/operations/book.ts';
import { keys } from '../../src/operations/keys.ts';
import { freshDatabase, type FreshPostgres } from '../support/fresh-postgres.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { type OwnPostgres, startPostgres } from '../support/postgres.ts';
import { historyWorld, PAID, writerOf } from './history-world.ts';

// PostgreSQL is started again many times.
vi.setConfig({ testTimeout: 240_000 });

const NOON = Date.parse('2026-11-22T12:00:00Z');
const OPERATIONS = 48;
const SEED = 20_261_123;

const store = storeOfThisFile();
let server: OwnPostgres;
let database: FreshPostgres;

beforeAll(async () => {
  server = await startPostgres();
  database = await freshDatabase(server.url);
});
afterAll(() => server?.stop());

/** How one of them ends, and what is said of it later. */
const LIVES = [
  [PAID],
  [PAID, ['reversed']],
  [['created', 'submitting', 'failed'], ['succeeded']],
  [['created', 'submitting', 'failed'], ['needs_review'], ['succeeded']],
  [['rejected']],
  [['cancelled']],
] as const;

test('whatever is killed between two steps, each is there once with its last revision', async () => {
  const random = seededRandom(SEED);
  const world = historyWorld(store.redis, NOON);
  await new DayBook(store.redis).keepIn('Africa/Dakar', 400, NOON);
  const lives = Array.from({ length: OPERATIONS }, (_, at) => ({
    id: `dsb_${at}`,
    life: LIVES[at % LIVES.length] ?? [],
  }));
  for (const [at, { id }] of lives.entries()) await world.accept(id, 100 + at);
  const steps = lives.flatMap(({ id, life }) => life.map((states, place) => ({ id, states, place })));
  const inTurns = steps.toSorted((a, b) => a.place - b.place);
  let died = 0;
  for (const { id, states } of inTurns) {
    await world.go(id, ...states);
    if (random.fraction() < 0.5) died += await passOrDie(random.fraction());
  }
  expect(died, `seed ${SEED}`).toBeGreaterThan(10);
  await lastPasses();
  await compared(lives.map(({ id }) => id));
});

/** 1 where it died on the way. */
async function passOrDie(chance: number): Promise<number> {
  const step = writerSteps[Math.floor(chance * writerSteps.length)];
  const how = Math.floor(chance * 1_000) % 4;
  const writer = writerOf(store.redis, () => database.url, {
    at: async (now) => {
      if (now !== step) return;
      if (how === 0) throw new Error('the process ends');
      if (how === 1) writer.cut();
      if (how === 2)
        await database.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'relais'",
        );
      if (how === 3) {
        await server.kill();
        await server.start();
      }
    },
  });
  // Another process takes the turn when the lease of the dead one has ended.
  await store.redis.del(keys.historyTurn);
  const ended = await writer.pass().then(
    () => 0,
    () => 1,
  );
  writer.cut();
  return ended;
}

async function lastPasses(): Promise<void> {
  await store.redis.del(keys.historyTurn);
  const writer = writerOf(store.redis, () => database.url, { name: 'last' });
  await writer.pass();
  await writer.close();
  expect(await store.redis.zcard(keys.historyWaiting)).toBe(0);
}

async function compared(ids: readonly string[]): Promise<void> {
  const rows = await database.query<{ id: string; rev: string; state: string }>(
    'select id, rev, state from relais.disbursements order by id',
  );
  const asKept = async (id: string) => {
    const [rev, state] = await store.redis.hmget(keys.record(id), 'rev', 'state');
    return { id, rev, state };
  };
  expect(rows).toEqual(await Promise.all(ids.toSorted().map(asKept)));
  const [told] = await database.query(
    'select count(*)::int as many, count(distinct (operation, sequence))::int as each from relais.events',
  );
  expect(told).toEqual({ many: await store.redis.xlen(keys.events), each: await store.redis.xlen(keys.events) });
  const [row] = rowsOf((await new DayBook(store.redis).day('2026-11-22', '2026-12-31')).lines);
  const [day] = await database.query<Record<string, string>>("select * from relais.daily where day = '2026-11-22'");
  for (const name of ['accepted', 'succeeded', 'failed', 'reversed', 'rejected', 'cancelled'] as const) {
    expect({ name, count: Number(day?.[`${name}_count`]), xof: Number(day?.[`${name}_xof`]) }).toEqual({
      name,
      ...row?.[name],
    });
  }
}
