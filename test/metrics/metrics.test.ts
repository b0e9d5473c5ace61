import { describe, expect, test } from 'vitest';
import { catalogue } from '../../src/kinds/index.ts';
import { declarations, metricNames } from '../../src/metrics/declarations.ts';
import { words } from '../../src/metrics/label-words.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import type { Outcome } from '../../src/processors/context.ts';
import type { AttemptFinished } from '../../src/processors/run.ts';
import type { CallbackVerdict } from '../../src/webhooks/receiver.ts';
import { clockByHand, idleSources, samplesOf } from './by-hand.ts';

const NOW = 1_700_000_000_000;

function counting(change: Partial<ReturnType<typeof idleSources>> = {}) {
  const { clock, turn } = clockByHand(NOW);
  const sources = { ...idleSources(clock), ...change };
  return { metrics: createMetrics(sources), errors: sources.errors, turn };
}

describe('measured by a process', () => {
  test('an attempt is counted by its outcome, never by its reason', async () => {
    const { metrics } = counting();
    const finished: AttemptFinished = {
      queue: 'disbursement',
      id: 'dsb_1',
      result: { outcome: 'waits', reason: 'status_+221770000001' },
      durationMs: 30,
    };
    metrics.attemptFinished(finished);
    const page = await metrics.scrape();
    expect(samplesOf(page, 'relais_attempts_total')).toContain('{queue="disbursement",settlement="waits"} 1');
    expect(samplesOf(page, 'relais_attempt_duration_seconds_bucket')).toContain('{le="0.05",queue="disbursement"} 1');
    expect(samplesOf(page, 'relais_attempt_duration_seconds_sum')).toEqual(['{queue="disbursement"} 0.03']);
    expect(page).not.toContain('770000001');
  });

  test('an exchange is counted by operation and code', async () => {
    const { metrics } = counting();
    metrics.exchanged({ operation: 'disbursement_submit', code: 'no_answer', durationMs: 60_000 });
    const page = await metrics.scrape();
    expect(samplesOf(page, 'relais_upstream_requests_total')).toEqual([
      '{operation="disbursement_submit",code="no_answer"} 1',
    ]);
    expect(samplesOf(page, 'relais_upstream_request_duration_seconds_sum')).toEqual([
      '{operation="disbursement_submit"} 60',
    ]);
  });

  test('a code we do not list is "other"', async () => {
    const { metrics } = counting();
    for (const code of ['9999', 'constructor', '']) {
      metrics.exchanged({ operation: 'balance', code, durationMs: 1 });
    }
    expect(samplesOf(await metrics.scrape(), 'relais_upstream_requests_total')).toEqual([
      '{operation="balance",code="other"} 3',
    ]);
  });

  test('only a login that gave a token counts as a login', async () => {
    const { metrics } = counting();
    metrics.exchanged({ operation: 'sms_login', code: 'ok', durationMs: 9 });
    metrics.exchanged({ operation: 'sms_login', code: 'ERROR_117', durationMs: 9 });
    metrics.exchanged({ operation: 'sms_send', code: 'ok', durationMs: 9 });
    expect(samplesOf(await metrics.scrape(), 'relais_sms_logins_total')).toEqual(['1']);
  });

  test('SMS with an unknown code are counted one by one', async () => {
    const { metrics } = counting();
    expect(samplesOf(await metrics.scrape(), 'relais_sms_item_code_unknown_total')).toEqual(['0']);
    metrics.exchanged({ operation: 'sms_send', code: 'ok', durationMs: 9, strangeCodes: 50 });
    metrics.exchanged({ operation: 'sms_statistics', code: 'ok', durationMs: 9, strangeCodes: 2 });
    expect(samplesOf(await metrics.scrape(), 'relais_sms_item_code_unknown_total')).toEqual(['52']);
  });

  test('callbacks, commits and lost locks are counted', async () => {
    const { metrics } = counting();
    metrics.callbackReceived('disbursement', 'unmatched', 'hash_wrong');
    metrics.callbackReceived('none', 'wrong_path');
    metrics.committed(2);
    metrics.lockLost(3);
    const page = await metrics.scrape();
    const callbacks = samplesOf(page, 'relais_callbacks_total').filter((sample) => sample.endsWith(' 1'));
    expect(callbacks).toEqual([
      '{kind="disbursement",verdict="unmatched"} 1',
      '{kind="none",verdict="wrong_path"} 1',
    ]);
    expect(samplesOf(page, 'relais_database_commit_seconds_sum')).toEqual(['0.002']);
    expect(samplesOf(page, 'relais_lost_locks_total')).toEqual(['3']);
  });

  test('a counter of few series begins at 0, so that its first count is an increase', async () => {
    const page = await counting().metrics.scrape();
    expect(samplesOf(page, 'relais_attempts_total')).toContain('{queue="sms-batch",settlement="lost"} 0');
    expect(samplesOf(page, 'relais_callbacks_total')).toContain('{kind="invoice",verdict="unmatched"} 0');
    expect(samplesOf(page, 'relais_upstream_requests_total')).toEqual([]);
  });

  test('two processes in one program do not share a counter', async () => {
    const [one, other] = [counting().metrics, counting().metrics];
    one.lockLost(1);
    expect(samplesOf(await other.scrape(), 'relais_lost_locks_total')).toEqual(['0']);
  });

  test('a role and a worker that is stuck are shown only by a process that has them', async () => {
    const { metrics } = counting();
    expect(samplesOf(await metrics.scrape(), 'relais_roles')).toEqual([]);
    metrics.rolesAre(['worker']);
    metrics.workersSeen(new Map([['intake', 45_000]]));
    const page = await metrics.scrape();
    expect(samplesOf(page, 'relais_roles')).toEqual(['{role="worker"} 1']);
    expect(samplesOf(page, 'relais_worker_stuck_seconds')).toEqual(['{queue="intake"} 45']);
  });

  test('a recovery, a missing witness and the pool are shown as this process knows them now', async () => {
    const { metrics } = counting({
      recovering: () => true,
      unwitnessed: () => true,
      load: () => ({ inUse: 3, waiting: 8 }),
    });
    const page = await metrics.scrape();
    expect(samplesOf(page, 'relais_recovering')).toEqual(['1']);
    expect(samplesOf(page, 'relais_unwitnessed')).toEqual(['1']);
    expect(samplesOf(page, 'relais_database_pool_in_use')).toEqual(['3']);
    expect(samplesOf(page, 'relais_database_pool_waiting')).toEqual(['8']);
  });
});

describe('values of the whole deployment', () => {
  test('operations are counted in every state, also where there are none', async () => {
    const { metrics } = counting({
      queries: {
        ...idleSources(clockByHand().clock).queries,
        counts: (kind) => Promise.resolve({ count: kind === 'disbursement' ? { unknown: 2 } : {}, xof: {} }),
      },
    });
    const samples = samplesOf(await metrics.scrape(), 'relais_operations');
    expect(samples).toContain('{kind="disbursement",state="unknown"} 2');
    expect(samples).toContain('{kind="disbursement",state="succeeded"} 0');
    expect(samples).toContain('{kind="campaign",state="running"} 0');
    expect(samples.filter((sample) => sample.includes('sms_request') || sample.includes('other'))).toEqual([]);
  });

  test('recipients and messages are counted by outcome, the same from every process and however often it is asked', async () => {
    const { metrics } = counting({
      queries: {
        ...idleSources(clockByHand().clock).queries,
        outcomes: () => Promise.resolve({ sent: 120, unknown: 2 }),
      },
    });
    await metrics.scrape();
    expect(samplesOf(await metrics.scrape(), 'relais_messages_total')).toEqual([
      '{outcome="sent"} 120',
      '{outcome="failed"} 0',
      '{outcome="unknown"} 2',
      '{outcome="expired"} 0',
    ]);
  });

  test('money in doubt is shown by state, with the age of the oldest', async () => {
    const { metrics } = counting({
      queries: {
        counts: (kind) =>
          Promise.resolve({
            count: {},
            xof:
              kind === 'disbursement'
                ? { pending: 15_000, succeeded: 1_000_000 }
                : { sending: 2_000, needs_review: 2_000, queued: 9_000 },
          }),
        oldestIn: (kind, state) =>
          Promise.resolve(
            kind === 'disbursement' && state === 'pending'
              ? NOW - 90_000
              : kind === 'direct_credit' && state === 'needs_review'
                ? NOW - 30_000
                : undefined,
          ),
        backlog: () => Promise.resolve([]),
        due: () => Promise.resolve([]),
        outcomes: () => Promise.resolve({}),
        unfinishedUploads: () => Promise.resolve(0),
        eventsEmitted: () => Promise.resolve({}),
      },
    });
    const page = await metrics.scrape();
    expect(samplesOf(page, 'relais_in_doubt_xof')).toEqual([
      '{state="submitting"} 0',
      '{state="unknown"} 0',
      '{state="pending"} 15000',
      '{state="needs_review"} 2000',
      '{state="sending"} 2000',
    ]);
    expect(samplesOf(page, 'relais_oldest_in_doubt_seconds')).toEqual([
      '{state="submitting"} 0',
      '{state="unknown"} 0',
      '{state="pending"} 90',
      '{state="needs_review"} 30',
      '{state="sending"} 0',
    ]);
  });

  test('SMS requests in doubt are counted, with the age of the oldest', async () => {
    const { metrics } = counting({
      queries: {
        ...idleSources(clockByHand().clock).queries,
        counts: (kind) =>
          Promise.resolve({ count: kind === 'sms_request' ? { unknown: 3, settled: 900 } : {}, xof: {} }),
        oldestIn: (kind, state) =>
          Promise.resolve(kind === 'sms_request' && state === 'unknown' ? NOW - 120_000 : undefined),
      },
    });
    const page = await metrics.scrape();
    expect(samplesOf(page, 'relais_sms_requests_in_doubt')).toEqual(['{state="unknown"} 3']);
    expect(samplesOf(page, 'relais_sms_requests_oldest_in_doubt_seconds')).toEqual(['{state="unknown"} 120']);
  });

  test('events are counted by the types of the catalogue, those that never happened at 0', async () => {
    const { metrics } = counting({
      queries: {
        ...idleSources(clockByHand().clock).queries,
        unfinishedUploads: () => Promise.resolve(0),
        eventsEmitted: () => Promise.resolve({ 'account.held': 4, 'of.another.version': 1 }),
      },
    });
    const samples = samplesOf(await metrics.scrape(), 'relais_events_total');
    expect(samples).toContain('{type="account.held"} 4');
    expect(samples).toContain('{type="campaign.finished"} 0');
    expect(samples).toContain('{type="other"} 1');
  });

  test('a check that is due later is no backlog', async () => {
    const { metrics } = counting({
      queries: {
        ...idleSources(clockByHand().clock).queries,
        backlog: () =>
          Promise.resolve([
            { queue: 'status-poll', due: 3, oldestDueAt: NOW - 4_500 },
            { queue: 'disbursement', due: 1, oldestDueAt: NOW + 60_000 },
            { queue: 'campaign', due: 0 },
          ]),
      },
    });
    const page = await metrics.scrape();
    expect(samplesOf(page, 'relais_backlog_seconds')).toEqual([
      '{queue="status-poll"} 4.5',
      '{queue="disbursement"} 0',
      '{queue="campaign"} 0',
    ]);
    expect(samplesOf(page, 'relais_queue_due')).toEqual([
      '{queue="status-poll"} 3',
      '{queue="disbursement"} 1',
      '{queue="campaign"} 0',
    ]);
  });

  test('how late an account is, in each queue, and never more than a hundred accounts by name', async () => {
    const one = { due: 1, later: 0 };
    const row = (queue: string, account: string, ms: number) => ({ ...one, queue, account, oldestAt: NOW - ms });
    const many = Array.from({ length: 120 }, (_, at) => row('status-poll', `shop-${at}`, 120_000 - at * 1_000));
    const { metrics } = counting({
      queries: {
        ...idleSources(clockByHand().clock).queries,
        due: () =>
          Promise.resolve([row('disbursement', 'main', -60_000), row('disbursement', 'late', 400_000), ...many]),
      },
    });
    const samples = samplesOf(await metrics.scrape(), 'relais_account_backlog_seconds');
    expect(samples).toContain('{queue="disbursement",account="late"} 400');
    expect(samples).toContain('{queue="status-poll",account="shop-0"} 120');
    expect(samples).toContain('{queue="status-poll",account="other"} 21');
    expect(samples).toContain('{queue="disbursement",account="other"} 0');
    expect(samples).toHaveLength(102);
  });

  test('the publisher and the storage of PostgreSQL are measured', async () => {
    const { metrics } = counting({
      diagnostics: {
        publishing: () => Promise.resolve({ oldestAt: NOW - 5_000, quarantined: 2, unsigned: 7 }),
        deadRows: () => Promise.resolve([{ name: 'operation', dead: 900, live: 50 }]),
        oldestSnapshot: () => Promise.resolve({ holder: 'psql', ageMs: 61_500 }),
        partitions: () => Promise.resolve({ defaults: [], until: new Date(NOW + 86_400_000) }),
      },
    });
    const page = await metrics.scrape();
    expect(samplesOf(page, 'relais_unpublished_events_oldest_seconds')).toEqual(['5']);
    expect(samplesOf(page, 'relais_quarantined_events')).toEqual(['2']);
    expect(samplesOf(page, 'relais_unsigned_audit_lines')).toEqual(['7']);
    expect(samplesOf(page, 'relais_database_dead_rows')).toEqual(['900']);
    expect(samplesOf(page, 'relais_database_oldest_transaction_seconds')).toEqual(['61.5']);
    expect(samplesOf(page, 'relais_database_partitions_seconds')).toEqual(['86400']);
  });

  test('jobs are counted by state, and the head of the queue has an age', async () => {
    const { metrics } = counting({
      jobCounts: (queue) => Promise.resolve(queue === 'intake' ? { waiting: 7, newfangled: 2, newer: 1 } : {}),
      oldestJobAt: (queue) => Promise.resolve(queue === 'intake' ? NOW - 250 : undefined),
    });
    const page = await metrics.scrape();
    const intake = samplesOf(page, 'relais_jobs').filter((sample) => sample.includes('"intake"'));
    expect(intake).toContain('{queue="intake",state="waiting"} 7');
    expect(intake).toContain('{queue="intake",state="active"} 0');
    expect(intake).toContain('{queue="intake",state="other"} 3');
    expect(samplesOf(page, 'relais_oldest_job_age_seconds')).toContain('{queue="intake"} 0.25');
  });

  test('payments and messaging of one account may be held for the same reason', async () => {
    const held = { account: 'main', reason: 'funds', since: NOW } as const;
    const { metrics } = counting({
      accounts: {
        allHolds: () =>
          Promise.resolve([
            { ...held, area: 'payments' },
            { ...held, area: 'messaging' },
          ]),
      },
    });
    expect(samplesOf(await metrics.scrape(), 'relais_held')).toEqual([
      '{account="main",area="payments",reason="funds"} 1',
      '{account="main",area="messaging",reason="funds"} 1',
    ]);
  });

  test('a hold that ended is gone from the next scrape', async () => {
    const holds = [{ account: 'main', area: 'payments', reason: 'funds', since: NOW } as const];
    const { metrics, turn } = counting({ accounts: { allHolds: () => Promise.resolve([...holds]) } });
    await metrics.scrape();
    holds.pop();
    turn(1_000);
    expect(samplesOf(await metrics.scrape(), 'relais_held')).toEqual([]);
  });
});

describe('while PostgreSQL is away', () => {
  const silent = () => new Promise<never>(() => undefined);
  const queriesThat = (backlog: () => Promise<never[]>) => ({
    queries: { ...idleSources(clockByHand().clock).queries, backlog },
  });

  test('a scrape still has this process’s measurements, within two seconds', async () => {
    const { metrics, errors, turn } = counting(queriesThat(silent));
    metrics.lockLost(2);
    const scraped = metrics.scrape();
    // Redis has answered by then.
    await new Promise(setImmediate);
    turn(1_999);
    const page = await scraped;
    expect(samplesOf(page, 'relais_database_up')).toEqual(['0']);
    expect(samplesOf(page, 'relais_lost_locks_total')).toEqual(['2']);
    expect(errors).toEqual(['Error: no answer within 1500 ms']);
  });

  test('the gauges of the whole deployment are absent, not outdated, and return with it', async () => {
    let away = false;
    const { metrics, turn } = counting(
      queriesThat(() => (away ? Promise.reject(new Error('gone')) : Promise.resolve([]))),
    );
    const whole = metricNames.filter((name) => declarations[name].of === 'whole');
    const present = (page: string) => whole.filter((name) => samplesOf(page, name).length > 0);
    expect(present(await metrics.scrape())).toContain('relais_in_doubt_xof');
    away = true;
    turn(1_000);
    expect(present(await metrics.scrape())).toEqual([]);
    away = false;
    turn(1_000);
    const page = await metrics.scrape();
    expect(samplesOf(page, 'relais_database_up')).toEqual(['1']);
    expect(samplesOf(page, 'relais_in_doubt_xof')).toHaveLength(5);
  });
});

describe('while Redis is away', () => {
  test('only the gauges about jobs are absent', async () => {
    const { metrics } = counting({ jobCounts: () => Promise.reject(new Error('gone')) });
    const page = await metrics.scrape();
    expect(samplesOf(page, 'relais_redis_up')).toEqual(['0']);
    const ofQueues = metricNames.filter((name) => declarations[name].of === 'queues');
    expect(ofQueues.filter((name) => samplesOf(page, name).length > 0)).toEqual([]);
    expect(samplesOf(page, 'relais_database_up')).toEqual(['1']);
    expect(samplesOf(page, 'relais_in_doubt_xof')).toHaveLength(5);
  });
});

describe('the labels', () => {
  test('name every type of event', () => {
    expect(words.eventTypes).toEqual(Object.keys(catalogue));
  });

  const settlements: readonly Outcome[] = words.settlements;
  const verdicts: readonly CallbackVerdict[] = words.callbackVerdicts;
  const noOutcomeIsMissing: Exclude<Outcome, (typeof words.settlements)[number]> extends never ? true : false = true;
  const noVerdictIsMissing: Exclude<CallbackVerdict, (typeof words.callbackVerdicts)[number]> extends never
    ? true
    : false = true;

  test('name every outcome of an attempt and every verdict about a callback', () => {
    expect([noOutcomeIsMissing, noVerdictIsMissing]).toEqual([true, true]);
    expect([settlements.length, verdicts.length]).toEqual([9, 7]);
  });
});
