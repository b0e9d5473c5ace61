/** The switch of a queue is thrown by a script of ours, which tells who did it: it must do what BullMQ's own does. */
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { switchQueue } from '../../src/operations/queue-switches.ts';
import { type SameEffect, expectSameEffect, oneOf } from '../redis/same-effect.ts';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';

interface Way {
  readonly queue: Queue;
  readonly switches: (how: 'pause' | 'resume') => Promise<unknown>;
}

let stores: FreshRedis[];
const ends: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  stores = [await freshRedis(), await freshRedis()];
});
afterAll(async () => {
  for (const end of ends) await end();
  for (const store of stores) await store.close();
});

function queueOn({ url, redis }: FreshRedis): { redis: Redis; queue: Queue } {
  const { keyPrefix = '' } = redis.options;
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  const queue = new Queue('campaign', { connection, prefix: keyPrefix.replace(/:$/, ''), skipVersionCheck: true });
  ends.push(async () => {
    await queue.close();
    connection.disconnect();
  });
  return { redis, queue };
}

test('BullMQ and we pause and resume a queue alike, whatever waits in it', async () => {
  const [bull, ours] = stores.map(queueOn);
  if (!bull || !ours) throw new Error('two stores');
  let jobs = 0;
  let paused = false;
  const run: SameEffect<Way> = {
    seed: 7,
    steps: 120,
    // What Redis says of its own time.
    blur: /\d{12,}(?:\.\d+)?/g,
    one: { redis: bull.redis, way: { queue: bull.queue, switches: (how) => bull.queue[how]().then(() => true) } },
    other: {
      redis: ours.redis,
      way: { queue: ours.queue, switches: (how) => switchQueue(ours.redis, 'campaign', { how }) },
    },
    next: (roll) => {
      const what = oneOf(roll, ['switch', 'job', 'later', 'first', 'drain']);
      if (what === 'switch') {
        paused = !paused;
        const how = paused ? 'pause' : 'resume';
        return ({ switches }) => switches(how);
      }
      if (what === 'drain') return ({ queue }) => queue.drain(true);
      jobs += 1;
      const more = { later: { delay: 1e9 }, first: { priority: 2 }, job: {} }[what] ?? {};
      const job = { jobId: `job-${jobs}`, timestamp: 1_700_000_000_000, ...more };
      return ({ queue }) => queue.add('wake', {}, job).then(({ id }) => id);
    },
  };
  expect((await expectSameEffect(run)).get('true')).toBeGreaterThan(10);
});
