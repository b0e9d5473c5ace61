import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Diagnostics } from '../../src/ledger/diagnostics.ts';
import { Holds } from '../../src/ledger/holds.ts';
import { Database } from '../../src/ledger/pool.ts';
import { Queries } from '../../src/ledger/queries.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createMetrics, type Metrics } from '../../src/metrics/metrics.ts';
import { type AnyQueueName, queueNames, queues } from '../../src/queues/index.ts';
import { openQueue } from '../../src/queues/open.ts';
import { DEFAULT_PREFIX, openForQueues } from '../../src/redis/connections.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';
import { samplesOf } from './by-hand.ts';

let fresh: FreshRedis;
let ledger: FreshLedger;
let database: Database;
let queueClient: Redis;
let opened: Map<AnyQueueName, Queue>;
const failures: unknown[] = [];

beforeEach(async () => {
  [fresh, ledger] = [await freshRedis(), await freshLedger()];
  database = new Database({ url: ledger.url, schema: ledger.schema });
  queueClient = openForQueues({ url: fresh.url }, { name: 'test-queues', onError: () => undefined });
  const place = { connection: queueClient, prefix: DEFAULT_PREFIX };
  opened = new Map(queueNames.map((name) => [name, openQueue(queues[name], place)]));
  await Promise.all([...opened.values()].map((queue) => queue.waitUntilReady()));
  failures.length = 0;
});

afterEach(async () => {
  await Promise.all([...opened.values()].map((queue) => queue.close()));
  queueClient.disconnect();
  await database.close();
  await ledger.close();
  await fresh.close();
});

function metricsOfOneProcess(over = database): Metrics {
  return createMetrics({
    queries: new Queries({ database: over }),
    diagnostics: new Diagnostics({ database: over, schema: ledger.schema }),
    accounts: new Holds({ database: over, clock: systemClock }),
    balances: async () => [],
    misplaced: async () => 0,
    audit: async () => undefined,
    jobCounts: async (queue) => (await opened.get(queue)?.getJobCounts()) ?? {},
    oldestJobAt: async (queue) => (await opened.get(queue)?.getJobs(['waiting'], 0, 0, true))?.[0]?.timestamp,
    recovering: () => false,
    unwitnessed: () => false,
    load: () => over.load,
    clock: systemClock,
    onError: (error) => failures.push(error),
  });
}

describe('every process shows the same of the whole', () => {
  test('states and money, as the operations have them', async () => {
    await disbursements(2, 'queued');
    await disbursements(1, 'needs_review');
    const pages = await Promise.all([metricsOfOneProcess().scrape(), metricsOfOneProcess().scrape()]);
    expect(failures).toEqual([]);
    for (const page of pages) {
      expect(samplesOf(page, 'relais_operations')).toContain('{kind="disbursement",state="queued"} 2');
      expect(samplesOf(page, 'relais_operations')).toContain('{kind="disbursement",state="needs_review"} 1');
      expect(samplesOf(page, 'relais_in_doubt_xof')).toContain('{state="needs_review"} 5000');
      expect(samplesOf(page, 'relais_queue_due')).toContain('{queue="disbursement"} 2');
      const late = samplesOf(page, 'relais_account_backlog_seconds');
      expect(late).toEqual([expect.stringMatching(/^\{queue="disbursement",account="main"\} /)]);
      expect(samplesOf(page, 'relais_database_up')).toEqual(['1']);
      expect(samplesOf(page, 'relais_redis_up')).toEqual(['1']);
    }
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

  test('holds, while they last, and the events that wait for the publisher', async () => {
    await new Holds({ database, clock: systemClock }).hold('main', 'payments', 'funds');
    const page = await metricsOfOneProcess().scrape();
    expect(samplesOf(page, 'relais_held')).toEqual(['{account="main",area="payments",reason="funds"} 1']);
    expect(samplesOf(page, 'relais_quarantined_events')).toEqual(['0']);
    expect(Number(samplesOf(page, 'relais_unpublished_events_oldest_seconds')[0])).toBeGreaterThan(0);
  });
});

test('a PostgreSQL that has gone away leaves the counters of the process, and the jobs', async () => {
  const away = new Database({ url: 'postgres://127.0.0.1:9/none', schema: ledger.schema });
  const metrics = metricsOfOneProcess(away);
  metrics.lockLost(4);
  const page = await metrics.scrape();
  expect(samplesOf(page, 'relais_database_up')).toEqual(['0']);
  expect(samplesOf(page, 'relais_operations')).toEqual([]);
  expect(samplesOf(page, 'relais_jobs')).not.toEqual([]);
  expect(samplesOf(page, 'relais_lost_locks_total')).toEqual(['4']);
  expect(failures).toHaveLength(1);
  await away.close();
});

async function disbursements(count: number, state: 'queued' | 'needs_review'): Promise<void> {
  await ledger.query(`
    insert into relais.operation (id, kind, account, state, amount, request, fingerprint, created_by, schema_version, op, queue, due_at)
    select 'dsb_${state}_' || n, 'disbursement', 'main', '${state}', 5000, '{}', '', 'shop', 1, gen_random_uuid(),
      ${state === 'queued' ? `'disbursement', now()` : 'null, null'}
    from generate_series(1, ${count}) n`);
}
