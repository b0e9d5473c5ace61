import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemRandom } from '../../../src/lib/random.ts';
import { standingOf } from '../../../src/operations/slice-form.ts';
import { type SlicesContract, Slices } from '../../../src/operations/slices.ts';
import { type FreshRedis, freshRedis } from '../../support/fresh-redis.ts';
import { ok } from '../../support/processor-world.ts';
import { SETTLE_DELAY_MS, textsBench } from '../../support/texts-bench.ts';

let store: FreshRedis;
beforeAll(async () => {
  store = await freshRedis();
});
afterAll(() => store.close());
beforeEach(() => store.redis.flushdb());

const HOUR = 3_600_000;
const AWA = { to: '+221770000001' };
const ALI = { to: '+221770000002' };

describe('the same text to the same number, sent before', () => {
  test.for([1, 11, 20, 23, 24])('%i hours ago: the one that is lost today stays unknown', async (hours) => {
    const world = textsBench(store.redis);
    await world.slice('slc_1', [AWA]);
    await world.finish('slc_1');
    world.advance(hours * HOUR);
    await world.slice('slc_2', [AWA]);
    world.service.fate.push('lost');
    await world.finish('slc_2');
    expect([await world.states('slc_1', 1), await world.states('slc_2', 1)]).toEqual([['sent'], ['unknown']]);
  });

  // The first look is soon after; or where nobody could be asked, nearly as late as one is asked about.
  test.for([0, 71])(
    'in the zone that lies furthest off, yesterday is not taken for today, %i hours later',
    async (hours) => {
      const world = textsBench(store.redis);
      const { statistics } = world.service;
      // The dates are read fourteen hours east of where they were written, so a day more is shown.
      Object.assign(world.service, {
        statistics: (account: unknown, asked: { numbers: string[]; startDate: string }) => {
          const from = Date.parse(`${asked.startDate.replace(' ', 'T')}Z`) - 14 * HOUR;
          return statistics(account, { ...asked, startDate: new Date(from).toISOString().slice(0, 19) });
        },
      });
      await world.slice('slc_1', [AWA]);
      await world.finish('slc_1');
      world.advance(24 * HOUR);
      await world.slice('slc_2', [AWA]);
      world.service.fate.push('lost');
      await world.send('slc_2');
      world.advance(hours * HOUR);
      await world.finish('slc_2');
      expect(await world.states('slc_2', 1)).toEqual(['unknown']);
    },
  );

  test('codes of their own tell the two apart', async () => {
    const world = textsBench(store.redis);
    world.service.codeOf = (index) => `SMS${index}`;
    await world.slice('slc_1', [AWA]);
    await world.finish('slc_1');
    world.advance(HOUR);
    await world.slice('slc_2', [AWA]);
    world.service.fate.push('answer lost');
    await world.finish('slc_2');
    expect(await world.states('slc_2', 1)).toEqual(['sent']);
  });

  test('in doubt to the end, and shown by the statistics only then, it is no alibi either', async () => {
    const world = textsBench(store.redis);
    await world.slice('slc_1', [AWA]);
    world.service.fate.push('answer lost');
    await world.send('slc_1');
    const late = world.service.book.splice(0);
    await world.finish('slc_1');
    world.service.book.push(...late);
    await world.slice('slc_2', [AWA]);
    world.service.fate.push('lost');
    await world.finish('slc_2');
    expect([await world.states('slc_1', 1), await world.states('slc_2', 1)]).toEqual([['unknown'], ['unknown']]);
    expect(world.service.times(AWA.to)).toBe(1);
  });

  test('another text, or another number, is nobody’s alibi', async () => {
    const world = textsBench(store.redis);
    await world.slice('slc_1', [{ ...AWA, text: 'Bonsoir' }, ALI]);
    await world.finish('slc_1');
    world.advance(HOUR);
    await world.slice('slc_2', [AWA]);
    world.service.fate.push('answer lost');
    await world.finish('slc_2');
    expect(await world.states('slc_2', 1)).toEqual(['sent']);
  });
});

test('the same text waits while the first is in doubt, the others of its slice do not', async () => {
  const world = textsBench(store.redis);
  await world.slice('slc_1', [AWA]);
  world.service.fate.push('lost');
  await world.send('slc_1');
  await world.slice('slc_2', [AWA, ALI]);
  expect(await world.send('slc_2')).toEqual({ outcome: 'waits', reason: 'same_text_open' });
  expect(await world.states('slc_2', 2)).toEqual(['queued', 'sent']);
  world.advance(SETTLE_DELAY_MS / 2);
  expect(await world.send('slc_2')).toEqual({ outcome: 'waits', reason: 'same_text_open' });
  expect(world.service.times(AWA.to)).toBe(0);
  // Waiting is no try: after it the waits after a failure are as short as at first.
  expect((await world.slices.read('slc_2'))?.tries).toBe(0);
  await world.finish('slc_1');
  await world.finish('slc_2');
  expect([await world.states('slc_1', 1), await world.states('slc_2', 2)]).toEqual([['unknown'], ['sent', 'sent']]);
  expect(world.service.times(AWA.to)).toBe(1);
});

test.for(['00', 'SMS0000001'])(
  'two alike in one slice leave after each other: what is shown of one is not both (%s)',
  async (code) => {
    const world = textsBench(store.redis);
    const { service } = world;
    const { send } = service;
    service.codeOf = () => code;
    // Of what it is given, the service takes the first, and its answer is lost.
    const takesOne: typeof send = async (account, { messages }) => {
      service.fate.push('answer lost');
      return send(account, { messages: messages.slice(0, 1) });
    };
    Object.assign(service, { send: takesOne });
    await world.slice('slc_1', [AWA, AWA]);
    await world.send('slc_1');
    expect(await world.states('slc_1', 2)).toEqual(['unknown', 'queued']);
    Object.assign(service, { send });
    expect(await world.send('slc_1')).toEqual({ outcome: 'waits', reason: 'same_text_open' });
    world.advance(SETTLE_DELAY_MS);
    await world.look('slc_1');
    service.fate.push('lost');
    await world.finish('slc_1');
    expect([await world.states('slc_1', 2), service.times(AWA.to)]).toEqual([['sent', 'unknown'], 1]);
  },
);

test('two alike in one slice are both sent', async () => {
  const world = textsBench(store.redis);
  await world.slice('slc_1', [AWA, ALI, AWA]);
  await world.finish('slc_1');
  expect(world.service.requests).toEqual([2, 1]);
  expect(await world.states('slc_1', 3)).toEqual(['sent', 'sent', 'sent']);
});

test('a text that waits for its turn expires by the clock of Redis at the moment of sending', async () => {
  const world = textsBench(store.redis);
  await world.slice('slc_1', [{ ...AWA, expiresInMs: 10_000 }, ALI]);
  const { prepare: before } = world.service;
  const prepare: typeof before = async (...asked) => {
    world.advance(10_000);
    return before(...asked);
  };
  Object.assign(world.service, { prepare });
  await world.send('slc_1');
  expect(await world.states('slc_1', 2)).toEqual(['expired', 'sent']);
  expect(world.service.times(AWA.to)).toBe(0);
});

test('where the clock of Redis leaps ahead of the attempt, the next one begins with it', async () => {
  const world = textsBench(store.redis);
  await world.slice('slc_1', [{ ...AWA, expiresInMs: 10_000 }, ALI]);
  let leapMs = 0;
  let steps = 0;
  const real = new Slices({
    redis: store.redis,
    random: systemRandom,
    now: () => world.context.clock.now() + leapMs,
  });
  const slices: SlicesContract = {
    read: (id) => real.read(id),
    kept: (...asked) => real.kept(...asked),
    begin: async (...asked) => {
      const begun = await real.begin(...asked);
      leapMs = 60_000;
      return begun;
    },
    step: async (...asked) => {
      steps += 1;
      if (steps > 20) throw new Error('it asks again and again');
      return real.step(...asked);
    },
  };
  expect(await world.send('slc_1', { slices })).toEqual({ outcome: 'advanced', reason: 'expiring' });
  await world.send('slc_1', { slices });
  expect(await world.states('slc_1', 2)).toEqual(['expired', 'sent']);
});

test('what expires while its account is held is told so, and the rest waits', async () => {
  const world = textsBench(store.redis);
  await world.context.accounts.hold('main', 'messaging', 'funds');
  await world.slice('slc_1', [{ ...AWA, expiresInMs: 10_000 }, ALI]);
  expect(await world.send('slc_1')).toEqual({ outcome: 'waits', reason: 'account_held_funds' });
  expect(await world.states('slc_1', 2)).toEqual(['queued', 'queued']);
  world.advance(30_000);
  await world.send('slc_1');
  expect(await world.states('slc_1', 2)).toEqual(['expired', 'queued']);
  await world.context.accounts.release('main', 'messaging', 'funds');
  await world.finish('slc_1');
  expect(await world.states('slc_1', 2)).toEqual(['expired', 'sent']);
});

describe('onUnknown: resend', () => {
  test('sends again after two looks in vain, and says how often', async () => {
    const world = textsBench(store.redis, { onUnknown: 'resend' });
    await world.slice('slc_1', [AWA, ALI]);
    world.service.fate.push('lost', 'lost');
    await world.finish('slc_1');
    expect([world.service.requests, await world.states('slc_1', 2)]).toEqual([
      [2, 2, 2],
      ['sent', 'sent'],
    ]);
    const { count = 0, requests = [] } = (await world.slices.read('slc_1')) ?? {};
    expect(standingOf(count, requests).again).toEqual([2, 2]);
  });

  test('not where the statistics show the text, only written otherwise', async () => {
    const world = textsBench(store.redis, { onUnknown: 'resend', limitMs: HOUR });
    await world.slice('slc_1', [{ ...AWA, text: 'Déjà payé ' }]);
    const { statistics } = world.service;
    const otherwise = async (...asked: Parameters<typeof statistics>) => {
      const told = await statistics(...asked);
      if (told.is !== 'ok') return told;
      const rewritten = [...told.value.sent].map(([number, entries]) => {
        return [number, entries.map(({ code }) => ({ code, content: 'Deja  paye' }))] as const;
      });
      return ok({ ...told.value, sent: new Map(rewritten) });
    };
    Object.assign(world.service, { statistics: otherwise });
    world.service.fate.push('answer lost', 'answer lost', 'answer lost');
    await world.finish('slc_1');
    expect([world.service.times(AWA.to), await world.states('slc_1', 1)]).toEqual([1, ['unknown']]);
  });

  test('gives up after three times', async () => {
    const world = textsBench(store.redis, { onUnknown: 'resend' });
    await world.slice('slc_1', [AWA]);
    world.service.fate.push('lost', 'lost', 'lost', 'lost');
    await world.finish('slc_1');
    expect([world.service.requests, await world.states('slc_1', 1)]).toEqual([[1, 1, 1], ['unknown']]);
  });

  test('whoever expires before the second time may have got it, and is not called expired', async () => {
    const world = textsBench(store.redis, { onUnknown: 'resend' });
    await world.slice('slc_1', [{ ...AWA, expiresInMs: 3 * SETTLE_DELAY_MS - 1 }]);
    world.service.fate.push('lost');
    await world.send('slc_1');
    for (const _ of [1, 2]) {
      world.advance(SETTLE_DELAY_MS);
      await world.look('slc_1');
    }
    world.advance(SETTLE_DELAY_MS);
    await world.finish('slc_1');
    expect([world.service.requests, await world.states('slc_1', 1)]).toEqual([[1], ['unknown']]);
  });

  test('hold, which is the default, never sends again', async () => {
    const world = textsBench(store.redis);
    await world.slice('slc_1', [AWA]);
    world.service.fate.push('lost');
    await world.finish('slc_1');
    expect([world.service.requests, await world.states('slc_1', 1)]).toEqual([[1], ['unknown']]);
  });
});
