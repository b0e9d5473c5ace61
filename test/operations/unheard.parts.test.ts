/** Everything was stopped, Redis was put back, and the first process to begin has neither a witness nor history. */
import { describe, expect, test } from 'vitest';
import { keys } from '../../src/operations/keys.ts';
import { asked, intended, processesOfThisFile } from './heartbeat-world.ts';

const { aProcess, copy, recovery, store, time } = processesOfThisFile();
const SECOND = 1_000;

/** As long as the copy is old, and more. */
async function atWork(one: ReturnType<typeof aProcess>, seconds: number): Promise<string | undefined> {
  let because: string | undefined;
  for (let beats = 0; beats < seconds; beats += 1) {
    time.now += SECOND;
    because = await one.beat();
  }
  return because;
}

/** With the words of two witnesses, and when the copy was made. Then nobody is at work for a minute. */
async function theCopyIsPutBack() {
  const before = aProcess();
  await before.begin();
  await before.operations.accept(asked('open'));
  const older = before.heartbeat.known();
  await atWork(before, 20);
  const putBack = await copy();
  const copiedAt = before.heartbeat.known().at;
  await atWork(before, 20);
  await putBack();
  time.now += 60 * SECOND;
  return { word: before.heartbeat.known(), older, copiedAt };
}

/** The first to begin, which knows nothing, and has been at work for longer than the copy is old. */
async function oneWithoutAtWork() {
  const without = aProcess();
  await without.begin();
  await atWork(without, 100);
  return without;
}

describe('a copy that is a minute old, under one that has no witness', () => {
  test('is seen through by the first that has one, however long the other has been at work', async () => {
    const { word, copiedAt } = await theCopyIsPutBack();
    const without = aProcess();
    expect(await without.begin()).toBeUndefined();
    expect(await atWork(without, 100)).toBeUndefined();
    const next = aProcess();
    expect(await next.begin(word)).toBe('witness');
    expect(await atWork(without, 1), 'everybody is told').toBe('witness');
    const { lastBeat } = next.heartbeat.recovering() ?? {};
    expect(lastBeat, 'what was lost happened after the copy was made').toBe(copiedAt);
  });

  test('is compared as the first of them has found it', async () => {
    const { word } = await theCopyIsPutBack();
    for (const seconds of [30, 40]) {
      const without = aProcess();
      await without.begin();
      await atWork(without, seconds);
      time.now += 30 * SECOND;
    }
    expect(await aProcess().begin(word)).toBe('witness');
  });

  test('is seen through also where a silence is asked about by then', async () => {
    const { word, copiedAt } = await theCopyIsPutBack();
    await oneWithoutAtWork();
    time.now += 1_200 * SECOND;
    expect(await aProcess().begin()).toBe('silence');
    const next = aProcess();
    expect(await next.begin(word)).toBe('witness');
    expect(next.heartbeat.recovering()?.lastBeat).toBe(copiedAt);
  });

  test('is seen through by a witness that can be heard only later', async () => {
    const { word } = await theCopyIsPutBack();
    const without = await oneWithoutAtWork();
    await without.heartbeat.compare(word);
    expect(without.heartbeat.recovering()?.because).toBe('rolled_back');
  });

  test('is lost since the copy was made, where it is heard after the silence', async () => {
    const { word, copiedAt } = await theCopyIsPutBack();
    await oneWithoutAtWork();
    time.now += 1_200 * SECOND;
    const next = aProcess();
    expect(await next.begin()).toBe('silence');
    const { since = 0 } = next.heartbeat.recovering() ?? {};
    time.now += SECOND;
    await next.heartbeat.compare(word);
    const { lastBeat, since: anew } = next.heartbeat.recovering() ?? {};
    expect(lastBeat).toBe(copiedAt);
    expect(anew, 'what was walked through was a shorter time').toBe(since + SECOND);
    const ledOn = await recovery().server();
    expect(await recovery().leave({ ledOn, since, by: 'main' }), 'and is not what was lost').toBe('another');
    expect(await recovery().leave({ ledOn, since: anew ?? 0, by: 'main' })).toBe('left');
  });

  test('is seen through also where an older word has agreed before', async () => {
    const { word, older } = await theCopyIsPutBack();
    await oneWithoutAtWork();
    expect(await aProcess().begin(older)).toBeUndefined();
    expect(await aProcess().begin(word)).toBe('witness');
  });

  test('… or the first has begun again, with a word of its own', async () => {
    const { word } = await theCopyIsPutBack();
    const without = await oneWithoutAtWork();
    expect(await aProcess().begin(without.heartbeat.known())).toBeUndefined();
    expect(await aProcess().begin(word)).toBe('witness');
  });

  test('… or the first had an older word, and no other', async () => {
    const { word, older } = await theCopyIsPutBack();
    const first = aProcess();
    expect(await first.begin(older)).toBeUndefined();
    await atWork(first, 100);
    expect(await aProcess().begin(word)).toBe('witness');
  });

  test('is old news after a week: a file that was forgotten on a machine stops nobody', async () => {
    const { word } = await theCopyIsPutBack();
    const without = await oneWithoutAtWork();
    time.now += 7 * 86_400 * SECOND;
    await atWork(without, 1);
    expect(await aProcess().begin(word)).toBeUndefined();
  });
});

describe('is no loss', () => {
  test('where Redis was away for all of them, and the one with a witness is back', async () => {
    const one = aProcess();
    await one.begin();
    await one.operations.accept(asked('open'));
    await one.beat();
    time.now += 30 * SECOND;
    const without = aProcess();
    expect(await without.begin()).toBeUndefined();
    await one.operations.accept(asked('new'));
    expect(await one.beat()).toBeUndefined();
    await atWork(one, 20);
    expect(await aProcess().begin(one.heartbeat.known())).toBeUndefined();
  });

  test('where one lets something leave before its first beat after Redis was away', async () => {
    const one = aProcess();
    await one.begin();
    await one.operations.accept(asked('open'));
    await one.beat();
    time.now += 30 * SECOND;
    await aProcess().begin();
    expect(await intended(one, 'open')).toBe('applied');
    const word = one.heartbeat.known();
    expect(await aProcess().begin(word)).toBeUndefined();
  });

  test('where the clock of Redis goes back after a start without a witness', async () => {
    const one = aProcess();
    await one.begin();
    await one.operations.accept(asked('open'));
    await one.beat();
    time.now += 30 * SECOND;
    await aProcess().begin();
    time.now -= 60 * SECOND;
    expect(await atWork(one, 20)).toBeUndefined();
    expect(await aProcess().begin(one.heartbeat.known())).toBeUndefined();
  });

  test('where one with a witness was the last to end', async () => {
    const one = aProcess();
    await one.begin();
    await one.operations.accept(asked('open'));
    await one.heartbeat.end();
    time.now += 60 * SECOND;
    const without = aProcess();
    await without.begin();
    await atWork(without, 20);
    expect(await aProcess().begin(one.heartbeat.known())).toBeUndefined();
  });

  test('where the word of the witness is of a time after the first has begun', async () => {
    const old = aProcess();
    await old.begin();
    await old.operations.accept(asked('open'));
    await old.beat();
    time.now += 10 * SECOND;
    await aProcess().begin();
    // Of a version before this: its beats say nothing about a witness.
    await atWork(old, 20);
    expect(await aProcess().begin(old.heartbeat.known())).toBeUndefined();
  });

  test('once what was lost was led on', async () => {
    await theCopyIsPutBack();
    await aProcess().begin();
    expect(await store.redis.hget(keys.heartbeat, 'found')).not.toBeNull();
    await recovery().enter('rolled_back');
    await recovery().leave({ ledOn: await recovery().server(), by: 'main' });
    expect(await store.redis.hget(keys.heartbeat, 'found')).toBeNull();
  });

  test('where nobody has ever had a witness', async () => {
    const first = aProcess();
    await first.begin();
    await first.operations.accept(asked('open'));
    await atWork(first, 10);
    expect(await aProcess().begin(), 'one that has a new one').toBeUndefined();
  });
});
