import { describe, expect, test } from 'vitest';
import { Campaigns } from '../../src/operations/campaigns.ts';
import { feedCampaign } from '../../src/processors/campaign.ts';
import { BALANCE_EMPTY } from '../../src/processors/sms/answers.ts';
import { sendSlice } from '../../src/processors/text/slice.ts';
import { Slots } from '../../src/processors/text/slots.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { FEED_WINDOW, HOUR, MIDNIGHT, campaignWorld } from './campaign-world.ts';

const store = storeOfThisFile();

const world = (size?: number) => campaignWorld(store.redis, size === undefined ? {} : { size });

describe('a time to start', () => {
  test('a campaign with a time ahead is scheduled, and begins by itself when it has come', async () => {
    const w = world();
    w.turnTo(9);
    const id = await w.ready(60, { sendAt: MIDNIGHT + 10 * HOUR });
    expect(await w.campaigns.switch(id, 'start')).toMatchObject({ is: 'applied', to: 'scheduled' });
    await w.work();
    expect([await w.standing(id), w.posts.length, await w.dueAt(id)]).toEqual(['scheduled', 0, MIDNIGHT + 10 * HOUR]);
    w.turnTo(10);
    await w.work();
    expect([await w.standing(id), w.texts(id)]).toEqual(['finished', 60]);
  });

  test('a wake-up that comes too early changes nothing', async () => {
    const w = world();
    const id = await w.started(60, { sendAt: MIDNIGHT + 10 * HOUR });
    expect(await w.feed(id)).toEqual({ outcome: 'waits', reason: 'scheduled' });
    expect(await w.dueAt(id)).toBe(MIDNIGHT + 10 * HOUR);
  });

  test('paused before its time, it does not begin; resumed before its time, it is scheduled again', async () => {
    const w = world();
    const id = await w.started(60, { sendAt: MIDNIGHT + 10 * HOUR });
    await w.campaigns.switch(id, 'pause');
    expect([await w.standing(id), await w.dueAt(id)]).toEqual(['paused', undefined]);
    expect(await w.campaigns.switch(id, 'resume')).toMatchObject({ to: 'scheduled' });
    await w.campaigns.switch(id, 'cancel');
    w.turnTo(11);
    await w.work();
    expect([await w.standing(id), w.posts.length, await w.sum(id)]).toEqual(['cancelled', 0, [60, 60]]);
  });

  test('a time that is over starts at once', async () => {
    const w = world();
    w.turnTo(11);
    const id = await w.ready(60, { sendAt: MIDNIGHT + 10 * HOUR });
    expect(await w.campaigns.switch(id, 'start')).toMatchObject({ to: 'running' });
  });
});

describe('quiet hours', () => {
  test('hold the campaign, name the reason, and let it go on by themselves', async () => {
    const w = world();
    w.turnTo(22);
    const id = await w.started(60, { quietHours: 'on' });
    await w.feed(id);
    expect([await w.standing(id), await w.dueAt(id), await w.out()]).toEqual([
      'held: quiet_hours',
      MIDNIGHT + 32 * HOUR,
      [],
    ]);
    expect((await w.read(id)).totals).toMatchObject({ total: 60, queued: 60 });
    expect(await w.events()).toMatchObject([
      { type: 'campaign.held', data: { id, state: 'held', reason: 'quiet_hours' } },
    ]);
    w.turnTo(31);
    expect(await w.feed(id)).toEqual({ outcome: 'waits', reason: 'quiet_hours' });
    w.turnTo(32);
    expect(await w.feed(id)).toEqual({ outcome: 'advanced', reason: 'release' });
    await w.work();
    expect([await w.standing(id), w.texts(id)]).toEqual(['finished', 60]);
  });

  test('what was handed out in the evening is not sent at night, and is sent in the morning', async () => {
    const w = world();
    w.turnTo(20);
    const id = await w.started(100, { quietHours: '20:30-07:00', timezone: 'Africa/Dakar' });
    await w.feed(id);
    const slices = await w.out();
    expect(slices).toHaveLength(2);
    w.turnTo(21);
    for (const slice of slices) {
      expect(await w.send(slice)).toMatchObject({ outcome: 'waits', reason: 'quiet_hours' });
    }
    expect([w.posts.length, await w.standing(id), await w.sum(id)]).toEqual([0, 'held: quiet_hours', [100, 100]]);
    w.turnTo(31);
    // The first sweep lets the campaign go on, and the second finds its slices.
    await w.looks(2, 0);
    expect([await w.standing(id), w.texts(id)]).toEqual(['finished', 100]);
  });

  test('are those of the zone that the campaign names', async () => {
    const w = world();
    // 20:30 in Dakar is 21:30 in Cotonou.
    w.turnTo(20.5);
    const there = await w.ready(50, { quietHours: 'on', timezone: 'Africa/Porto-Novo' });
    const here = await w.ready(50, { quietHours: 'on' });
    for (const id of [there, here]) await w.campaigns.switch(id, 'start');
    for (const id of [there, here]) await w.feed(id);
    expect([await w.standing(there), await w.standing(here)]).toEqual(['held: quiet_hours', 'running']);
  });

  test('taken away in the night, they hold it no longer', async () => {
    const w = world();
    w.turnTo(23);
    const id = await w.started(50, { quietHours: 'on' });
    await w.feed(id);
    expect(await w.campaigns.amend(id, { quietHours: '' })).toMatchObject({ is: 'applied' });
    await w.work();
    expect([await w.standing(id), w.texts(id)]).toEqual(['finished', 50]);
  });

  test('taken away in the evening, they do not hold it at night for what was read of it before', async () => {
    const w = world(1_000);
    w.turnTo(20);
    const id = await w.started(1_000, { quietHours: 'on', canary: 0 });
    await w.feed(id);
    w.turnTo(21 - 1 / 3_600);
    const [slice = ''] = await w.out();
    let sent = 0;
    w.answer(async () => {
      if ((sent += 1) !== 1) return {};
      await w.campaigns.amend(id, { quietHours: '' });
      w.advance(2_000);
      return {};
    });
    // One request after the other: the second is asked about at night, by an attempt from before.
    await sendSlice(slice, { ...w.context, slots: new Slots(1) });
    expect(w.texts(id)).toBeLessThan(1_000);
    expect(await w.standing(id)).toBe('running');
    await w.looks(5);
    expect([await w.standing(id), w.texts(id)]).toEqual(['finished', 1_000]);
  });

  test('taken away while somebody looks whether it is night, they do not hold it either', async () => {
    const w = world();
    w.turnTo(22);
    const id = await w.started(50, { quietHours: 'on' });
    class Amended extends Campaigns {
      override async circumstances() {
        await this.amend(id, { quietHours: '' });
        return super.circumstances();
      }
    }
    await feedCampaign(id, { ...w.context, campaigns: new Amended(store.redis, { now: w.now }) });
    await w.work();
    expect([await w.standing(id), w.texts(id)]).toEqual(['finished', 50]);
  });
});

describe('a pace', () => {
  /** Texts of the campaign in each of the next minutes, with the workers looking every second. */
  async function minutes(w: ReturnType<typeof world>, id: string, count: number): Promise<number[]> {
    const sent: number[] = [];
    for (let minute = 0; minute < count; minute += 1) {
      const before = w.texts(id);
      await w.looks(60);
      sent.push(w.texts(id) - before);
    }
    return sent;
  }

  test('no more recipients leave in a minute than it allows, and hardly less', async () => {
    const w = world();
    const id = await w.started(4_000, { perSecond: 20, canary: 0 });
    const [first = 0, second = 0] = await minutes(w, id, 2);
    expect([first >= 1_150 && first <= 1_250, second >= 1_150 && second <= 1_200]).toEqual([true, true]);
    expect((await w.read(id)).out).toBeLessThanOrEqual(2);
  });

  test('changed while it runs, it counts from the next request on', async () => {
    const w = world();
    const id = await w.started(4_000, { perSecond: 1, canary: 0 });
    expect((await minutes(w, id, 1))[0]).toBeLessThanOrEqual(150);
    await w.campaigns.amend(id, { perSecond: 50 });
    expect((await minutes(w, id, 1))[0]).toBeGreaterThan(2_800);
    await w.campaigns.amend(id, { perSecond: '' });
    await minutes(w, id, 1);
    expect([await w.standing(id), w.texts(id)]).toEqual(['finished', 4_000]);
  });

  test('two workers that read it at the same moment do not both go', async () => {
    const w = world();
    const id = await w.started(100, { perSecond: 10, canary: 0 });
    await w.feed(id);
    const settled = await Promise.all((await w.out()).map((slice) => w.send(slice)));
    expect([settled.map(({ reason: because }) => because).toSorted(), w.texts(id)]).toEqual([['pace', 'sent'], 50]);
  });

  test('a campaign that is over takes no other pace', async () => {
    const w = world();
    const id = await w.ready(50);
    await w.campaigns.switch(id, 'cancel');
    expect(await w.campaigns.amend(id, { perSecond: 50 })).toEqual({ is: 'refused', state: 'cancelled' });
  });
});

describe('sharing the workers', () => {
  test('a campaign alone may have everything out, two share it, and none is left without', async () => {
    const w = world();
    const huge = await w.started(10_000, { canary: 0 });
    await w.feed(huge);
    expect((await w.read(huge)).fed).toBe(FEED_WINDOW);
    const small = await w.started(10_000, { canary: 0 });
    await w.feed(small);
    expect((await w.read(small)).fed).toBe(FEED_WINDOW / 2);
    expect((await w.feed(huge)).reason).toBe('window_full');
    expect((await w.read(huge)).fed).toBe(FEED_WINDOW);
  });
});

test('a slice whose wake-up died with its worker is found two seconds after it was handed out', async () => {
  const w = world();
  const id = await w.started(50, { canary: 0 });
  await w.feed(id);
  const due = await store.redis.zscore('due:sms-batch', `${id}.ab-0`);
  expect(Number(due) - w.now()).toBe(2_000);
});

describe('an empty balance', () => {
  test('holds every campaign of the account, and the account released, each goes on by itself', async () => {
    const w = world();
    const id = await w.ready(100);
    await w.accounts.hold('main', 'messaging', 'funds');
    await w.campaigns.switch(id, 'start');
    await w.feed(id);
    expect([await w.standing(id), await w.dueAt(id)]).toEqual(['held: funds', w.now() + 30_000]);
    w.advance(30_000);
    await w.work();
    expect([await w.standing(id), w.posts.length]).toEqual(['held: funds', 0]);
    await w.accounts.release('main', 'messaging', 'funds');
    w.advance(30_000);
    await w.work();
    expect([await w.standing(id), w.texts(id)]).toEqual(['finished', 100]);
  });
});

describe('a canary', () => {
  test('goes alone, and when it came through, the rest follows', async () => {
    const w = world();
    const id = await w.started(1_200);
    await w.feed(id);
    expect((await w.read(id)).fed).toBe(1);
    expect(await w.feed(id)).toEqual({ outcome: 'idle', reason: 'canary_is_out' });
    await w.looks(2, 2_000);
    expect([await w.standing(id), w.texts(id)]).toEqual(['finished', 1_200]);
  });

  test('small campaigns have none, unless they ask', async () => {
    const w = world();
    const small = await w.ready(1_000);
    const asking = await w.ready(1_000, { canary: 60 });
    const large = await w.ready(1_001, { canary: 0 });
    for (const id of [small, asking, large]) {
      await w.campaigns.switch(id, 'start');
      await w.feed(id);
    }
    const fed = await Promise.all([small, asking, large].map(async (id) => (await w.read(id)).fed));
    expect(fed).toEqual([20, 1, 21]);
  });

  test('that failed as a whole stops the campaign after one request', async () => {
    const w = world();
    w.answer(() => ({ outcome: 'failed', code: 'ERROR_109' }));
    const id = await w.started(2_000);
    await w.looks(2, 2_000);
    expect([await w.standing(id), w.posts.length, await w.sum(id)]).toEqual([
      'held: canary_failed',
      1,
      [2_000, 2_000],
    ]);
    expect((await w.events()).at(-1)).toMatchObject({ type: 'campaign.held', data: { reason: 'canary_failed' } });
  });

  test('that went out under another sender stops the campaign; who has looked may let it go on', async () => {
    const w = world();
    w.answer(() => ({ outcome: 'sent', sender: 'SMS-TEST' }));
    const id = await w.started(2_000);
    await w.looks(2, 2_000);
    expect([await w.standing(id), w.posts.length]).toEqual(['held: canary_sender', 1]);
    await w.campaigns.switch(id, 'resume');
    await w.work();
    expect([await w.standing(id), w.texts(id)]).toEqual(['finished', 2_000]);
  });

  test('in doubt is waited for; and if nobody of it is found, the campaign stops after one request', async () => {
    const w = world();
    w.answer(() => ({ outcome: 'unknown' }));
    const id = await w.started(2_000);
    await w.work();
    w.advance(10_000);
    await w.work();
    expect([await w.standing(id), w.posts.length]).toEqual(['running', 1]);
    // The last look was in vain.
    await store.redis.hset(`op:${id}.ab-0`, { state: 'settled', r0: 'd,0,50,u' });
    await store.redis.hset(`op:${id}`, { settled: 1 });
    await w.feed(id);
    expect([await w.standing(id), w.posts.length]).toEqual(['held: canary_in_doubt', 1]);
    w.answer(() => ({ outcome: 'sent' }));
    await w.campaigns.switch(id, 'resume');
    await w.work();
    expect(w.texts(id)).toBe(2_000);
  });

  test('for which there were no funds passes the turn to the next ones, once there are', async () => {
    const w = world();
    w.answer(() => ({ outcome: 'unknown' }));
    const id = await w.started(2_000);
    await w.work();
    // The balance was empty, and the looks found nobody.
    const empty = { en: 1, e1: `0|send|${BALANCE_EMPTY}|200|` };
    await store.redis.hset(`op:${id}.ab-0`, { state: 'settled', r0: 'd,0,50,u', ...empty });
    await store.redis.hset(`op:${id}`, { settled: 1 });
    w.answer(() => ({ outcome: 'sent' }));
    w.advance(2_000);
    await w.looks(2, 2_000);
    expect([await w.standing(id), w.texts(id)]).toEqual(['finished', 2_000]);
  });

  test('of which everybody has opted out passes the turn to the next ones', async () => {
    const w = world();
    const id = await w.ready(2_000);
    const { account } = await w.read(id);
    const first = Array.from({ length: 50 }, (_, row) => `+2217${id.at(-1)}${String(1_000_000 + row)}`);
    await w.context.optOuts.add({ account, sender: '' }, first);
    await w.campaigns.switch(id, 'start');
    await w.work();
    expect([await w.standing(id), (await w.read(id)).totals]).toEqual([
      'finished',
      expect.objectContaining({ skipped: 50, sent: 1_950 }),
    ]);
  });
});

test('a campaign that insists on its sender is held by the first text under another one, in mid-flight', async () => {
  const w = world();
  const id = await w.started(5_000, { canary: 0, requireSender: 1 });
  w.answer(() => ({ outcome: 'sent', sender: w.posts.length > 3 ? 'SMS-TEST' : 'shop ' }));
  await w.work();
  expect([await w.standing(id), w.posts.length, await w.sum(id)]).toEqual([
    'held: sender_replaced',
    4,
    [5_000, 5_000],
  ]);
});
