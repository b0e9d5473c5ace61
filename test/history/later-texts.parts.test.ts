/** A text that a Redis that was put back shows open, and history shows over, ends as history has it, and is told so once. */
import { expect, test } from 'vitest';
import { HistoryReader } from '../../src/history/reader.ts';
import { keys } from '../../src/operations/keys.ts';
import { LaterTexts } from '../../src/operations/later-texts.ts';
import { acceptMessages } from '../../src/operations/messages.ts';
import { HistoryAway } from '../../src/operations/past.ts';
import { Queries } from '../../src/operations/queries.ts';
import { Restored } from '../../src/operations/restored.ts';
import { restoreAll } from '../../src/processors/recovery/desk.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { textsBench } from '../support/texts-bench.ts';
import { noticedCopyOf, historyOfThisFile } from './history-world.ts';

const BEGINS = Date.UTC(2026, 0, 1);
const AWAY = 'postgres://127.0.0.1:1/none';
const HOUR_MS = 3_600_000;
const LONG_MS = 600_000;
const SINCE = 7;

const store = storeOfThisFile();
const here = historyOfThisFile(store, BEGINS);
const { pass } = here;

function laterTexts(url: string | undefined): LaterTexts {
  const past = url === undefined ? undefined : new HistoryReader(url, () => undefined);
  return new LaterTexts({ redis: store.redis, past });
}

const numberOf = (nth: number): string => `+22177000000${nth}`;

function world() {
  const bench = textsBench(store.redis);
  const { context, service } = bench;
  const now = (): number => context.clock.now();
  return {
    ...bench,
    finish: () => bench.finish('slc_a'),
    /** All in one slice; `lane` is that of the slice. */
    accept: async (ids: readonly string[], lane: 'normal' | 'otp' = 'normal') => {
      const messages = ids.map((id, nth) => ({
        id,
        fingerprint: id,
        reference: `of-${id}`,
        to: numberOf(nth),
        text: `Bonjour ${id}`,
      }));
      await acceptMessages(store.redis, { id: 'slc_a', account: 'main', lane, dueInMs: 0 }, messages, { now });
    },
    apply: (url: string | undefined) => {
      const lost = { since: SINCE, from: now() - HOUR_MS, at: now() };
      const turn = { lost, untilMono: context.clock.monotonic() + LONG_MS };
      return restoreAll({ restored: new Restored(store.redis), context, laterTexts: laterTexts(url) }, turn);
    },
    statesOf: async (ids: readonly string[]) => {
      const read = await Promise.all(ids.map((id) => new Queries(store.redis).read('message', id)));
      return read.map((message) => message?.state);
    },
    /** Each event as one line, without its place in the stream. */
    told: async () =>
      (await store.redis.xrange(keys.events, '-', '+')).map(([, words]) => wordsOfTold(words)).toSorted(),
    lookUntilOver: async () => {
      while ((await store.redis.zcard(keys.due('status-poll'))) > 0) {
        bench.advance(60_000);
        await bench.look('slc_a');
      }
    },
    sentTo: (nth: number) => service.times(numberOf(nth)),
  };
}

/** When it is told again is no part of what it says. */
function wordsOfTold(words: readonly string[]): string {
  const at = words.indexOf('at');
  return words.filter((_, index) => index !== at && index !== at + 1).join(' ');
}

/** Accepted before the copy, over after it. */
async function loseTheEnd(accepted: Promise<void>, finish: () => Promise<unknown>): Promise<void> {
  await accepted;
  await pass();
  const putBack = await noticedCopyOf(store.redis);
  await finish();
  await pass();
  await putBack();
}

const three = ['msg_a', 'msg_b', 'msg_c'];

const fates = [
  ['sent, or refused', [], ['sent', 'failed', 'sent']],
  ['left in doubt for good', ['lost'], ['unknown', 'unknown', 'unknown']],
] as const;
test.for(fates)('texts that were %s in the lost time are so again, and told as they were told', async (ended) => {
  const [, fate, states] = ended;
  const { accept, finish, apply, told, statesOf, service, lookUntilOver, ...rest } = world();
  await accept(three);
  await pass();
  const putBack = await noticedCopyOf(store.redis);
  service.namesTheBad = true;
  service.bad.add(numberOf(1));
  service.fate.push(...fate);
  await finish();
  const [events, requests] = [await told(), [...service.requests]];
  expect([await statesOf(three), events.length]).toEqual([states, 3]);
  await pass();
  await putBack();
  expect(await apply(here.database.url)).toBe(true);
  await lookUntilOver();
  expect(await statesOf(three)).toEqual(states);
  expect(await told()).toEqual(events);
  expect(service.requests).toEqual(requests);
  expect(await rest.slices.read('slc_a')).toMatchObject({ state: 'settled' });
  expect(await laterTexts(here.database.url).counts(SINCE)).toEqual({ message: 3 });
});

test('what was on its way when the copy was made is over too, and what history does not know stays in doubt', async () => {
  const { accept, send, apply, told, statesOf, service, lookUntilOver, slices, context, ...rest } = world();
  await accept(three);
  await pass();
  service.fate.push('lost');
  await send('slc_a');
  expect(await statesOf(three)).toEqual(['unknown', 'unknown', 'unknown']);
  const putBack = await noticedCopyOf(store.redis);
  service.book.push({ to: numberOf(0), text: 'Bonjour msg_a', code: '00', at: context.clock.now() });
  rest.advance(60_000);
  await rest.look('slc_a');
  expect(await statesOf(three)).toEqual(['sent', 'unknown', 'unknown']);
  await pass();
  const events = await told();
  await putBack();
  service.book.length = 0;
  expect(await apply(here.database.url)).toBe(true);
  expect(await told()).toEqual(events);
  await lookUntilOver();
  expect(await statesOf(three)).toEqual(['sent', 'unknown', 'unknown']);
  expect((await told()).length, 'and the last word of the two').toBe(3);
  expect(await laterTexts(here.database.url).counts(SINCE)).toEqual({ message: 1 });
  await store.redis.hdel(keys.heartbeat, 'recovering');
  await pass();
  const rows = await here.database.query<{ rev: string; state: string }>(
    'select rev::text, state from relais.messages order by id',
  );
  expect(rows.map(({ state }) => state)).toEqual(['sent', 'unknown', 'unknown']);
  expect(Number(rows[0]?.rev), 'the later word').toBeGreaterThan(1_000_000);
  expect(await slices.read('slc_a')).toMatchObject({ state: 'settled' });
});

test('a message of another acceptance under the same id is another one', async () => {
  const { accept, finish, apply, told, statesOf } = world();
  await accept(['msg_a']);
  await pass();
  const putBack = await noticedCopyOf(store.redis);
  await finish();
  await pass();
  for (const change of [{ createdAt: BEGINS - 1 }, { fp: 'other' }]) {
    await putBack();
    await store.redis.hset(keys.record('msg_a'), change);
    expect(await apply(here.database.url)).toBe(true);
    expect([await statesOf(['msg_a']), await told()]).toEqual([['unknown'], []]);
  }
});

test('while history is away nothing is changed, and without it texts are in doubt', async () => {
  const { accept, finish, apply, told, statesOf, slices } = world();
  await loseTheEnd(accept(three), finish);
  await expect(apply(AWAY)).rejects.toThrow(HistoryAway);
  expect(await slices.read('slc_a')).toMatchObject({ state: 'queued', rev: 1 });
  expect([await statesOf(three), await told()]).toEqual([['queued', 'queued', 'queued'], []]);
  expect(await apply(undefined)).toBe(true);
  expect(await statesOf(three)).toEqual(['unknown', 'unknown', 'unknown']);
});

test('a one-time password that was sent in the lost time is no expired one', async () => {
  const { accept, finish, apply, told, statesOf, ...rest } = world();
  await accept(['msg_a'], 'otp');
  await pass();
  const putBack = await noticedCopyOf(store.redis);
  await finish();
  const events = await told();
  await pass();
  await putBack();
  expect(await apply(here.database.url)).toBe(true);
  expect(await statesOf(['msg_a'])).toEqual(['sent']);
  expect(await told()).toEqual(events);
  expect(await new Queries(store.redis).read('message', 'msg_a')).toMatchObject({ fields: { text: '' } });
  expect(rest.sentTo(0)).toBe(1);
});

test('an apply that is late ends nothing once the recovery is over', async () => {
  const { accept, finish, apply, told, statesOf } = world();
  await loseTheEnd(accept(three), finish);
  await store.redis.hdel(keys.heartbeat, 'recovering');
  expect(await apply(here.database.url)).toBe(false);
  expect([await statesOf(three), await told()]).toEqual([['queued', 'queued', 'queued'], []]);
});
