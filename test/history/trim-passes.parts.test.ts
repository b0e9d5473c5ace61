/** What has grown old at once leaves in turns, and keeps nothing else from being copied. */
import { expect, test } from 'vitest';
import { keys } from '../../src/operations/keys.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { historyOfThisFile, PAID, trimmerOf, writerOf } from './history-world.ts';

const NOON = Date.parse('2026-11-01T12:00:00Z');
const LATER = NOON + 8 * 86_400_000;

const store = storeOfThisFile();
const here = historyOfThisFile(store, NOON);
const { turnTo, pass } = here;

const isThere = async (id: string) => (await store.redis.exists(keys.record(id))) === 1;

test('a long backlog leaves in several passes, and what is over meanwhile is copied between them', async () => {
  const ids = Array.from({ length: 250 }, (_, nth) => `dsb_${nth}`);
  for (const id of ids) await here.world.accept(id);
  await Promise.all(ids.map((id) => here.world.go(id, ...PAID)));
  await pass();
  turnTo(LATER);
  const trimmer = trimmerOf(store.redis, here.world.operations, { now: here.now, pages: 1 });
  const writer = writerOf(store.redis, () => here.database.url, { trimmer });
  const standing = async () => (await Promise.all(ids.map(isThere))).filter(Boolean).length;
  try {
    await writer.pass();
    expect(await standing()).toBe(50);
    await here.world.accept('dsb_new');
    await here.world.go('dsb_new', ...PAID);
    await writer.pass();
    expect(await standing()).toBe(0);
  } finally {
    await writer.close();
  }
  const [{ count } = {}] = await here.database.query<{ count: string }>(
    "select count(*) from relais.disbursements where id = 'dsb_new'",
  );
  expect(Number(count)).toBe(1);
});

test('more than a page of one moment that may not leave keep nothing of that moment from leaving', async () => {
  await here.world.accept('dsb_z_leaves');
  await here.world.go('dsb_z_leaves', ...PAID);
  await pass();
  const refused = Array.from({ length: 450 }, (_, nth) => `dsb_a_${nth}`);
  await here.database.query('alter table relais.disbursements add constraint none_of_these check (amount <> 13)');
  await Promise.all(refused.map((id) => here.world.accept(id, 13)));
  await Promise.all(refused.map((id) => here.world.go(id, ...PAID)));
  turnTo(LATER);
  await pass();
  expect(await isThere('dsb_z_leaves')).toBe(false);
  expect((await Promise.all(refused.map(isThere))).every(Boolean)).toBe(true);
});
