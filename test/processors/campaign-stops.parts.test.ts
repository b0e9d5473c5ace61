/** A campaign that stops itself, since nothing good comes back. */
import { describe, expect, test } from 'vitest';
import { packRequest } from '../../src/operations/slice-form.ts';
import { lookAtSlice } from '../../src/processors/text/look.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { FEED_WINDOW, HOUR, MIDNIGHT, campaignWorld } from './campaign-world.ts';

const store = storeOfThisFile();

const world = () => campaignWorld(store.redis);

const failing = () => ({ outcome: 'failed' as const, code: 'ERROR_110' });
const unclear = () => ({ outcome: 'unknown' as const });

/** A campaign of 5,000 of which every text is answered like this, at work until it stops itself. */
async function stopped(answer: typeof failing | typeof unclear) {
  const w = world();
  w.answer(answer);
  const id = await w.started(5_000, { canary: 0 });
  await w.work();
  return { w, id };
}

describe('failures', () => {
  test('a campaign stops itself when half of the last two hundred failed, and says why', async () => {
    const { w, id } = await stopped(failing);
    expect([await w.standing(id), await w.sum(id)]).toEqual(['held: failures', [5_000, 5_000]]);
    const { failed, queued } = (await w.read(id)).totals;
    // What was before the workers when it was seen, and no more.
    expect([failed >= 200 && failed <= 50 * FEED_WINDOW, queued > 0]).toEqual([true, true]);
    expect(await w.events()).toMatchObject([{ type: 'campaign.held', data: { id, reason: 'failures' } }]);
    expect(await w.dueAt(id)).toBe(undefined);
  });

  test('told to go on, it is judged by what comes from then on', async () => {
    const { w, id } = await stopped(failing);
    w.answer(() => ({ outcome: 'sent' }));
    await w.campaigns.switch(id, 'resume');
    await w.looks(20);
    expect([await w.standing(id), await w.sum(id)]).toEqual(['finished', [5_000, 5_000]]);
  });

  test('four in ten do not stop it, unless it says so; and nothing does where it says so', async () => {
    const w = world();
    w.answer((_, index) => (index % 5 < 2 ? failing() : {}));
    const ids = [await w.ready(2_000, { canary: 0 }), await w.ready(2_000, { canary: 0, pauseOnFailure: 30 })];
    for (const id of ids) {
      await w.campaigns.switch(id, 'start');
      await w.looks(10);
    }
    expect(await Promise.all(ids.map((id) => w.standing(id)))).toEqual(['finished', 'held: failures']);
    w.answer(failing);
    const stubborn = await w.started(2_000, { canary: 0, pauseOnFailure: 0 });
    await w.looks(10);
    expect(await w.standing(stubborn)).toBe('finished');
  });
});

describe('doubt', () => {
  /** As the looks at the slices would write it. */
  async function found(w: ReturnType<typeof world>, id: string, share: number): Promise<void> {
    const { unknown } = (await w.read(id)).totals;
    const count = Math.floor(unknown * share);
    await store.redis.hincrby(`op:${id}`, 't:unknown', -count);
    await store.redis.hincrby(`op:${id}`, 't:sent', count);
  }

  test('a campaign whose answers are all lost stops itself, and says why', async () => {
    const { w, id } = await stopped(unclear);
    expect([await w.standing(id), await w.sum(id)]).toEqual(['held: in_doubt', [5_000, 5_000]]);
    const { unknown, queued } = (await w.read(id)).totals;
    // What was before the workers when it was seen, and no more; and nobody is sent to again.
    expect([unknown >= 200 && unknown <= 50 * FEED_WINDOW, queued, w.texts(id)]).toEqual([
      true,
      5_000 - unknown,
      unknown,
    ]);
    expect(await w.events()).toMatchObject([{ type: 'campaign.held', data: { id, reason: 'in_doubt' } }]);
  });

  test('it goes on by itself once the statistics show that most were sent to', async () => {
    const { w, id } = await stopped(unclear);
    w.answer(() => ({ outcome: 'sent' }));
    await found(w, id, 0.4);
    w.advance(30_000);
    await w.work();
    expect(await w.standing(id)).toBe('held: in_doubt');
    await found(w, id, 0.5);
    w.advance(30_000);
    await w.looks(3, 2_000);
    const { queued } = (await w.read(id)).totals;
    expect([await w.standing(id), queued, await w.sum(id)]).toEqual(['running', 0, [5_000, 5_000]]);
  });

  test('told to go on, it is judged by what comes from then on', async () => {
    const { w, id } = await stopped(unclear);
    w.answer(() => ({ outcome: 'sent' }));
    await w.campaigns.switch(id, 'resume');
    await w.looks(3, 2_000);
    expect([await w.standing(id), (await w.read(id)).totals.queued]).toEqual(['running', 0]);
  });

  test('failed and in doubt count together, and nothing stops it where it says so', async () => {
    const w = world();
    w.answer((_, index) =>
      index % 10 < 3 ? unclear() : index % 10 < 6 ? { outcome: 'failed', code: 'ERROR_110' } : {},
    );
    const ids = [await w.ready(1_000, { canary: 0 }), await w.ready(1_000, { canary: 0, pauseOnFailure: 0 })];
    for (const id of ids) {
      await w.campaigns.switch(id, 'start');
      await w.looks(2, 2_000);
    }
    expect(await Promise.all(ids.map((id) => w.standing(id)))).toEqual(['held: in_doubt', 'running']);
  });

  test('what was being sent when a worker died is not held against the campaign', async () => {
    const w = world();
    const id = await w.started(5_000, { canary: 0 });
    await w.feed(id);
    const going = { is: 'going', part: false, from: 0, letters: 'g'.repeat(50), at: w.now() } as const;
    for (const slice of (await w.out()).slice(0, 20)) {
      await store.redis.hset(`op:${slice}`, { r0: packRequest({ ...going, codes: [], looks: 0, dueAt: 0 }), n: 1 });
      await store.redis.hincrby(`op:${id}`, 't:queued', -50);
      await store.redis.hincrby(`op:${id}`, 't:sending', 50);
      expect(await lookAtSlice(slice, w.context)).toMatchObject({ outcome: 'unknown' });
    }
    await w.feed(id);
    expect([await w.standing(id), (await w.read(id)).totals.unknown, await w.sum(id)]).toEqual([
      'running',
      1_000,
      [5_000, 5_000],
    ]);
  });
});

test('a look that was frozen, at a campaign that was released and held again meanwhile, takes no time from it', async () => {
  const { w, id } = await stopped(failing);
  const seen = await w.read(id);
  w.turnTo(22);
  await w.campaigns.amend(id, { quietHours: 'on' });
  await w.campaigns.switch(id, 'resume');
  await w.feed(id);
  await w.campaigns.rest(seen, undefined);
  expect([await w.standing(id), await w.dueAt(id)]).toEqual(['held: quiet_hours', MIDNIGHT + 32 * HOUR]);
  w.answer(() => ({ outcome: 'sent' }));
  w.turnTo(32);
  await w.looks(20);
  expect([await w.standing(id), await w.sum(id)]).toEqual(['finished', [5_000, 5_000]]);
});
