/** The people of a campaign that a Redis that was put back shows open, and history shows as sent to, are so again. */
import { expect, test } from 'vitest';
import { payeesWith } from '../../src/history/payees.ts';
import { HistoryReader } from '../../src/history/reader.ts';
import { keys } from '../../src/operations/keys.ts';
import { LaterTexts } from '../../src/operations/later-texts.ts';
import { HistoryAway } from '../../src/operations/past.ts';
import { LostRetries } from '../../src/operations/lost-retries.ts';
import { PutBack } from '../../src/operations/put-back.ts';
import type { CampaignRecord } from '../../src/operations/record.ts';
import { Restored } from '../../src/operations/restored.ts';
import { Retries } from '../../src/operations/retries.ts';
import { restoreAll } from '../../src/processors/recovery/desk.ts';
import { pollStatus } from '../../src/processors/run.ts';
import { campaignWorld, HOUR, MIDNIGHT, sentTo } from '../processors/campaign-world.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { ServiceDouble } from '../support/texts-bench.ts';
import { noticedCopyOf, historyOfThisFile } from './history-world.ts';

const AWAY = 'postgres://127.0.0.1:1/none';
const LONG_MS = 600_000;
const SINCE = 7;

const store = storeOfThisFile();
const here = historyOfThisFile(store, MIDNIGHT);
const { pass } = here;

function laterTexts(url: string | undefined): LaterTexts {
  const past = url === undefined ? undefined : new HistoryReader(url, () => undefined);
  return new LaterTexts({ redis: store.redis, past });
}

function knownAgain(): PutBack {
  const past = new HistoryReader(here.database.url, () => undefined);
  return new PutBack({ redis: store.redis, past, keepMs: HOUR, payeeOf: payeesWith([]), idOfReference: () => '' });
}

/** True: everything of the lost time that was retried then is begun again. */
function startedAgain(): Promise<boolean> {
  const past = new HistoryReader(here.database.url, () => undefined);
  const retries = new Retries(store.redis);
  const lost = { since: SINCE, from: 0, at: MIDNIGHT + HOUR };
  return new LostRetries({ redis: store.redis, past, retries }).turn(lost, () => true);
}

const said = { by: 'shop', person: '', role: 'enqueue', door: 'api', requestId: 'r', act: 'campaign.retry' } as const;
const seqOf = ({ fields }: CampaignRecord): number => Number(fields['seq']);

function world() {
  const bench = campaignWorld(store.redis);
  const service = new ServiceDouble(bench.now);
  const context = sentTo(service, bench.context);
  return {
    ...bench,
    service,
    apply: (url: string | undefined) => {
      const lost = { since: SINCE, from: bench.now() - HOUR, at: bench.now() };
      const turn = { lost, untilMono: context.clock.monotonic() + LONG_MS };
      return restoreAll({ restored: new Restored(store.redis), context, laterTexts: laterTexts(url) }, turn);
    },
    /** So many of the slices that are handed out. */
    sendOut: async (most: number) => {
      for (const slice of (await bench.out()).slice(0, most)) await bench.send(slice);
    },
    lookUntilOver: async () => {
      for (;;) {
        const due = await store.redis.zrange(keys.due('status-poll'), '0', '-1');
        if (due.length === 0) return;
        bench.advance(60_000);
        for (const id of due) await pollStatus(id, context);
      }
    },
  };
}

const statesInHistory = () =>
  here.database.query<{ state: string; count: string }>(
    'select state, count(*)::text from relais.recipients group by 1 order by 1',
  );

test('a campaign that was sent in the lost time is sent, and the statistics are not asked about it', async () => {
  const { started, feed, read, sendOut, apply, sum, posts, service } = world();
  const id = await started(500, { canary: 0 });
  await feed(id);
  await pass();
  const putBack = await noticedCopyOf(store.redis);
  await sendOut(10);
  expect(await read(id)).toMatchObject({ state: 'finished', totals: { sent: 500 } });
  await pass();
  await putBack();
  const requests = posts.length;
  expect(await apply(here.database.url)).toBe(true);
  expect(await read(id)).toMatchObject({ state: 'finished', totals: { sent: 500, unknown: 0, queued: 0 } });
  expect(await sum(id)).toEqual([500, 500]);
  expect([posts.length, service.requests, service.statisticsAsked]).toEqual([requests, [], 0]);
  expect(await laterTexts(here.database.url).counts(SINCE)).toEqual({ recipient: 500 });
  await store.redis.hdel(keys.heartbeat, 'recovering');
  await pass();
  expect(await statesInHistory()).toEqual([{ state: 'sent', count: '500' }]);
});

test('who was not sent to then, or failed, is in doubt as ever, and nobody is sent to again', async () => {
  const { started, feed, read, sendOut, apply, sum, answer, lookUntilOver, posts } = world();
  const id = await started(500, { canary: 0, onUnknown: 'resend' });
  await feed(id);
  await pass();
  const putBack = await noticedCopyOf(store.redis);
  answer((_message, index) =>
    index === 7 ? { outcome: 'failed', code: 'ERROR_110' } : { outcome: 'sent', code: '00' },
  );
  await sendOut(4);
  expect((await read(id)).totals).toMatchObject({ sent: 196, failed: 4, queued: 300 });
  await pass();
  await putBack();
  const requests = posts.length;
  expect(await apply(here.database.url)).toBe(true);
  expect((await read(id)).totals).toMatchObject({ sent: 196, unknown: 304, queued: 0 });
  await lookUntilOver();
  expect(await read(id)).toMatchObject({ state: 'finished', totals: { sent: 196, unknown: 304 } });
  expect(await sum(id)).toEqual([500, 500]);
  expect(posts.length).toBe(requests);
});

test('who was on the way when the copy was made, and came to an end in the lost time, is looked at no more', async () => {
  const { started, feed, read, out, send, apply, answer, lookUntilOver, service, advance, now } = world();
  const id = await started(50, { canary: 0 });
  await feed(id);
  await pass();
  answer((_message, index) => (index < 20 ? { outcome: 'unknown' } : { outcome: 'sent' }));
  for (const slice of await out()) await send(slice);
  const putBack = await noticedCopyOf(store.redis);
  for (let place = 0; place < 10; place += 1) {
    const to = `+22171${String(1_000_000 + place)}`;
    service.book.push({ to, text: `hello from ${id}`, code: '00', at: now() });
  }
  await lookUntilOver();
  expect((await read(id)).totals).toMatchObject({ sent: 40, unknown: 10 });
  await pass();
  await putBack();
  service.book.length = 0;
  advance(60_000);
  expect(await apply(here.database.url)).toBe(true);
  expect((await read(id)).totals).toMatchObject({ sent: 40, unknown: 10 });
  await lookUntilOver();
  expect(await read(id)).toMatchObject({ state: 'finished', totals: { sent: 40, unknown: 10 } });
});

test('one that the copy shows as not started, and history as sent, is not there to be resumed and sent again', async () => {
  const { ready, campaigns, feed, read, sendOut, apply } = world();
  const id = await ready(100);
  await pass();
  const putBack = await noticedCopyOf(store.redis);
  await campaigns.switch(id, 'start');
  await feed(id);
  await sendOut(1);
  await pass();
  await putBack();
  expect(await apply(here.database.url)).toBe(true);
  expect((await read(id)).totals).toMatchObject({ sent: 50, unknown: 50, queued: 0 });
});

test('one that the copy shows without its people, and history as sent, is not there to be filled and sent again', async () => {
  const { drafted, fill, campaigns, feed, read, sendOut, queries, texts } = world();
  const [id, other] = [await drafted(), await drafted()];
  await pass();
  const putBack = await noticedCopyOf(store.redis);
  await fill(id, 50);
  await campaigns.switch(id, 'start');
  await feed(id);
  await sendOut(1);
  expect(await read(id)).toMatchObject({ state: 'finished', totals: { sent: 50 } });
  await pass();
  await putBack();
  const [known, lost] = [knownAgain(), { since: SINCE, from: MIDNIGHT + HOUR * 24, at: MIDNIGHT + HOUR * 25 }];
  expect([await known.turn(lost, () => true), await known.turn(lost, () => true)]).toEqual([true, true]);
  expect(await known.counts(SINCE)).toMatchObject({ campaign: 1 });
  await expect(fill(id, 50)).rejects.toThrow();
  expect([await queries.read('campaign', id), (await read(other)).state]).toEqual([undefined, 'draft']);
  expect((await queries.counts('campaign')).count).toEqual({ draft: 1, finished: 1 });
  expect(await store.redis.zrange(keys.index('campaign'), '0', '-1')).toEqual([other]);
  expect(texts(id)).toBe(50);
});

/** Finished in the copy with four who failed, of fifty, and one retry in the lost time. */
async function retriedSince(
  goOn: (bench: ReturnType<typeof world>, id: string) => Promise<void>,
  { copied, by = 'a key' }: { readonly copied?: 'in between'; readonly by?: 'a key' | 'the library' } = {},
) {
  const bench = world();
  const { started, feed, read, sendOut, answer, context } = bench;
  const id = await started(50, { canary: 0 });
  await feed(id);
  answer((_message, index) => (index < 4 ? { outcome: 'failed', code: 'ERROR_110' } : { outcome: 'sent' }));
  await sendOut(1);
  expect(await read(id)).toMatchObject({ state: 'finished', totals: { sent: 46, failed: 4 } });
  await pass();
  const early = await noticedCopyOf(store.redis);
  answer(() => ({ outcome: 'sent' }));
  const act = by === 'a key' ? { ...said, target: id } : undefined;
  const { is } = await context.retries.start(id, { includeUnknown: false, act });
  expect(is).toBe('applied');
  const putBack = copied ? await noticedCopyOf(store.redis) : early;
  await goOn(bench, id);
  const lost = await read(id);
  await pass();
  await putBack();
  return { ...bench, id, lost };
}

test('those who failed, and were sent to by a retry of the lost time, are sent to, and by no retry again', async () => {
  const { id, lost, read, apply, context, texts } = await retriedSince(
    async ({ feed, sendOut }, one) => {
      await feed(one);
      await sendOut(1);
    },
    { by: 'the library' },
  );
  expect(lost).toMatchObject({ state: 'finished', totals: { sent: 50, failed: 0 } });
  expect([await startedAgain(), await startedAgain(), await apply(here.database.url)]).toEqual([true, true, true]);
  const now = await read(id);
  expect(now).toMatchObject({ state: 'finished', retries: 1, totals: { sent: 50, failed: 0, unknown: 0 } });
  expect([now.rev > lost.rev, seqOf(now) > seqOf(lost)]).toEqual([true, true]);
  expect(await context.retries.start(id, { includeUnknown: true })).toEqual({ is: 'nobody' });
  expect(texts(id)).toBe(54);
});

test('a retry of the lost time that was not over leaves those who failed in doubt, and nobody to be retried', async () => {
  const { id, read, apply, context, lookUntilOver, texts } = await retriedSince(async () => undefined);
  expect([await startedAgain(), await apply(here.database.url)]).toEqual([true, true]);
  expect((await read(id)).totals).toMatchObject({ sent: 46, failed: 0, unknown: 4 });
  await lookUntilOver();
  expect(await read(id)).toMatchObject({ state: 'finished', totals: { sent: 46, failed: 0, unknown: 4 } });
  expect(await context.retries.start(id, { includeUnknown: false })).toEqual({ is: 'nobody' });
  expect(texts(id)).toBe(50);
});

test('a retry that was under way when the copy was made leaves nobody of those who failed to be retried', async () => {
  const { id, read, apply, context, texts } = await retriedSince(
    async ({ feed, sendOut }, one) => {
      await feed(one);
      await sendOut(1);
    },
    { copied: 'in between' },
  );
  expect(await read(id)).toMatchObject({ state: 'running', totals: { sent: 46, failed: 4 } });
  expect([await startedAgain(), await apply(here.database.url)]).toEqual([true, true]);
  expect(await read(id)).toMatchObject({
    state: 'finished',
    retries: 1,
    totals: { sent: 50, failed: 0, unknown: 0 },
  });
  expect(await context.retries.start(id, { includeUnknown: true })).toEqual({ is: 'nobody' });
  expect(texts(id)).toBe(54);
});

test('a retry that the copy knows is not begun again', async () => {
  const { started, feed, read, sendOut, apply, answer, context } = world();
  const id = await started(50, { canary: 0 });
  await feed(id);
  answer((_message, index) => (index < 4 ? { outcome: 'failed', code: 'ERROR_110' } : { outcome: 'sent' }));
  await sendOut(1);
  await context.retries.start(id, { includeUnknown: false, act: { ...said, target: id } });
  await feed(id);
  await sendOut(1);
  await pass();
  await (await noticedCopyOf(store.redis))();
  const before = await read(id);
  expect([await startedAgain(), await apply(here.database.url)]).toEqual([true, true]);
  expect(await read(id)).toEqual(before);
  expect(before).toMatchObject({ state: 'finished', retries: 1, totals: { failed: 4 } });
});

const others = [
  ['of another acceptance', (id: string) => store.redis.hset(keys.record(id), 'createdAt', MIDNIGHT - 1)],
  ['later in Redis', (id: string) => store.redis.hset(keys.record(`${id}.ab-0`), 'rev', 1_000)],
  [
    'about another number',
    async (id: string) => {
      const slice = keys.record(`${id}.ab-0`);
      const items = await store.redis.hget(slice, 'items');
      await store.redis.hset(slice, 'items', (items ?? '').replaceAll('2217', '2218'));
    },
  ],
] as const;
test.for(others)('a row that is %s counts for nothing', async ([, change]) => {
  const { started, feed, read, sendOut, apply } = world();
  const id = await started(50, { canary: 0 });
  await feed(id);
  await pass();
  const putBack = await noticedCopyOf(store.redis);
  await sendOut(1);
  await pass();
  await putBack();
  await change(id);
  expect(await apply(here.database.url)).toBe(true);
  expect((await read(id)).totals).toMatchObject({ sent: 0, unknown: 50 });
});

test('while history is away nobody is put in doubt', async () => {
  const { started, feed, read, sendOut, apply } = world();
  const id = await started(50, { canary: 0 });
  await feed(id);
  await pass();
  const putBack = await noticedCopyOf(store.redis);
  await sendOut(1);
  await pass();
  await putBack();
  await expect(apply(AWAY)).rejects.toThrow(HistoryAway);
  expect((await read(id)).totals).toMatchObject({ sent: 0, unknown: 0, queued: 50 });
  expect(await apply(here.database.url)).toBe(true);
  expect((await read(id)).totals).toMatchObject({ sent: 50, unknown: 0, queued: 0 });
});
