import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { openQueue } from '../../src/queues/open.ts';
import { queues } from '../../src/queues/index.ts';
import { missing, until } from './prometheus.ts';
import { quickly, startWatched, type Watched } from './watched.ts';

/**
 * Alerts that really fire: relais in real trouble, seen by a real Prometheus. What takes minutes takes seconds. Each has
 * a relais of its own, since its trouble would be everybody's; they mostly wait, so they wait together.
 */
describe.skipIf(missing).concurrent('the alert', () => {
  test('RelaisRecovering fires when PostgreSQL is put back under everybody, once for all processes', () =>
    inTrouble(async (watched) => {
      for (let number = 0; number < 5; number += 1) await pay(watched, `before-${number}`);
      await watched.ledger.query('update relais.mark set counter = 0');
      const { labels } = await watched.prometheus.untilFiring('RelaisRecovering');
      expect(labels['severity']).toBe('critical');
      expect((await firingNames(watched)).filter((name) => name === 'RelaisRecovering')).toHaveLength(1);
    }));

  test('RelaisUnwitnessed fires when no witness knows the ledger, and RelaisPartitionsMissing when nobody makes partitions', () =>
    inTrouble(async (watched) => {
      await watched.ledger.query('update relais.deployment set unwitnessed_at = now()');
      await watched.ledger.query(`
        do $$ declare part text; begin
          for part in select inhrelid::regclass::text from pg_inherits
            where inhparent = 'relais.event'::regclass and inhrelid <> 'relais.event_rest'::regclass
          loop execute format('alter table relais.event detach partition %s; drop table %s', part, part); end loop;
          perform relais.make_partition('event', 'event_2020_01', '2020-01-01', '2020-02-01', 500);
        end $$`);
      await watched.prometheus.untilFiring('RelaisUnwitnessed');
      await watched.prometheus.untilFiring('RelaisPartitionsMissing');
    }));

  test('RelaisAccountHeld fires once for an account without funds, however many disbursements it stops', () =>
    inTrouble(async (watched) => {
      for (let number = 0; number < 20; number += 1) await pay(watched, `no-funds-${number}`, '779999903');
      const { labels } = await watched.prometheus.untilFiring('RelaisAccountHeld');
      expect(labels).toMatchObject({ account: 'main', area: 'payments', reason: 'funds' });
      expect((await firingNames(watched)).filter((name) => name === 'RelaisAccountHeld')).toHaveLength(1);
    }));

  test('RelaisAccountHeld fires for a budget of texts that is used up, to the text', async () => {
    const prices = join(await mkdtemp(join(tmpdir(), 'relais-prices-')), 'prices.json');
    await writeFile(prices, JSON.stringify({ SN: 20 }));
    const settings = { SMS_PRICES_FILE: prices, SMS_BUDGET_DAY: '60' };
    await inTrouble(async (watched) => {
      const texts = [1, 2, 3, 4, 5].map((nth) => ({
        to: `+22177123450${nth}`,
        text: 'Bonjour',
        reference: `b-${nth}`,
      }));
      await watched.api('POST', '/v1/messages', texts);
      const { labels } = await watched.prometheus.untilFiring('RelaisAccountHeld');
      expect(labels).toMatchObject({ account: 'main', area: 'messaging', reason: 'budget' });
      expect(await watched.books('messages')).toHaveLength(3);
    }, settings);
  });

  test('RelaisNeedsReview fires when the service never said whether it paid', () =>
    inTrouble(async (watched) => {
      const { id } = await pay(watched, 'never-said', '779999902');
      expect((await watched.prometheus.untilFiring('RelaisNeedsReview')).labels['kind']).toBe('disbursement');
      const told = await watched.api('GET', `/v1/disbursements/${String(id)}`);
      expect(told).toMatchObject({ state: 'needs_review' });
    }));

  test('RelaisBacklog and RelaisJobsWait fire while nobody works; RelaisRoleMissing says so, RelaisProcessDown who is gone', () =>
    inTrouble(async (watched) => {
      await watched.stopWorker();
      await pay(watched, 'late');
      const [backlog, waits, missed, gone] = await Promise.all([
        watched.prometheus.untilFiring('RelaisBacklog'),
        watched.prometheus.untilFiring('RelaisJobsWait'),
        // What was scraped last counts until it is five minutes old, or until a scrape finds nobody.
        watched.prometheus.untilFiring('RelaisRoleMissing'),
        watched.prometheus.untilFiring('RelaisProcessDown'),
      ]);
      expect([backlog.labels['queue'], waits.labels['queue']]).toEqual(['disbursement', 'disbursement']);
      expect(backlog.labels['account']).toBe('main');
      expect(missed.labels['role']).toBe('worker');
      expect(gone.labels['instance']).toBe(new URL(watched.urls.workerMetrics).host);
    }));

  test('RelaisWorkerStuck fires when a worker takes no jobs though Redis is well, and readiness says so', () =>
    inTrouble(async (watched) => {
      await fillOnlyPlace(watched, 'intake', async (queue) => {
        await queue.add('pay', { kind: 'disbursement' });
        expect((await watched.prometheus.untilFiring('RelaisWorkerStuck')).labels['queue']).toBe('intake');
        const reasons = async () => {
          const answer = await request(`${watched.urls.workerMetrics}/readyz`);
          const { reasons: told = [] } = (await answer.body.json()) as { reasons?: string[] };
          return told.find((reason) => reason.startsWith('the worker of intake is stuck'));
        };
        await until('readiness says so', reasons, 120_000);
      });
    }));

  test('neither RelaisWorkerStuck nor RelaisJobsWait fires for a bell that nobody hears: polls find the work', () =>
    inTrouble(async (watched) => {
      await fillOnlyPlace(watched, 'disbursement', async (queue) => {
        for (const number of [1, 2, 3]) {
          const { id } = await pay(watched, `polled-${number}`);
          const state = async () => (await watched.api('GET', `/v1/disbursements/${String(id)}`))['state'];
          await until('it is paid', async () => (await state()) === 'succeeded', 60_000);
        }
        expect(await queue.getWaitingCount()).toBeGreaterThan(0);
        // Longer than a bell has to wait until an alert about it would fire.
        const waiting = (await queue.getJobs(['waiting'], 0, 0, true))[0]?.timestamp ?? 0;
        await until('the bell is old', async () => systemClock.now() - waiting > 15_000, 60_000);
        expect(await firingNames(watched)).toEqual([]);
      });
    }));
});

async function inTrouble(
  trouble: (watched: Watched) => Promise<void>,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const watched = await startWatched(quickly, { settings });
  try {
    // Whatever fires later must be of the trouble that the test makes, not of the start.
    await until('nothing fires', async () => (await firingNames(watched)).length === 0, 60_000);
    await trouble(watched);
  } finally {
    await watched.stop();
  }
}

const pay = (watched: Watched, reference: string, accountAlias = '771234567') =>
  watched.api('POST', '/v1/disbursements', {
    accountAlias,
    amount: 1_000,
    withdrawMode: 'wallet-a-senegal',
    reference,
  });

/** A limit for all workers together, and a job that takes the one place and never ends. */
async function fillOnlyPlace(
  { server }: Watched,
  name: 'intake' | 'disbursement',
  then: (queue: Queue) => Promise<void>,
): Promise<void> {
  const connection = new Redis(server.url, { maxRetriesPerRequest: null });
  const queue = openQueue(queues[name], { connection, prefix: '{relais}' });
  try {
    await queue.setGlobalConcurrency(1);
    await connection.lpush(`{relais}:${name}:active`, 'ghost');
    await connection.set(`{relais}:${name}:ghost:lock`, 'nobody');
    await then(queue);
  } finally {
    await queue.close();
    connection.disconnect();
  }
}

async function firingNames({ prometheus }: Watched): Promise<readonly string[]> {
  return (await prometheus.alerts()).filter(({ state }) => state === 'firing').map(({ name }) => name);
}
