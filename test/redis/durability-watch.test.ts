import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { TAKES_NO_WRITES } from '../../src/redis/connections.ts';
import { type Durability, watchDurability } from '../../src/redis/durability.ts';
import type { Clock } from '../../src/lib/clock.ts';

const durable: Durability = { durable: true, reasons: [], runId: 'a', version: '7.0.15', usedMemoryShare: 0.5 };
const everysec: Durability = { ...durable, durable: false, reasons: ['appendfsync is everysec'] };

test('looks at the start and tells the first verdict', async () => {
  const watch = watching([durable]);
  await watch.settled();
  expect(watch.told).toEqual([durable]);
});

test('looks again each minute and tells only what differs', async () => {
  const watch = watching([durable, durable, everysec]);
  await watch.settled();
  await watch.pass(60_000);
  expect(watch.told).toEqual([durable]);
  await watch.pass(60_000);
  expect(watch.told).toEqual([durable, everysec]);
});

test('looks at once when the connection was made again', async () => {
  const watch = watching([durable, { ...durable, runId: 'b' }]);
  await watch.settled();
  watch.redis.emit('ready');
  await watch.settled();
  expect(watch.told.map((verdict) => verdict.runId)).toEqual(['a', 'b']);
});

test('a reconnect starts the minute anew, so that one look is ahead and not two', async () => {
  const watch = watching([durable]);
  await watch.settled();
  await watch.pass(30_000);
  watch.redis.emit('ready');
  await watch.settled();
  expect(watch.waiting()).toEqual([90_000]);
});

test('a look that failed is "not durable", and the next one comes sooner', async () => {
  const watch = watching([new Error('Command timed out'), durable]);
  await watch.settled();
  expect(watch.told).toMatchObject([{ durable: false, reasons: [expect.stringContaining('Command timed out')] }]);
  await watch.pass(5_000);
  expect(watch.told.at(-1)).toEqual(durable);
});

test.for([
  ['what is not durable', everysec],
  ['memory that is filling', { ...durable, usedMemoryShare: 0.8 }],
] as const)('%s is looked at again after five seconds', async ([, verdict]) => {
  const watch = watching([verdict, durable]);
  await watch.settled();
  expect(watch.waiting()).toEqual([5_000]);
  await watch.pass(5_000);
  expect(watch.told).toEqual([verdict, durable]);
  expect(watch.waiting()).toEqual([65_000]);
});

test('a write that the disk refuses is looked into at once, and once for a hundred of them', async () => {
  const broken: Durability = { ...durable, durable: false, reasons: ['its last snapshot failed'] };
  const watch = watching([durable, broken, durable]);
  await watch.settled();
  for (let refusal = 0; refusal < 100; refusal += 1) watch.redis.emit(TAKES_NO_WRITES);
  await watch.settled();
  expect(watch.told).toEqual([durable, broken]);
  // From here on it is looked at every five seconds anyway.
  watch.redis.emit(TAKES_NO_WRITES);
  await watch.settled();
  expect(watch.told).toEqual([durable, broken]);
  expect(watch.waiting()).toEqual([5_000]);
});

test('an older look that answers late does not overwrite a newer one', async () => {
  let answerFirst: (verdict: Durability) => void = () => undefined;
  const first = new Promise<Durability>((resolve) => {
    answerFirst = resolve;
  });
  const watch = watching([first, everysec]);
  watch.redis.emit('ready');
  await watch.settled();
  answerFirst(durable);
  await watch.settled();
  expect(watch.told).toEqual([everysec]);
});

test('memory that moves by less than a percent is not news', async () => {
  const watch = watching([durable, { ...durable, usedMemoryShare: 0.501 }, { ...durable, usedMemoryShare: 0.86 }]);
  await watch.settled();
  await watch.pass(60_000);
  expect(watch.told).toHaveLength(1);
  await watch.pass(60_000);
  expect(watch.told).toHaveLength(2);
});

test('after the end nothing is looked at or told', async () => {
  const watch = watching([durable, everysec]);
  watch.stop();
  await watch.settled();
  watch.redis.emit('ready');
  watch.redis.emit(TAKES_NO_WRITES);
  await watch.settled();
  expect(watch.told).toEqual([]);
  expect(watch.waiting()).toEqual([]);
});

/** A watch over answers that are given in order (the last one repeats), with a clock that is turned by hand. */
function watching(answers: ReadonlyArray<Durability | Promise<Durability> | Error>) {
  const redis = Object.assign(new EventEmitter(), { status: 'ready' as const });
  const clock = handClock();
  const told: Durability[] = [];
  let asked = 0;
  const check = async (): Promise<Durability> => {
    const answer = answers[Math.min(asked, answers.length - 1)] ?? durable;
    asked += 1;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const stop = watchDurability({
    redis: redis as never,
    clock,
    everyMs: 60_000,
    check,
    onChange: (verdict) => told.push(verdict),
  });
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    redis,
    told,
    stop,
    settled,
    waiting: () => clock.waiting(),
    pass: async (ms: number) => {
      clock.turn(ms);
      await settled();
    },
  };
}

function handClock(): Clock & { turn(ms: number): void; waiting(): readonly number[] } {
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  let now = 0;
  return {
    now: () => now,
    monotonic: () => now,
    sinceBoot: () => now,
    sleep: () => Promise.resolve(),
    after: (ms, run) => {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    waiting: () => [...timers].map((timer) => timer.at),
    turn: (ms) => {
      now += ms;
      for (const timer of new Set(timers)) if (timer.at <= now && timers.delete(timer)) timer.run();
    },
  };
}
