/** A campaign in slices, over a real Redis: what holds for slices holds for them. */
import { describe, expect, test } from 'vitest';
import { recipientsPage } from '../../../src/campaigns/recipients.ts';
import { acceptMessages } from '../../../src/operations/messages.ts';
import { Retries } from '../../../src/operations/retries.ts';
import { lookAtSlice } from '../../../src/processors/text/look.ts';
import { sendNextSlice } from '../../../src/processors/text/slice.ts';
import { Slots } from '../../../src/processors/text/slots.ts';
import { storeOfThisFile } from '../../support/fresh-redis.ts';
import { not, ok } from '../../support/processor-world.ts';
import { campaignWorld } from '../campaign-world.ts';

const store = storeOfThisFile();

type World = ReturnType<typeof campaignWorld>;

const slices = (size = 120): World => campaignWorld(store.redis, { size });
const sentOnce = ({ posts }: World): boolean => {
  const numbers = posts.flatMap(({ messages }) => messages.map(({ to }) => to));
  return new Set(numbers).size === numbers.length;
};
const sizes = ({ posts }: World): number[] => posts.map(({ messages }) => messages.length).sort((a, b) => b - a);
async function binsAddUp(world: World, id: string): Promise<boolean> {
  const [total, sum] = await world.sum(id);
  return total === sum;
}

/** With an upstream that does something besides. */
function sending(world: World, send: World['context']['upstream']['messaging']['send']): World['context'] {
  const { upstream } = world.context;
  return { ...world.context, upstream: { ...upstream, messaging: { ...upstream.messaging, send } } };
}

/** A running campaign whose slices were handed out; nothing of it was sent. */
async function handedOut(world: World, recipients: number, fields: Readonly<Record<string, string | number>> = {}) {
  const id = await world.ready(recipients, { canary: 0, ...fields });
  await world.campaigns.switch(id, 'start');
  await world.feed(id);
  return { id, slice: (place: number) => `${id}.ab-${place}` };
}

describe('a campaign in slices', () => {
  test('goes out once, in requests of fifty, and every recipient is told of', async () => {
    const world = slices();
    const id = await world.started(300, { canary: 0 });
    await world.work();
    expect([await world.standing(id), sentOnce(world), sizes(world)]).toEqual([
      'finished',
      true,
      [50, 50, 50, 50, 50, 20, 20, 10],
    ]);
    expect((await world.read(id)).totals).toMatchObject({ total: 300, queued: 0, sending: 0, sent: 300 });
    const { items } = await recipientsPage(await world.read(id), world.context, { limit: 300 });
    expect(items.map(({ row, state }) => [row, state])).toEqual(items.map((_, row) => [row, 'sent']));
    expect(items[0]?.sentAt).toBeDefined();
  });

  test('paused in its midst rests where resuming finds it, and nothing leaves meanwhile', async () => {
    const world = slices();
    const { id, slice } = await handedOut(world, 240);
    const { messaging } = world.context.upstream;
    const paused = sending(world, async (...asked) => {
      await world.campaigns.switch(id, 'pause');
      return messaging.send(...asked);
    });
    // One slot: the others have their intent at most, and are withdrawn or sent by it.
    await sendNextSlice(slice(0), paused);
    const before = world.posts.length;
    await sendNextSlice(slice(1), world.context);
    expect(world.posts.length).toBe(before);
    expect(await store.redis.smembers(`parked:${id}`)).toContain(slice(1));
    await world.campaigns.switch(id, 'resume');
    await world.work();
    expect([await world.standing(id), sentOnce(world), await binsAddUp(world, id)]).toEqual(['finished', true, true]);
  });

  test('cancelled, it sends nothing more, and those who were not sent to are counted so', async () => {
    const world = slices();
    const { id, slice } = await handedOut(world, 240);
    await sendNextSlice(slice(0), world.context);
    await world.campaigns.switch(id, 'cancel');
    const before = world.posts.length;
    await sendNextSlice(slice(1), world.context);
    expect(world.posts.length).toBe(before);
    expect((await world.read(id)).totals).toMatchObject({ sent: 120, cancelled: 120, queued: 0 });
    const { items } = await recipientsPage(await world.read(id), world.context, { limit: 240, state: 'cancelled' });
    expect(items).toHaveLength(120);
  });

  test.each(['', 'SHOP', 'Shop'])(
    'leaves out who opts out while the attempt is under way, sender "%s"',
    async (sender) => {
      const world = slices();
      const { id, slice } = await handedOut(world, 50);
      const { upstream } = world.context;
      const prepare: typeof upstream.messaging.prepare = async (...asked) => {
        await world.context.optOuts.add({ account: 'main', sender }, ['+221711000000']);
        return upstream.messaging.prepare(...asked);
      };
      const messaging = { ...upstream.messaging, prepare };
      await sendNextSlice(slice(0), { ...world.context, upstream: { ...upstream, messaging } });
      expect((await world.read(id)).totals).toMatchObject({ skipped: 1, sent: 49 });
    },
  );

  test('cancelled while the lists of opt-outs are read, it counts who has opted out once', async () => {
    const world = slices();
    const { id, slice } = await handedOut(world, 2);
    const { upstream, optOuts } = world.context;
    await optOuts.add({ account: 'main', sender: '' }, ['+221711000000', '+221711000001']);
    const prepare: typeof upstream.messaging.prepare = async (...asked) => {
      await world.campaigns.switch(id, 'cancel');
      return upstream.messaging.prepare(...asked);
    };
    const messaging = { ...upstream.messaging, prepare };
    await sendNextSlice(slice(0), { ...world.context, upstream: { ...upstream, messaging } });
    await world.looks(2);
    expect([await binsAddUp(world, id), world.posts]).toEqual([true, []]);
    expect((await world.read(id)).totals).toMatchObject({ queued: 0, sending: 0 });
  });

  test('leaves out who opted out and was forgotten, and nobody who came back or is on another list', async () => {
    const world = slices();
    const { id, slice } = await handedOut(world, 50);
    const { optOuts } = world.context;
    await optOuts.add({ account: 'main', sender: '' }, ['+221711000000', '+221711000001']);
    await optOuts.forget('+221711000000');
    await optOuts.remove({ account: 'main', sender: '' }, ['+221711000001']);
    await optOuts.add({ account: 'main', sender: 'OTHER' }, ['+221711000002']);
    await optOuts.add({ account: 'elsewhere', sender: '' }, ['+221711000003']);
    await sendNextSlice(slice(0), world.context);
    expect((await world.read(id)).totals).toMatchObject({ skipped: 1, sent: 49 });
  });

  test.each(['', 'SHOP', 'Shop'])('leaves out who opts out after the upload, sender "%s"', async (sender) => {
    const world = slices();
    const { id, slice } = await handedOut(world, 120);
    await world.context.optOuts.add({ account: 'main', sender }, ['+221711000000', '+221711000060']);
    await sendNextSlice(slice(0), world.context);
    expect((await world.read(id)).totals).toMatchObject({ skipped: 2, sent: 118 });
    expect(sizes(world)).toEqual([49, 49, 20]);
  });

  test('keeps to its pace within a slice', async () => {
    const world = slices();
    const { id } = await handedOut(world, 240, { perSecond: 10 });
    await world.looks(1);
    expect(sizes(world)).toEqual([50]);
    await world.looks(5);
    expect(world.posts.length).toBeLessThanOrEqual(2);
    await world.looks(40);
    expect([await world.standing(id), sentOnce(world)]).toEqual(['finished', true]);
  });

  test('without funds is held after the requests that were on their way, and its account too', async () => {
    const world = slices();
    const { id, slice } = await handedOut(world, 240);
    const broke = sending(world, async (_account, { messages }) => {
      world.posts.push({ at: world.now(), messages });
      return {
        ...not('unknown', 'ERROR_102'),
        exchange: { ...not('unknown', 'x').exchange, upstreamCode: 'ERROR_102' },
      };
    });
    await sendNextSlice(slice(0), broke);
    expect(await world.standing(id)).toBe('held: funds');
    const before = world.posts.length;
    expect(await sendNextSlice(slice(1), broke)).toMatchObject({ reason: 'account_held_funds' });
    expect(world.posts.length).toBe(before);
  });

  test('a request refused for one of its people goes out in smaller ones, until who it is for is found', async () => {
    const world = slices();
    const { id, slice } = await handedOut(world, 120);
    const bad = '+221711000007';
    const refusing = sending(world, async (_account, { messages }) => {
      world.posts.push({ at: world.now(), messages });
      if (messages.some(({ to }) => to === bad)) return not('refused', 'ERROR_110');
      return ok({ items: messages.map((_, index) => ({ index, outcome: 'sent' as const, code: '00' })) });
    });
    const silent = {
      ...refusing,
      upstream: {
        ...refusing.upstream,
        messaging: {
          ...refusing.upstream.messaging,
          statistics: async (_account: unknown, { numbers }: { readonly numbers: readonly string[] }) =>
            ok({ invalid: [], sent: new Map(numbers.map((number) => [number.slice(1), []])) }),
        },
      },
    } as World['context'];
    for (let step = 0; step < 20 && (await world.standing(id)) !== 'finished'; step += 1) {
      await sendNextSlice(slice(0), silent);
      world.advance(60_000);
      await lookAtSlice(slice(0), silent);
    }
    expect((await world.read(id)).totals).toMatchObject({ sent: 119, failed: 1, queued: 0, sending: 0 });
    const { items } = await recipientsPage(await world.read(id), world.context, { limit: 10, state: 'failed' });
    expect(items).toMatchObject([{ to: bad, code: 'ERROR_110' }]);
  });

  test('an attempt that died leaves in doubt what was on its way, and nobody else', async () => {
    const world = slices();
    const { id, slice } = await handedOut(world, 120);
    // It does not come back before all is told: the process is gone with its requests.
    let end = (_error: Error): void => undefined;
    const gone = new Promise<never>((_resolve, reject) => (end = reject));
    const dead = sendNextSlice(
      slice(0),
      sending(world, () => gone),
    );
    await expect.poll(async () => (await world.read(id)).totals['sending']).toBe(120);
    world.advance(20_000);
    await sendNextSlice(slice(0), world.context);
    expect((await world.read(id)).totals).toMatchObject({ unknown: 120, sending: 0, queued: 0 });
    expect(world.posts).toEqual([]);
    const known = await world.slices.read(slice(0));
    expect(known?.requests.map(({ is, looks }) => [is, looks])).toEqual([
      ['doubt', 0],
      ['doubt', 0],
      ['doubt', 0],
    ]);
    end(new Error('write EPIPE'));
    expect(await dead).toMatchObject({ outcome: 'lost' });
    expect(await world.slices.read(slice(0))).toEqual(known);
  });

  test('that could not be sent because its bearer could not be read waits as before, and goes out once', async () => {
    const world = slices();
    const { id, slice } = await handedOut(world, 120);
    const away = sending(world, async () => {
      throw new Error('write EPIPE');
    });
    await expect(sendNextSlice(slice(0), away)).rejects.toThrow('write EPIPE');
    expect((await world.read(id)).totals).toMatchObject({ sending: 0, queued: 120 });
    world.advance(600_000);
    await world.work();
    expect([await world.standing(id), sentOnce(world), await binsAddUp(world, id)]).toEqual(['finished', true, true]);
    expect((await world.read(id)).totals).toMatchObject({ sent: 120, sending: 0 });
  });

  test('of which something went wrong after an answer is in doubt, and never over without a word', async () => {
    const world = slices();
    const { id, slice } = await handedOut(world, 120);
    const { messaging } = world.context.upstream;
    const garbled = sending(world, async (...asked) => {
      await messaging.send(...asked);
      return ok({ items: null as never });
    });
    await expect(sendNextSlice(slice(0), garbled)).rejects.toThrow(TypeError);
    expect((await world.read(id)).totals).toMatchObject({ sending: 0, unknown: 120 });
    expect(await world.standing(id)).not.toBe('finished');
  });

  test('what came back is written down although the lists of opt-outs cannot be read, and nobody is in doubt', async () => {
    const world = slices(150);
    const { optOuts } = world.context;
    await optOuts.add({ account: 'main', sender: '' }, ['+221799999999']);
    const { id, slice } = await handedOut(world, 150);
    let release = (): void => undefined;
    const asked = new Promise<void>((resolve) => (release = resolve));
    const { messaging } = world.context.upstream;
    // The first request is over and the second on its way when the third asks.
    const slow = sending(world, async (...request) => {
      const answer = await messaging.send(...request);
      if (world.posts.length === 2) await asked;
      return answer;
    });
    let times = 0;
    const among: typeof optOuts.among = async (...people) => {
      times += 1;
      if (times === 1) return optOuts.among(...people);
      // Once what was refused here has been heard.
      setImmediate(release);
      throw new Error('Command timed out');
    };
    const away = { ...slow, slots: new Slots(1), optOuts: { among } as typeof optOuts };
    await expect(sendNextSlice(slice(0), away)).rejects.toThrow('Command timed out');
    expect((await world.read(id)).totals).toMatchObject({ queued: 50, sending: 0, sent: 100, unknown: 0 });
    world.advance(600_000);
    await world.work();
    expect([await world.standing(id), sentOnce(world), await binsAddUp(world, id)]).toEqual(['finished', true, true]);
  });

  test('a retry sends again to those who failed, once, however often it is asked for', async () => {
    const world = slices();
    world.answer((_, index) => (index < 2 ? { outcome: 'failed', code: 'ERROR_110' } : { outcome: 'sent' }));
    const { id } = await handedOut(world, 120, { pauseOnFailure: 0 });
    await world.work();
    expect((await world.read(id)).totals).toMatchObject({ failed: 6, sent: 114 });
    world.answer(() => ({ outcome: 'sent' }));
    world.posts.length = 0;
    const retries = new Retries(store.redis, { now: world.now });
    expect(await retries.start(id, { includeUnknown: false })).toMatchObject({ is: 'applied' });
    const again = await world.read(id);
    expect(await retries.gather(again, 5, 1_000)).toEqual([`${id}.ab-0`]);
    expect(await retries.gather(again, 5, 1_000)).toEqual([]);
    await world.work();
    world.advance(1_000);
    await world.work();
    expect(world.posts.map(({ messages }) => messages.length)).toEqual([6]);
    expect([(await world.read(id)).totals, await world.standing(id)]).toMatchObject([
      { failed: 0, sent: 120 },
      'finished',
    ]);
  });

  test('needs at most a step for two requests', async () => {
    const world = slices(1_000);
    const { slice } = await handedOut(world, 1_000);
    let steps = 0;
    const counted: typeof world.slices.step = (...asked) => {
      steps += 1;
      return world.slices.step(...asked);
    };
    const { slices: kept } = world.context;
    const context = {
      ...world.context,
      slices: {
        read: (id: string) => kept.read(id),
        begin: (...asked: Parameters<typeof kept.begin>) => kept.begin(...asked),
        kept: (...asked: Parameters<typeof kept.kept>) => kept.kept(...asked),
        step: counted,
      },
    };
    await sendNextSlice(slice(0), context);
    expect(world.posts).toHaveLength(20);
    expect(steps).toBeLessThanOrEqual(10);
  });

  test('a single message leaves with the next slot, whatever of a campaign is ready', async () => {
    const world = slices(200);
    const { slice } = await handedOut(world, 200);
    const message = { id: 'msg_1', fingerprint: 'fp', to: '+221771234567', text: 'code 4711', expiresAt: undefined };
    await acceptMessages(store.redis, { id: 'slc_1', account: 'main', lane: 'otp', dueInMs: 0 }, [message], world);
    const { slices: kept } = world.context;
    let ready = (): void => undefined;
    const isReady = new Promise<void>((resolve) => (ready = resolve));
    const readAgain: typeof kept.kept = async (...asked) => {
      const is = await kept.kept(...asked);
      // Once what was read has been heard.
      if (asked[0] === 'slc_1') setImmediate(ready);
      return is;
    };
    const { messaging } = world.context.upstream;
    let single: Promise<unknown> | undefined;
    const context: World['context'] = {
      ...sending(world, async (...asked) => {
        single ??= sendNextSlice('slc_1', context, 'sms-otp');
        await isReady;
        return messaging.send(...asked);
      }),
      slots: new Slots(1),
      slices: {
        read: (id: string) => kept.read(id),
        begin: (...asked: Parameters<typeof kept.begin>) => kept.begin(...asked),
        step: (...asked: Parameters<typeof kept.step>) => kept.step(...asked),
        kept: readAgain,
      },
    };
    await sendNextSlice(slice(0), context);
    await single;
    expect(world.posts.map(({ messages }) => messages.length)).toEqual([50, 1, 50, 50, 50]);
  });

  test('small slices fill the slots as large ones do', async () => {
    const world = slices(100);
    const { slice } = await handedOut(world, 800);
    const slots = new Slots(10);
    let [inFlight, most] = [0, 0];
    let release = (): void => undefined;
    const full = new Promise<void>((resolve) => (release = resolve));
    const { messaging } = world.context.upstream;
    const slow = sending(world, async (...asked) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      if (most === 10) release();
      await full;
      inFlight -= 1;
      return messaging.send(...asked);
    });
    await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((place) => sendNextSlice(slice(place), { ...slow, slots })));
    expect([most, world.posts.length, sentOnce(world)]).toEqual([10, 16, true]);
  });
});
