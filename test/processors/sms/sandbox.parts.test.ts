/** Campaigns against the sandbox: faults of the provider, killed connections to PostgreSQL, and a killed worker. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { Database } from '../../../src/ledger/pool.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { type FreshLedger, freshLedger } from '../../support/fresh-ledger.ts';
import { campaignBench } from '../../support/ledger-campaigns.ts';
import { SETTLE_DELAY_MS, SmsBench } from '../../support/sms-workers.ts';
import { liveAccount, openUpstream } from '../../upstream/listener.ts';

const RECIPIENTS = 3_000;
const LEASE_MS = 60_000;

let ledger: FreshLedger;
let database: Database;
let sandbox: Sandbox;
beforeAll(async () => {
  [ledger, sandbox] = await Promise.all([freshLedger(), startSandbox()]);
  database = new Database({ url: ledger.url, schema: ledger.schema, size: 8 });
});
afterAll(async () => {
  await database?.close();
  await Promise.all([ledger?.close(), sandbox?.stop()]);
});

async function control<T>(path: string, body?: object): Promise<T> {
  const answer = await fetch(`${sandbox.control}${path}`, body ? { method: 'POST', body: JSON.stringify(body) } : {});
  return (await answer.json()) as T;
}

interface Summary {
  readonly messagesSent: number;
  readonly messagesRepeated: number;
  readonly breaches: number;
}

test('everybody gets it at most one time and has one status, whatever fails', async () => {
  // Statistics of the sandbox have dates of this day.
  const bench = campaignBench(ledger, database, { from: Date.now() });
  const sms = new SmsBench(ledger, database, bench);
  // The client compares its clocks with those of the worker.
  const clock = { ...systemClock, now: () => bench.now() };
  const waits = { timeoutMs: 300, connectTimeoutMs: 300 };
  const { upstream } = openUpstream(sandbox.crm, { database, clock, ...waits });
  const account = liveAccount({
    smsUserKey: new Secret('sandbox-user'),
    smsSecretKey: new Secret('sandbox-secret'),
    smsAppKey: new Secret('sandbox-app'),
    smsSender: 'RELAIS',
  });
  const faults = [
    'resets the connection before doing the work',
    'resets the connection after doing the work',
    'hangs after doing the work',
    'answers 5xx before doing the work',
    'answers 5xx after doing the work',
    'accepts only part of an SMS chunk',
    'answers 429 with Retry-After',
  ];
  for (const [seed, fault] of faults.entries())
    await control('/faults', {
      fault,
      operation: 'sms.send',
      probability: 0.05,
      count: 4,
      seed,
      retryAfterSeconds: 1,
    });
  const id = await bench.started(RECIPIENTS, { canary: 0, pauseOnFailure: 0, text: 'Bonjour {{nom}}' });
  const options = { upstream, account, concurrency: 4 };
  const first = sms.start(options);
  sms.start(options);
  const totals = async () => (await bench.campaigns.read(id))?.totals;
  for (const part of [0.8, 0.6, 0.4]) {
    // A connection of the test itself may be one of those that were killed.
    const queued = () =>
      totals().then(
        (counts) => counts?.queued ?? 0,
        () => RECIPIENTS,
      );
    await sms.until(async () => (await queued()) < part * RECIPIENTS);
    await ledger.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'relais' and pid <> pg_backend_pid()`,
    );
  }
  await sms.kill(first);
  await sms.until(async () => {
    const open = await ledger.query(
      `select from relais.sms_request where state = 'queued' or (state = 'sending' and holder <> '${first.process}')`,
    );
    return open.length === 0;
  });
  bench.advance(LEASE_MS);
  await sms.until(async () => {
    if ((await bench.standing(id)) === 'finished') return true;
    const { queued = 0, sending = 0 } = (await totals()) ?? {};
    // No request is under way, so that the clock can be turned on.
    if (queued + sending === 0) bench.advance(SETTLE_DELAY_MS / 4);
    return false;
  });
  const { sent = 0, unknown = 0, failed } = (await totals()) ?? {};
  const { messagesSent, messagesRepeated, breaches } = await control<Summary>('/books/summary');
  expect({ failed, breaches, messagesRepeated }).toEqual({ failed: 0, breaches: 0, messagesRepeated: 0 });
  expect(sent + unknown).toBe(RECIPIENTS);
  // Of an unknown recipient both is possible; whoever is reported as sent got it.
  expect(messagesSent).toBeGreaterThanOrEqual(sent);
  expect((await bench.events(id)).map(({ type }) => type)).toEqual(['campaign.finished']);
  await sms.close();
  await upstream.close();
});
