/** What left Redis is confirmed by what stands for it there, as a record is by itself. */
import { expect, test } from 'vitest';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { historyOfThisFile, historyWorld, PAID } from './history-world.ts';

const NOON = Date.parse('2026-11-01T12:00:00Z');
const LATER = NOON + 8 * 86_400_000;

const store = storeOfThisFile();
const here = historyOfThisFile(store, NOON);

test('what left is confirmed by its stub where replicas are waited for', async () => {
  await here.pass();
  await here.world.accept('dsb_a');
  await here.world.go('dsb_a', ...PAID);
  here.turnTo(LATER);
  await here.pass();
  const world = (reached: boolean) => historyWorld(store.redis, LATER, async () => reached);
  expect(await world(true).ask('dsb_a')).toMatchObject({ outcome: 'duplicate', id: 'dsb_a', state: 'succeeded' });
  await expect(world(false).ask('dsb_a')).rejects.toThrow('the replicas did not confirm dsb_a');
});
