/** Texts that left in the last minute before a loss: the statistics of the service do not show them yet. */
import { expect, test } from 'vitest';
import { keys } from '../../src/operations/keys.ts';
import { Restored } from '../../src/operations/restored.ts';
import { restoreAll } from '../../src/processors/recovery/desk.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { ServiceDouble } from '../support/texts-bench.ts';
import { HOUR, campaignWorld, sentTo } from './campaign-world.ts';

const store = storeOfThisFile();

test('a campaign that may have been started then is asked about once they are shown', async () => {
  const world = campaignWorld(store.redis);
  const service = new ServiceDouble(world.now);
  const pauses: number[] = [];
  const sleep = async (ms: number): Promise<void> => void pauses.push(ms);
  const clock = { ...world.context.clock, sleep };
  const context = sentTo(service, { ...world.context, clock });
  const id = await world.ready(60);
  const since = world.now();
  await store.redis.hset(keys.heartbeat, 'recovering', 'rolled_back');
  const apply = () => {
    const turn = {
      lost: { since, from: since - HOUR, at: world.now() },
      untilMono: context.clock.monotonic() + HOUR,
    };
    return restoreAll({ restored: new Restored(store.redis), context }, turn);
  };
  world.advance(context.policy.settleDelayMs - 1);
  expect(await apply(), 'it is not over').toBe(false);
  expect(pauses, 'the operator that asks again at once has waited').toEqual([1_000]);
  const to = `+2217${id.split('_')[1]}1000003`;
  service.book.push({ to, text: `hello from ${id}`, code: '00', at: since - 1 });
  world.advance(1);
  expect(await apply()).toBe(true);
  expect(await world.read(id)).toMatchObject({ state: 'held', totals: { unknown: 60 } });
});
