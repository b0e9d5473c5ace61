import { describe, expect, test } from 'vitest';
import { keys } from '../../src/operations/keys.ts';
import { SameTexts } from '../../src/operations/same-texts.ts';
import { packRequest, slotOf, textMark } from '../../src/operations/slice-form.ts';
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
  world.advance(5 * 86_400_000);
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

describe('what cannot be read', () => {
  test('of the same account may have said anything: a campaign, or one of its slices', async () => {
    const { world, id, ask } = await asking();
    await world.campaigns.switch(id, 'start');
    await world.work();
    expect(await ask('hello from nobody')).toEqual([false]);
    await store.redis.hset(keys.record(id), 't:sent', 'many');
    expect(await ask('hello from nobody')).toEqual([true]);
    await store.redis.hset(keys.record(id), 't:sent', 1);
    await store.redis.hset(keys.record(`${id}.ab-0`), 'r0', 'none');
    expect([await ask(`hello from ${id}`), await ask('hello from nobody')]).toEqual([[true], [false]]);
  });

  test('of another account, or not there any more, stops no look', async () => {
    const { world, id, ask } = await asking();
    await world.campaigns.switch(id, 'start');
    await store.redis.hset(keys.record(id), 't:sent', 'many', 'account', 'elsewhere');
    expect(await ask(`hello from ${id}`)).toEqual([false]);
    await store.redis.del(keys.record(id));
    expect(await ask(`hello from ${id}`)).toEqual([false]);
  });
});

test('a person who waits to be sent to again may have got it the first time', async () => {
  const { world, id, ask } = await asking();
  await world.campaigns.switch(id, 'start');
  await world.work();
  const first = { part: false, from: 0, at: world.now(), codes: [], looks: 2, dueAt: 0 } as const;
  await store.redis.hset(keys.record(`${id}.ab-0`), {
    r0: packRequest({ ...first, is: 'over', letters: 'u' }),
    r1: packRequest({ ...first, is: 'waiting', letters: 'q' }),
  });
  expect(await ask(`hello from ${id}`)).toEqual([true]);
});
