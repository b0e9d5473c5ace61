import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { runAfter } from '../../src/operations/campaigns.ts';
import type { ProcessorContext, AttemptResult } from '../../src/processors/context.ts';
import { feedCampaign } from '../../src/processors/campaign.ts';
import { type AttemptFinished, runner } from '../../src/processors/run.ts';
import { sendChunk } from '../../src/processors/sms-batch.ts';
import { Turns } from '../../src/processors/turns.ts';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';
import { campaignWorld } from './campaign-world.ts';

let store: FreshRedis;
beforeAll(async () => {
  store = await freshRedis();
});
afterAll(() => store.close());
beforeEach(() => store.redis.flushdb());

type World = ReturnType<typeof campaignWorld>;

/** A running campaign whose chunks were handed out, and who was woken for that. */
async function handedOut(recipients: number, how: Partial<ProcessorContext> = {}) {
  const w = campaignWorld(store.redis);
  const woken: string[] = [];
  const context: ProcessorContext = { ...w.context, ...how, wake: (_queue, id) => void woken.push(id) };
  const id = await w.ready(recipients, { canary: 0 });
  await w.campaigns.switch(id, 'start');
  await feedCampaign(id, context);
  return { w, context, id, woken, chunk: (place: number) => `${id}.ab-${place}` };
}

/** Every attempt of the job that was woken for this chunk. */
async function job(woken: string, context: ProcessorContext): Promise<string[]> {
  const attempts: AttemptFinished[] = [];
  await runner(
    'sms-batch',
    (id, own) => sendChunk(id, 'sms-batch', own),
    context,
    (one) => void attempts.push(one),
  )({
    data: { id: woken },
  });
  return attempts.map(({ id, result: { outcome: did, reason: because } }) => `${id.split('-')[1]} ${did} ${because}`);
}

/** Somebody else's turn, from its intent until it is told to end. */
function heldUp(turns: Turns) {
  let [end, began] = [(): void => undefined, (): void => undefined];
  const begun = new Promise<void>((resolve) => (began = resolve));
  const over = new Promise<void>((resolve) => (end = resolve));
  void turns.take({ intend: async () => (began(), {}), send: () => over });
  return { begun, end: () => end() };
}

const sentOnce = (w: World): boolean => {
  const numbers = w.posts.flatMap(({ messages }) => messages.map(({ to }) => to));
  return new Set(numbers).size === numbers.length;
};
const ended = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, offset) => `${from + offset} ended sent`);

describe('a run of chunks', () => {
  test('needs one wake-up, and each of its chunks is an attempt of its own', async () => {
    const { w, context, id, woken, chunk } = await handedOut(1_000);
    expect(woken.splice(0)).toEqual([chunk(0), chunk(8), chunk(16)]);
    expect(await job(chunk(0), context)).toEqual(ended(0, 7));
    expect(await job(chunk(8), context)).toEqual(ended(8, 15));
    expect(await job(chunk(16), context)).toEqual([...ended(16, 19), '20 idle not out']);
    expect([await w.standing(id), w.posts.length, sentOnce(w)]).toEqual(['finished', 20, true]);
  });

  test('ends where no more was handed out', async () => {
    const w = campaignWorld(store.redis);
    const id = await w.ready(1_000, { canary: 50 });
    await w.campaigns.switch(id, 'start');
    await w.feed(id);
    const { next } = await sendChunk(`${id}.ab-0`, 'sms-batch', { ...w.context, wake: () => undefined });
    // The canary came through meanwhile, so the others were handed out; before that none of them is begun.
    expect(next?.id).toBe(`${id}.ab-1`);
    await store.redis.zrem('due:sms-batch', `${id}.ab-1`);
    expect(await next?.attempt(w.context)).toEqual({ outcome: 'idle', reason: 'not out' });
    expect(w.posts).toHaveLength(1);
  });

  test('passes over what somebody else has tried, and takes nothing from who is at it', async () => {
    const { w, context, chunk } = await handedOut(300);
    await sendChunk(chunk(1), 'sms-batch', context);
    await context.chunks.begin(chunk(3), { queue: 'sms-batch', leaseMs: 60_000, untriedOnly: false });
    expect(await job(chunk(0), context)).toEqual([
      ...ended(0, 0),
      '1 idle tried',
      ...ended(2, 2),
      '3 idle tried',
      ...ended(4, 5),
      '6 idle not out',
    ]);
    expect([w.posts.length, sentOnce(w)]).toEqual([5, true]);
  });

  test('is led by who was woken for its first chunk the first time, and by nobody else', async () => {
    const { context, chunk } = await handedOut(300);
    expect((await sendChunk(chunk(2), 'sms-batch', context)).next).toBeUndefined();
    expect((await sendChunk(chunk(0), 'sms-batch', context)).next?.id).toBe(chunk(1));
    expect(await sendChunk(chunk(0), 'sms-batch', context)).toEqual({ outcome: 'idle', reason: 'final' });
    expect(runAfter('sms_1')).toEqual([]);
  });

  test('of a campaign that is paused in its midst leaves every chunk where resuming finds it', async () => {
    const { w, context, id, chunk } = await handedOut(300);
    const first: AttemptResult = await sendChunk(chunk(0), 'sms-batch', context);
    await w.campaigns.switch(id, 'pause');
    let next = first.next;
    while (next) next = (await next.attempt(context)).next;
    expect([w.posts.length, (await store.redis.smembers(`parked:${id}`)).length]).toEqual([1, 5]);
    await w.campaigns.switch(id, 'resume');
    await w.work();
    expect([await w.standing(id), w.posts.length, sentOnce(w)]).toEqual(['finished', 6, true]);
  });

  test('is handed on by a process that is about to stop: it begins nothing more', async () => {
    const { w, context, woken, chunk } = await handedOut(300, { stopping: () => true });
    woken.splice(0);
    expect(await job(chunk(0), context)).toEqual(ended(0, 0));
    expect(woken).toEqual([1, 2, 3, 4, 5].map(chunk));
    expect(w.posts).toHaveLength(1);
  });

  test('waits for its turn where there are more attempts than requests, and sends each chunk once', async () => {
    const { w, context, id, chunk } = await handedOut(1_000, { turns: new Turns(1, systemClock) });
    const { messaging } = context.upstream;
    let [inFlight, most, intended] = [0, 0, 0];
    const send: typeof messaging.send = async (...asked) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      intended = Math.max(intended, await store.redis.zcard('in:chunk:sending'));
      try {
        return await messaging.send(...asked);
      } finally {
        inFlight -= 1;
      }
    };
    const slow: ProcessorContext = {
      ...context,
      upstream: { ...context.upstream, messaging: { ...messaging, send } },
    };
    await Promise.all([0, 8, 16].map((place) => job(chunk(place), slow)));
    expect([await w.standing(id), w.posts.length, sentOnce(w)]).toEqual(['finished', 20, true]);
    expect(most).toBe(1);
    // Two have their intent and one is sent to; of the third its end is being written down.
    expect(intended).toBeLessThanOrEqual(3);
  });

  test.for([
    ['to write their intent', 0, ['queued', 'queued']],
    ['to send', 1, ['sending', 'queued']],
  ] as const)(
    'those that still wait for their turn %s when the process stops are left',
    async ([, places, states]) => {
      const turns = new Turns(1, systemClock);
      let stops = false;
      const { w, context, woken, chunk } = await handedOut(300, { turns, stopping: () => stops });
      const stored = async (): Promise<(string | null)[]> =>
        Promise.all([0, 1].map((place) => store.redis.hget(`op:${chunk(place)}`, 'state')));
      woken.splice(0);
      // As many are held up with their intent as make the next one wait at this step.
      const holders = Array.from({ length: 2 - places }, () => heldUp(turns));
      await Promise.all(holders.map(({ begun }) => begun));
      const waiting = [0, 1].map((place) => sendChunk(chunk(place), 'sms-batch', context));
      await vi.waitFor(async () => {
        expect(await store.redis.hexists(`op:${chunk(1)}`, 'lease')).toBe(1);
        expect(await stored()).toEqual(states);
      });
      stops = true;
      for (const { end } of holders) end();
      expect((await Promise.all(waiting)).map(({ reason: because }) => because)).toEqual(['stopping', 'stopping']);
      expect([w.posts.length, await stored()]).toEqual([0, ['queued', 'queued']]);
      stops = false;
      expect(await job(chunk(0), context)).toEqual(ended(0, 0));
      expect(w.posts).toHaveLength(1);
    },
  );

  test('is handed on where the service is slow, so that every slot has a request out', async () => {
    const { w, context, woken, chunk } = await handedOut(300);
    const { messaging } = context.upstream;
    const send: typeof messaging.send = (...asked) => {
      w.advance(200);
      return messaging.send(...asked);
    };
    woken.splice(0);
    const slow: ProcessorContext = {
      ...context,
      upstream: { ...context.upstream, messaging: { ...messaging, send } },
    };
    expect(await job(chunk(0), slow)).toEqual(ended(0, 0));
    expect(woken.splice(0)).toEqual([1, 2, 3, 4, 5].map(chunk));
    expect(await job(chunk(1), slow)).toEqual(ended(1, 1));
    expect(woken).toEqual([]);
  });
});

describe('an opt-out', () => {
  const optOutLater = (
    w: World,
    context: ProcessorContext,
    list: { account: string; sender: string },
  ): ProcessorContext => {
    const { messaging } = context.upstream;
    const prepare: typeof messaging.prepare = async (...asked) => {
      await w.context.optOuts.add(list, ['+221711000000']);
      return messaging.prepare(...asked);
    };
    return { ...context, upstream: { ...context.upstream, messaging: { ...messaging, prepare } } };
  };

  test.each(['', 'SHOP'])('that comes while the attempt is under way counts, sender "%s"', async (sender) => {
    const { w, context, id, chunk } = await handedOut(50);
    await sendChunk(chunk(0), 'sms-batch', optOutLater(w, context, { account: 'main', sender }));
    expect((await w.read(id)).totals).toMatchObject({ skipped: 1, sent: 49 });
    expect(w.posts.map(({ messages }) => messages.length)).toEqual([49]);
  });

  test('of a person who was forgotten counts as well', async () => {
    const { w, context, id, chunk } = await handedOut(50);
    await w.context.optOuts.add({ account: 'main', sender: '' }, ['+221711000000', '+221711000001']);
    await w.context.optOuts.forget('+221711000000');
    await w.context.optOuts.remove({ account: 'main', sender: '' }, ['+221711000001']);
    await sendChunk(chunk(0), 'sms-batch', context);
    expect((await w.read(id)).totals).toMatchObject({ skipped: 1, sent: 49 });
  });

  test('from another sender, or of another account, stops nobody', async () => {
    const { w, context, id, chunk } = await handedOut(50);
    await sendChunk(chunk(0), 'sms-batch', optOutLater(w, context, { account: 'main', sender: 'OTHER' }));
    expect((await w.read(id)).totals).toMatchObject({ sent: 50 });
  });
});
