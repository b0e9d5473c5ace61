import { expect, test } from 'vitest';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { clockByHand, idleSources } from './by-hand.ts';

/** Metrics that external dashboards and alerts use: name, type, labels. Only add; never remove. */
const PROMISED = [
  ['relais_jobs', 'gauge', 'queue state'],
  ['relais_oldest_job_age_seconds', 'gauge', 'queue'],
  ['relais_attempts_total', 'counter', 'queue settlement'],
  ['relais_attempt_duration_seconds', 'histogram', 'queue'],
  ['relais_upstream_requests_total', 'counter', 'operation code'],
  ['relais_upstream_request_duration_seconds', 'histogram', 'operation'],
  ['relais_operations', 'gauge', 'kind state'],
  ['relais_in_doubt_xof', 'gauge', 'state'],
  ['relais_oldest_in_doubt_seconds', 'gauge', 'state'],
  ['relais_messages_total', 'counter', 'outcome'],
  ['relais_sms_logins_total', 'counter', ''],
  ['relais_callbacks_total', 'counter', 'kind verdict'],
  ['relais_events_total', 'counter', 'type'],
  ['relais_event_delivery_total', 'counter', 'outcome'],
  ['relais_held', 'gauge', 'account area reason'],
  ['relais_recovering', 'gauge', ''],
  ['relais_database_commit_seconds', 'histogram', ''],
  ['relais_database_pool_in_use', 'gauge', ''],
  ['relais_database_pool_waiting', 'gauge', ''],
  ['relais_queue_due', 'gauge', 'queue'],
  ['relais_lost_locks_total', 'counter', ''],
  ['relais_backlog_seconds', 'gauge', 'queue'],
  ['relais_account_backlog_seconds', 'gauge', 'queue account'],
] as const;

const page = await aBusyPage();

test.for(PROMISED)('%s is served as a %s', ([name, type, labels]) => {
  expect(page).toContain(`# TYPE ${name} ${type}\n`);
  const ending = type === 'histogram' ? '_count' : '';
  const line = page
    .split('\n')
    .find((one) => one.startsWith(`${name}${ending}{`) || one.startsWith(`${name}${ending} `));
  const [, inBraces = ''] = /\{(.*)\}/.exec(line ?? '') ?? [];
  const shown = [...inBraces.matchAll(/(\w+)="/g)].map(([, label]) => label);
  expect(new Set(shown)).toEqual(new Set(labels.split(' ').filter(Boolean)));
});

test("Node's own are served besides", () => {
  for (const name of [
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
    'nodejs_gc_duration_seconds',
  ])
    expect(page).toContain(`# TYPE ${name} `);
});

async function aBusyPage(): Promise<string> {
  const { clock } = clockByHand();
  const idle = idleSources(clock);
  const metrics = createMetrics({
    ...idle,
    balances: () => Promise.resolve([{ account: 'main', country: 'SN', xof: 1_000, inFlight: 200 }]),
    accounts: { allHolds: () => Promise.resolve([{ account: 'main', area: 'payments', reason: 'funds', since: 1 }]) },
    queries: {
      ...idle.queries,
      backlog: () => Promise.resolve([{ queue: 'disbursement', due: 0 }]),
      due: () => Promise.resolve([{ queue: 'disbursement', account: 'main', due: 1, later: 0, oldestAt: 1 }]),
    },
  });
  metrics.attemptFinished({ queue: 'intake', result: { outcome: 'ended', reason: 'x' }, durationMs: 1 });
  metrics.exchanged({ operation: 'balance', code: 'ok', durationMs: 1 });
  return metrics.scrape();
}
