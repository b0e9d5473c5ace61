/** What is noticed of a Redis that has lost something, and what is not mistaken for it. */
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/lib/random.ts';
import { Recovering, Recovery } from '../../src/operations/heartbeat.ts';
import { keys } from '../../src/operations/keys.ts';
import { asked, FAR, intended, type Process, processesOfThisFile, START } from './heartbeat-world.ts';

const { store, time, aProcess, recovery, copy } = processesOfThisFile();

describe('the first start', () => {
  test('of all is no silence', async () => {
    expect(await aProcess().begin()).toBeUndefined();
  });

  test('of this version, with operations that are open already, is none either; but only once', async () => {
    await aProcess().operations.accept(asked('before'));
    expect(await aProcess().begin()).toBeUndefined();
    await store.redis.del(keys.heartbeat);
    expect(await aProcess().begin()).toBe('no_heartbeat');
  });

  test('on a Redis in which nothing is open is none, whatever was there before', async () => {
    await aProcess().begin();
    await store.redis.del(keys.heartbeat);
    expect(await aProcess().begin()).toBeUndefined();
  });
});

describe('a start after everything was stopped', () => {
  test.for([
    ['a moment', 60_000, undefined],
    ['a night', 8 * 3_600_000, 'silence'],
    ['less than nothing: the clock was set back', -60_000, 'clock'],
    ['a little less than nothing, as clocks are', -4_000, undefined],
  ] as const)('for %s, with something open', async ([, ms, because]) => {
    const first = aProcess();
    await first.begin();
    await first.operations.accept(asked('open'));
    await first.beat();
    time.now += ms;
    expect(await aProcess().begin()).toBe(because);
  });

  test('for a night, with nothing open, is no recovery', async () => {
    await aProcess().begin();
    time.now += 8 * 3_600_000;
    expect(await aProcess().begin()).toBeUndefined();
  });

  test('for a night is proven to be only that by a witness that knows the very last beat', async () => {
    const first = aProcess();
    await first.begin();
    await first.operations.accept(asked('open'));
    await first.beat();
    time.now += 8 * 3_600_000;
    expect(await aProcess().begin(first.heartbeat.known())).toBeUndefined();
  });

  test('for a night: one that knows no better begins a recovery, one that does ends it', async () => {
    const first = aProcess();
    await first.begin();
    await first.operations.accept(asked('open'));
    await first.beat();
    time.now += 8 * 3_600_000;
    const without = aProcess();
    expect(await without.begin()).toBe('silence');
    expect(await aProcess().begin(first.heartbeat.known())).toBeUndefined();
    expect(await without.beat()).toBeUndefined();
  });

  test('and a copy that is a minute old is seen through by a witness, whatever is open', async () => {
    const first = aProcess();
    await first.begin();
    await first.beat();
    const putBack = await copy();
    time.now += 60_000;
    await first.beat();
    await putBack();
    const [second, third] = [aProcess(), aProcess()];
    expect(await second.begin(first.heartbeat.known())).toBe('witness');
    expect(await third.begin(), 'everybody is told').toBe('witness');
  });

  test('a silence that a witness contradicts is no longer a mere silence', async () => {
    const first = aProcess();
    await first.begin();
    await first.operations.accept(asked('open'));
    const putBack = await copy();
    const early = { ...first.heartbeat.known() };
    time.now += 1_000;
    await first.beat();
    await first.beat();
    await putBack();
    time.now += 8 * 3_600_000;
    expect(await aProcess().begin()).toBe('silence');
    expect(await aProcess().begin(first.heartbeat.known())).toBe('witness');
    expect(await aProcess().begin(early), 'one that knows less ends nothing').toBe('witness');
  });
});

describe('a copy that is put back under a process', () => {
  test('is noticed by its next beat', async () => {
    const one = aProcess();
    await one.begin();
    const putBack = await copy();
    time.now += 1_000;
    await one.beat();
    await putBack();
    expect(await one.beat()).toBe('rolled_back');
  });

  test('lets nothing leave and accepts nothing, before any beat', async () => {
    const one = aProcess();
    await one.begin();
    await one.operations.accept(asked('early'));
    const putBack = await copy();
    await one.beat();
    await putBack();
    expect(await intended(one, 'early')).toBe('recovering');
    await expect(one.operations.accept(asked('new'))).rejects.toThrow(Recovering);
    expect(await store.redis.hget(keys.record('dcr_early'), 'state')).toBe('queued');
  });

  test('is noticed also where only an effect came after it', async () => {
    const one = aProcess();
    await one.begin();
    await one.operations.accept(asked('early'));
    const putBack = await copy();
    expect(await intended(one, 'early')).toBe('applied');
    await putBack();
    expect(await intended(one, 'early')).toBe('recovering');
  });

  test('stops those too that have started since, and know nothing', async () => {
    const one = aProcess();
    await one.begin();
    await one.operations.accept(asked('early'));
    const putBack = await copy();
    await one.beat();
    await putBack();
    const fresh = aProcess();
    expect(await fresh.begin()).toBeUndefined();
    await one.beat();
    expect(await intended(fresh, 'early')).toBe('recovering');
    expect(await fresh.beat()).toBe('rolled_back');
  });

  test('is noticed by a process that was frozen meanwhile, when the others have long gone on', async () => {
    const [frozen, other] = [aProcess(), aProcess()];
    await frozen.begin();
    await frozen.operations.accept(asked('early'));
    const putBack = await copy();
    for (let beats = 0; beats < 60; beats += 1) await frozen.beat();
    await putBack();
    await other.begin();
    await other.beat();
    expect(await intended(frozen, 'early')).toBe('recovering');
  });

  test('is not what a process sees that is about to end, and has something to write down still', async () => {
    const one = aProcess();
    await one.begin();
    await one.operations.accept(asked('open'));
    await one.operations.accept(asked('late'));
    await intended(one, 'open');
    await one.heartbeat.end();
    expect(await intended(one, 'late')).toBe('applied');
    expect(await one.beat()).toBeUndefined();
    expect(await aProcess().begin()).toBeUndefined();
  });

  test('is noticed where Redis is empty', async () => {
    const one = aProcess();
    await one.begin();
    await store.redis.flushdb();
    await expect(one.operations.accept(asked('new'))).rejects.toThrow(Recovering);
    expect(await one.beat()).toBe('rolled_back');
  });
});

describe('what a failover may lose', () => {
  test('is no loss as long as no replica had it', async () => {
    const kept = await copyAfterBegin(async () => false);
    expect(await kept.beat()).toBeUndefined();
  });

  test('is one when the replicas had confirmed it', async () => {
    const kept = await copyAfterBegin(async () => true);
    expect(await kept.beat()).toBe('rolled_back');
  });

  async function copyAfterBegin(fence: () => Promise<boolean>): Promise<Process> {
    let passes = true;
    const one = aProcess(async () => passes && fence().then((passed) => passed || passes));
    await one.begin();
    const putBack = await copy();
    passes = await fence();
    await one.beat();
    await putBack();
    return one;
  }
});

describe('a recovery', () => {
  async function recovering(): Promise<Process> {
    const one = aProcess();
    await one.begin();
    await one.operations.accept(asked('early'));
    await recovery().enter('rolled_back');
    await one.beat();
    return one;
  }

  test('says since when, why, and what was seen', async () => {
    await recovering();
    const state = await recovery().state();
    expect(state).toMatchObject({ since: START, because: 'rolled_back', lastBeat: START });
  });

  test('is announced, and so is its end', async () => {
    await recovering();
    expect(await recovery().leave({ ledOn: await recovery().server(), by: 'maker' })).toBe('left');
    const types = (await store.redis.xrange(keys.events, '-', '+')).map(([, fields]) => fields[9]);
    expect(types).toEqual(['system.recovering', 'system.recovered']);
  });

  test('lets looks and cancellations go on', async () => {
    const { operations } = await recovering();
    const acquired = await operations.acquire('direct_credit', 'dcr_early', 'direct-credit', 10_000);
    if (acquired.is !== 'acquired') throw new Error(acquired.is);
    expect((await operations.transition(acquired.record, acquired.lease, { to: 'rejected' })).is).toBe('applied');
  });

  test('ends for everybody, in another epoch, and is not begun again by those who remember the one before', async () => {
    const one = await recovering();
    const other = aProcess();
    await other.begin();
    const before = one.heartbeat.known().epoch;
    await recovery().leave({ ledOn: await recovery().server(), by: 'maker' });
    expect(await one.beat()).toBeUndefined();
    expect(await other.beat()).toBeUndefined();
    expect(one.heartbeat.known().epoch).not.toBe(before);
    expect(await intended(one, 'early')).toBe('applied');
  });

  test('and its copy, put back after its end, is noticed again', async () => {
    const one = await recovering();
    await recovery().leave({ ledOn: await recovery().server(), by: 'maker' });
    const putBack = await copy();
    await one.beat();
    await recovery().enter('rolled_back');
    await recovery().leave({ ledOn: await recovery().server(), by: 'maker' });
    await one.beat();
    await putBack();
    expect(await one.beat()).toBe('rolled_back');
  });

  test('and a copy of it that is put back after its end has lost another time, which is walked through anew', async () => {
    const one = await recovering();
    const during = await recovery().state();
    const putBack = await copy();
    await recovery().leave({ ledOn: await recovery().server(), by: 'maker' });
    time.now += 60_000;
    expect(await one.beat()).toBeUndefined();
    await putBack();
    time.now += 1_000;
    expect(await one.beat()).toBe('rolled_back');
    const state = await recovery().state();
    expect(state).toMatchObject({ since: time.now, lastBeat: during?.lastBeat });
    expect(await one.beat(), 'and it is the same one from then on').toBe('rolled_back');
    expect(await recovery().state()).toMatchObject({ since: state?.since });
  });

  test('does not end because another copy is put back, under processes that have never been at work', async () => {
    const first = aProcess();
    await first.begin();
    await first.operations.accept(asked('early'));
    await first.beat();
    const putBack = await copy();
    time.now += 8 * 3_600_000;
    const [late, other] = [aProcess(), aProcess()];
    expect([await late.begin(), await other.begin()]).toEqual(['silence', 'silence']);
    await putBack();
    expect(await late.beat()).toBe('rolled_back');
    expect(await intended(other, 'early')).toBe('recovering');
  });

  test('that a witness has ended is over for all who saw it, and the next one is no part of it', async () => {
    const first = aProcess();
    await first.begin();
    await first.operations.accept(asked('early'));
    await first.beat();
    time.now += 8 * 3_600_000;
    const late = aProcess();
    expect(await late.begin()).toBe('silence');
    const witness = aProcess();
    expect(await witness.begin(first.heartbeat.known())).toBeUndefined();
    await recovery().enter('rolled_back');
    await recovery().leave({ ledOn: await recovery().server(), by: 'maker' });
    expect(await late.beat(), 'it was frozen over both').toBeUndefined();
  });

  test('that was called a mere silence does not hide a copy that is put back in that moment', async () => {
    const one = aProcess();
    await one.begin();
    await one.operations.accept(asked('early'));
    time.now += 8 * 3_600_000;
    expect(await aProcess().begin()).toBe('silence');
    const putBack = await copy();
    await recovery().leave({ by: 'maker' });
    await one.beat();
    expect(await intended(one, 'early')).toBe('applied');
    await putBack();
    // The word about the silence comes late, to the copy.
    await recovery().leave({ by: 'maker' });
    expect(await one.beat()).toBe('rolled_back');
  });

  test('is no mere silence once anybody has proven it, whatever was known when that was asked for', async () => {
    await recovering();
    expect(await recovery().leave({ by: 'maker' })).toBe('lost');
    expect(await recovery().state()).toBeDefined();
  });

  test('is not over where another Redis has taken its place since it was led on', async () => {
    await recovering();
    const led = await recovery().server();
    expect(await recovery().leave({ ledOn: 'another', by: 'maker' })).toBe('another');
    expect(await recovery().leave({ ledOn: led, by: 'maker' })).toBe('left');
  });

  test('ends also where Redis may not be asked which server it is', async () => {
    await recovering();
    await store.redis.acl('SETUSER', 'asks-nothing', 'on', 'nopass', '~*', '&*', '+@all', '-info');
    const redis = store.redis.duplicate({
      username: 'asks-nothing',
      password: 'any',
      enableReadyCheck: false,
      enableOfflineQueue: true,
    });
    try {
      const guarded = new Recovery({ redis, random: seededRandom(98), now: () => time.now });
      expect(await guarded.leave({ ledOn: await guarded.server(), by: 'maker' })).toBe('left');
    } finally {
      redis.disconnect();
      await store.redis.acl('DELUSER', 'asks-nothing');
    }
  });

  test('ends only once', async () => {
    await recovering();
    await recovery().leave({ ledOn: await recovery().server(), by: 'maker' });
    expect(await recovery().leave({ ledOn: await recovery().server(), by: 'maker' })).toBe('none');
  });

  test('gives the events after it greater ids than anybody has seen', async () => {
    const one = await recovering();
    const seen = one.heartbeat.known().event;
    const [first = 0] = seen.split('-').map(Number);
    await recovery().leave({ ledOn: await recovery().server(), by: 'maker', lastEvent: `${FAR}-4` });
    await one.beat();
    const [last = 0] = one.heartbeat.known().event.split('-').map(Number);
    expect(last).toBeGreaterThan(first);
    expect(last).toBe(FAR + 60_000);
  });
});
