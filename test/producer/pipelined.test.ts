import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { pipelined, sharedFence } from '../../src/producer/connection.ts';

type Reply = readonly [error: Error | null, answer?: unknown];

/** A Redis that answers each script with its first key, and remembers how many commands came in each trip. */
function recording(reply: (script: string) => Reply = (script) => [null, `did ${script}`]) {
  const trips: number[] = [];
  const redis = {
    pipeline: () => {
      const scripts: string[] = [];
      return {
        call: (_name: string, script: string) => scripts.push(script),
        exec: async () => {
          trips.push(scripts.length);
          return scripts.map(reply);
        },
      };
    },
  } as unknown as Redis;
  return { redis, trips };
}

test('what is asked in one turn goes to Redis in one trip, and everybody gets an answer of their own', async () => {
  const { redis, trips } = recording();
  const trip = pipelined(redis);
  const answers = await Promise.all(Array.from({ length: 500 }, (_, n) => trip.evalsha(`s${n}`, 0)));
  expect(trips).toEqual([500]);
  expect(answers.slice(0, 2)).toEqual(['did s0', 'did s1']);
  await trip.evalsha('later', 0);
  expect(trips).toEqual([500, 1]);
});

test('an error is that of one, and a trip that fails is that of all', async () => {
  const failing = pipelined(recording((script) => (script === 'bad' ? [new Error('no')] : [null, 1])).redis);
  const settled = await Promise.allSettled([failing.evalsha('good', 0), failing.evalsha('bad', 0)]);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  const broken = { pipeline: () => ({ call: () => undefined, exec: () => Promise.reject(new Error('gone')) }) };
  const lost = pipelined(broken as unknown as Redis);
  const both = await Promise.allSettled([lost.evalsha('a', 0), lost.hmget('b', 'c')]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('one wait for the replicas covers all that was written before it', async () => {
  let waits = 0;
  const fence = sharedFence(async () => {
    waits += 1;
    if (waits === 2) throw new Error('gone');
    return true;
  });
  expect(await Promise.all([fence(), fence(), fence()])).toEqual([true, true, true]);
  expect(waits).toBe(1);
  expect((await Promise.allSettled([fence(), fence()])).map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
  ]);
});
