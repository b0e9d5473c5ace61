import { expect, test } from 'vitest';
import { keys } from '../../src/operations/keys.ts';
import { SameTexts } from '../../src/operations/same-texts.ts';
import { slotOf, textMark } from '../../src/operations/slice-form.ts';
import { campaignWorld } from '../processors/campaign-world.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';

const store = storeOfThisFile();
const TO = '+221711000000';

async function asking() {
  const world = campaignWorld(store.redis, { size: 100 });
  const id = await world.ready(1);
  const ask = async (text: string): Promise<boolean[]> => {
    const asker = { account: 'main', campaign: 'cmp_other', at: world.now() };
    const free = await new SameTexts(store.redis).freeCodes(asker, [{ to: TO, text, codes: ['00'] }]);
    return free.map((code) => code === undefined);
  };
  return { world, id, ask };
}

test('a text that another campaign has sent, or is sending, may be what statistics show', async () => {
  const { world, id, ask } = await asking();
  expect(await ask(`hello from ${id}`)).toEqual([false]);
  await world.campaigns.switch(id, 'start');
  expect(await ask(`hello from ${id}`)).toEqual([false]);
  await world.work();
  expect(await ask(`hello from ${id}`)).toEqual([true]);
  expect(await ask('hello from nobody')).toEqual([false]);
});

test('a campaign that ended days ago is spoken for by nothing that statistics still show', async () => {
  const { world, id, ask } = await asking();
  await world.campaigns.switch(id, 'start');
  await world.work();
  world.advance(4 * 86_400_000);
  expect(await ask(`hello from ${id}`)).toEqual([false]);
});

test('so may a single message, whether it was sent or is on its way', async () => {
  const { world, ask } = await asking();
  const mark = textMark(TO, 'Bonjour');
  expect(await ask('Bonjour')).toEqual([false]);
  await store.redis.sadd(keys.sentTexts('main', slotOf(world.now())), mark);
  expect(await ask('Bonjour')).toEqual([true]);
  await store.redis.flushdb();
  await store.redis.hset(keys.openTexts('main'), mark, world.now());
  expect(await ask('Bonjour')).toEqual([true]);
});
