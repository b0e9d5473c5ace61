import { once } from 'node:events';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { seededRandom } from '../../src/lib/random.ts';
import { EventStream } from '../../src/events/stream.ts';
import { createMetrics, type Metrics } from '../../src/metrics/metrics.ts';
import { Accounts } from '../../src/operations/accounts.ts';
import { Operations } from '../../src/operations/operations.ts';
import { Queries } from '../../src/operations/queries.ts';
import { type AnyQueueName, queueNames, queues } from '../../src/queues/index.ts';
import { openQueue } from '../../src/queues/open.ts';
import { DEFAULT_PREFIX, openForQueues } from '../../src/redis/connections.ts';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';
import { samplesOf } from './by-hand.ts';

let fresh: FreshRedis;
let operations: Operations;
let queueClient: Redis;
let opened: Map<AnyQueueName, Queue>;
const failures: unknown[] = [];

beforeEach(async () => {
  fresh = await freshRedis();
  operations = new Operations({ redis: fresh.redis, random: seededRandom(1) });
  queueClient = openForQueues({ url: fresh.url }, { name: 'test-queues', onError: () => undefined });
  const place = { connection: queueClient, prefix: DEFAULT_PREFIX };
  opened = new Map(queueNames.map((name) => [name, openQueue(queues[name], place)]));
  await Promise.all([...opened.values()].map((queue) => queue.waitUntilReady()));
  failures.length = 0;
});

afterEach(async () => {
  await Promise.all([...opened.values()].map((queue) => queue.close()));
  queueClient.disconnect();
  await fresh.close();
});

function metricsOfOneProcess(): Metrics {
  return createMetrics({
    queries: new Queries(fresh.redis),
    accounts: new Accounts(fresh.redis),
    balances: async () => [],
    misplaced: async () => 0,
    audit: async () => undefined,
    jobCounts: async (queue) => (await opened.get(queue)?.getJobCounts()) ?? {},
    oldestJobAt: async (queue) => (await opened.get(queue)?.getJobs(['waiting'], 0, 0, true))?.[0]?.timestamp,
    durable: () => true,
    recovering: () => false,
    memoryShare: () => null,
    clock: systemClock,
    onError: (error) => failures.push(error),
  });
}

describe('every process tells the same of the whole', () => {
  test('states and money, as the records have them', async () => {
    await disbursements(3, 5_000);
    const pages = await Promise.all([metricsOfOneProcess().scrape(), metricsOfOneProcess().scrape()]);
    for (const page of pages) {
      expect(samplesOf(page, 'relais_operations')).toContain('{kind="disbursement",state="queued"} 2');
      expect(samplesOf(page, 'relais_operations')).toContain('{kind="disbursement",state="needs_review"} 1');
      expect(samplesOf(page, 'relais_in_doubt_xof')).toContain('{state="needs_review"} 5000');
      expect(samplesOf(page, 'relais_redis_up')).toEqual(['1']);
    }
    expect(failures).toEqual([]);
  });

  test('jobs, and the age of the one at the head', async () => {
    const intake = opened.get('intake');
    await intake?.add('first', {}, { timestamp: Date.now() - 60_000 });
    await intake?.add('second', {});
    const page = await metricsOfOneProcess().scrape();
    expect(samplesOf(page, 'relais_jobs')).toContain('{queue="intake",state="waiting"} 2');
    const [age] = samplesOf(page, 'relais_oldest_job_age_seconds').filter((sample) => sample.includes('"intake"'));
    expect(Number(age?.split(' ').at(-1))).toBeGreaterThanOrEqual(60);
  });

  test('events, counted in the step that writes them and by everybody alike', async () => {
    const accounts = new Accounts(fresh.redis);
    await accounts.hold('main', 'payments', 'funds');
    await accounts.hold('main', 'payments', 'funds');
    await accounts.release('main', 'payments', 'funds');
    await disbursements(1, 5_000);
    const record = await new Queries(fresh.redis).read('disbursement', 'dsb_5000_1_0');
    const event = { type: 'disbursement.cancelled', data: { id: 'dsb_5000_1_0' } };
    if (record) await operations.transition(record, undefined, { to: 'cancelled', event });
    await new EventStream({ redis: fresh.redis }).trim(-1_000);

    const pages = await Promise.all([1, 2, 3].map(() => metricsOfOneProcess().scrape()));
    for (const page of pages) {
      const happened = samplesOf(page, 'relais_events_total').filter((sample) => !sample.endsWith(' 0'));
      expect(happened).toEqual([
        '{type="disbursement.cancelled"} 1',
        '{type="account.held"} 1',
        '{type="account.released"} 1',
      ]);
      expect(samplesOf(page, 'relais_operations').filter((sample) => sample.includes('other'))).toEqual([]);
    }
  });

  test('holds, while they last', async () => {
    await new Accounts(fresh.redis).hold('main', 'payments', 'funds');
    expect(samplesOf(await metricsOfOneProcess().scrape(), 'relais_held')).toEqual([
      '{account="main",area="payments",reason="funds"} 1',
    ]);
  });
});

test('a scrape costs Redis the same however much there is', async () => {
  await disbursements(3, 5_000);
  const few = await commandsOf(() => metricsOfOneProcess().scrape());
  await disbursements(300, 5_000);
  await opened.get('intake')?.addBulk(Array.from({ length: 300 }, () => ({ name: 'many', data: {} })));
  await opened.get('intake')?.add('one', {});
  const many = await commandsOf(() => metricsOfOneProcess().scrape());
  // The one job at the head of a queue is read whole, once.
  expect(many.length - few.length).toBeLessThanOrEqual(1);
  expect(many.length).toBeLessThan(100);
  expect(many.filter((name) => /^(scan|keys|hscan|sscan|zscan)$/i.test(name))).toEqual([]);
});

test('a Redis that has gone away leaves the counters of the process', async () => {
  const metrics = metricsOfOneProcess();
  metrics.lockLost(4);
  const gone = once(fresh.redis, 'end');
  fresh.redis.disconnect();
  await gone;
  const page = await metrics.scrape();
  expect(samplesOf(page, 'relais_redis_up')).toEqual(['0']);
  expect(samplesOf(page, 'relais_operations')).toEqual([]);
  expect(samplesOf(page, 'relais_lost_locks_total')).toEqual(['4']);
  expect(failures).toHaveLength(1);
});

/** So many more, of which the first comes to need a person unless it is alone. */
async function disbursements(count: number, amount: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    const id = `dsb_${amount}_${count}_${number}`;
    await operations.accept({
      kind: 'disbursement',
      id,
      account: 'main',
      state: 'queued',
      fingerprint: 'x',
      xof: amount,
      fields: { amount, accountAlias: '770000001', withdrawMode: 'wave-senegal', disburseId: id },
    });
  }
  const record = await new Queries(fresh.redis).read('disbursement', `dsb_${amount}_${count}_0`);
  if (record && count > 1) await operations.transition(record, undefined, { to: 'needs_review', dueInMs: 60_000 });
}

async function commandsOf(act: () => Promise<unknown>): Promise<string[]> {
  const sent = vi.spyOn(fresh.redis, 'sendCommand');
  await act();
  const names = sent.mock.calls.map(([command]) => command.name);
  sent.mockRestore();
  return names;
}
