/** A PostgreSQL that was put back from an older copy: it keeps its name, and lacks what was copied since. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WriterStep } from '../../src/history/writer.ts';
import { keys } from '../../src/operations/keys.ts';
import { missingInHistory } from '../../src/operations/history.ts';
import { type FreshPostgres, freshPostgres } from '../support/fresh-postgres.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { type HistoryWorld, historyWorld, PAID, trimmerOf, writerOf } from './history-world.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const NOON = Date.parse('2026-11-01T12:00:00Z');

const store = storeOfThisFile();
let made: FreshPostgres[];
let database: FreshPostgres;
let world: HistoryWorld;
let now: number;

beforeEach(async () => {
  database = await freshPostgres();
  made = [database];
  now = NOON;
  world = historyWorld(store.redis, NOON);
});
afterEach(async () => {
  for (const one of made) await one.close();
});

function turnTo(ms: number): void {
  now = ms;
  world.turnTo(ms);
}

async function pass(at?: (step: WriterStep) => Promise<void> | void): Promise<void> {
  const trimmer = trimmerOf(store.redis, world.operations, { now: () => now });
  const writer = writerOf(store.redis, () => database.url, { trimmer, now: () => now, ...(at ? { at } : {}) });
  await writer.pass();
  await writer.close();
}

/** Put back from it later. */
async function copyMade(): Promise<FreshPostgres> {
  const copy = await database.copy();
  made.push(copy);
  return copy;
}

async function paid(...ids: string[]): Promise<void> {
  for (const id of ids) {
    await world.accept(id);
    await world.go(id, ...PAID);
  }
}

const kept = async () =>
  (await database.query<{ id: string }>('select id from relais.disbursements order by id')).map(({ id }) => id);
const isThere = async (id: string) => (await store.redis.exists(keys.record(id))) === 1;
const missing = () => missingInHistory(store.redis);

/** What was copied before the copy was made left, and what was copied after it left too, or not yet. */
async function copyOlderThanWhatLeft(): Promise<FreshPostgres> {
  await paid('dsb_old');
  await pass();
  const copy = await copyMade();
  turnTo(NOON + HOUR_MS);
  await paid('dsb_left_a', 'dsb_left_b');
  await pass();
  turnTo(NOON + 8 * DAY_MS);
  await paid('dsb_near');
  await pass();
  await pass();
  expect([await isThere('dsb_left_a'), await isThere('dsb_near')]).toEqual([false, true]);
  return copy;
}

test('a copy that is older than what left is noticed, and what it lacks is said', async () => {
  database = await copyOlderThanWhatLeft();
  await pass();
  expect(await missing()).toMatchObject({
    count: { disbursement: 3 },
    from: NOON,
    to: NOON + HOUR_MS,
  });
  expect(await kept(), 'what Redis still has is copied anew').toEqual(['dsb_near', 'dsb_old']);
  expect(await database.query("select value from relais.facts where name = 'missing'")).toHaveLength(1);
});

test('nothing more leaves for a copy that lacks something', async () => {
  database = await copyOlderThanWhatLeft();
  turnTo(NOON + 20 * DAY_MS);
  await pass();
  await pass();
  expect(await isThere('dsb_near')).toBe(true);
});

test('what came later is still missing after the next starts', async () => {
  database = await copyOlderThanWhatLeft();
  await pass();
  await paid('dsb_new');
  await pass();
  await pass();
  expect(await missing()).toMatchObject({ count: { disbursement: 3 } });
  expect(await kept()).toEqual(['dsb_near', 'dsb_new', 'dsb_old']);
});

test('where the copy that has it is put in its place after all, nothing is missing, and things leave again', async () => {
  const whole = database;
  database = await copyOlderThanWhatLeft();
  await pass();
  await paid('dsb_new');
  await pass();
  database = whole;
  await pass();
  expect(await missing()).toBeUndefined();
  expect(await kept(), 'and it is given what came since').toEqual([
    'dsb_left_a',
    'dsb_left_b',
    'dsb_near',
    'dsb_new',
    'dsb_old',
  ]);
  turnTo(NOON + 30 * DAY_MS);
  await pass();
  await pass();
  expect(await isThere('dsb_near')).toBe(false);
});

test('a copy that is younger than what left lacks nothing: all is copied anew, and things go on leaving', async () => {
  await paid('dsb_old');
  await pass();
  turnTo(NOON + 8 * DAY_MS);
  await pass();
  expect(await isThere('dsb_old')).toBe(false);
  await paid('dsb_near');
  await pass();
  // As a standby that was some passes behind, or a dump of last night.
  const standby = await copyMade();
  turnTo(NOON + 9 * DAY_MS);
  await paid('dsb_last');
  await pass();
  database = standby;
  await pass();
  expect(await missing()).toBeUndefined();
  expect(await kept()).toEqual(['dsb_last', 'dsb_near', 'dsb_old']);
  turnTo(NOON + 17 * DAY_MS);
  await pass();
  await pass();
  expect([await isThere('dsb_near'), await isThere('dsb_last')]).toEqual([false, false]);
});

test('one that is put back under an open connection is noticed too', async () => {
  await paid('dsb_a');
  await pass();
  await paid('dsb_b');
  let once = true;
  const putBack = async (): Promise<void> => {
    if (!once) return;
    once = false;
    await database.query('delete from relais.disbursements');
    await database.query("update relais.facts set value = '0' where name = 'pass'");
  };
  await expect(pass((step) => (step === 'read' ? putBack() : undefined))).rejects.toThrow('older copy');
  await pass();
  expect(await kept()).toEqual(['dsb_a', 'dsb_b']);
});

test('one that ends between what it has read back and what it takes from the waiting leaves nothing out', async () => {
  await paid('dsb_a');
  await pass();
  const copy = await copyMade();
  await paid('dsb_b');
  const ends = (step: WriterStep): void => {
    if (step === 'kept') throw new Error('it ends here');
  };
  await expect(pass(ends)).rejects.toThrow('it ends here');
  await store.redis.del(keys.historyTurn);
  database = copy;
  await pass();
  expect(await kept()).toEqual(['dsb_a', 'dsb_b']);
});

test('a person may go on without what is missing', async () => {
  database = await copyOlderThanWhatLeft();
  await pass();
  expect(await world.acceptMissing('boss')).toBe(true);
  await pass();
  expect(await missing()).toBeUndefined();
  turnTo(NOON + 20 * DAY_MS);
  await pass();
  await pass();
  expect(await isThere('dsb_near')).toBe(false);
  expect((await world.ask('dsb_left_a')).outcome).toBe('duplicate');
  const [fact] = await database.query<{ value: string }>("select value from relais.facts where name like 'missing%'");
  expect(JSON.parse(fact?.value ?? '')).toMatchObject({ accepted: 'boss', count: { disbursement: 3 } });
});

test('a callback for what nobody has any more holds up nothing', async () => {
  database = await copyOlderThanWhatLeft();
  await pass();
  await world.operations.nudge('disbursement', 'dsb_left_a', { operation: 'callback', code: 'failed' }, 5_000);
  await pass();
  expect(await store.redis.hkeys(keys.recalled)).toEqual(['dsb_left_a']);
});
