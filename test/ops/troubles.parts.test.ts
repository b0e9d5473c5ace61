/** One relais with a separate worker, under one fault after the other, seen by a real Prometheus with our rules. */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Queue } from 'bullmq';
import { Client } from 'pg';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { Secret } from '../../src/lib/secret.ts';
import { callbackPath } from '../../src/webhooks/receiver.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { missing, until } from './prometheus.ts';
import { CALLBACK_SECRET, quickly, startWatched, type Watched } from './watched.ts';

/** An attempt takes longer than this, so that it can be observed. */
const LATENCY_MS = 900;
const STOPPED_MS = 700;
const RUNNING_MS = 200;

let watched: Watched;
/** Deliveries of events arrive here, and are refused. */
let refuses: Server;

const firing = async (name: string) =>
  (await watched.prometheus.alerts()).filter((alert) => alert.name === name && alert.state === 'firing');
const fires = (name: string) => watched.prometheus.untilFiring(name);
const ends = (name: string) => until(`${name} ends`, async () => (await firing(name)).length === 0, PATIENCE_MS);

describe.skipIf(missing)('the alert', () => {
  beforeAll(async () => {
    refuses = createServer((asked, answer) => {
      asked.resume();
      answer.writeHead(500).end();
    }).listen(0, '127.0.0.1');
    await once(refuses, 'listening');
    watched = await startWatched(quickly, {
      workerApart: true,
      settings: {
        UPSTREAM_TIMEOUT: '1500ms',
        UPSTREAM_CONNECT_TIMEOUT: '500ms',
        RECHECK_SUCCEEDED: '3s,6s,12s,24s',
        BALANCE_INTERVAL: '1s',
      },
    });
    await until('nothing fires', async () => (await watched.prometheus.alerts()).length === 0, PATIENCE_MS);
  });

  afterAll(async () => {
    await watched?.stop();
    refuses.close();
  });

  describe.concurrent('of something outside or in doubt', () => {
    test('RelaisMoneyPending, RelaisMoneyInDoubt and RelaisUpstreamFailing fire when the provider does not answer', async () => {
      const pending = await pay('pending', '779999902');
      await stateIs(pending, 'pending');
      await fault('answers 5xx before doing the work', 'disbursement.status');
      await fault('resets the connection after doing the work', 'disbursement.submit');
      const doubtful = await Promise.all([1, 2, 3].map((number) => pay(`doubtful-${number}`)));
      for (const id of doubtful) await stateIs(id, 'unknown');
      const [late, doubt] = await Promise.all([fires('RelaisMoneyPending'), fires('RelaisMoneyInDoubt')]);
      expect([late.labels['severity'], doubt.labels['state']]).toEqual(['warning', 'unknown']);
      // SMS statistics fail at the same time, and are a separate alert.
      const failing = async () => (await firing('RelaisUpstreamFailing')).map(({ labels }) => labels['operation']);
      await until('looks fail', async () => (await failing()).includes('disbursement_status'), PATIENCE_MS);
    });

    test('RelaisSmsInDoubt fires when statistics do not answer, RelaisSmsUnknown when they answer without the SMS', async () => {
      await fault('resets the connection before doing the work', 'sms.send');
      const { id: silence } = await fault('answers 5xx before doing the work', 'sms.stats');
      await send(60);
      expect((await fires('RelaisSmsInDoubt')).labels['state']).toBe('unknown');
      await watched.control('DELETE', `/faults/${String(silence)}`);
      await fires('RelaisSmsUnknown');
    });

    test('RelaisCallbackUnmatched fires for an unknown id, and for a success of an operation that ended without one', async () => {
      const id = await pay('called-off', '771234568', { notBefore: inAnHour() });
      await watched.api('POST', `/v1/disbursements/${id}/cancel`);
      expect(await post(signed('d_of_another_redis'), 'success')).toBe(200);
      expect(await post(signed(id), 'success')).toBe(200);
      const told = async () => (await firing('RelaisCallbackUnmatched')).map(({ labels }) => labels['verdict']);
      await until('both are told', async () => (await told()).length === 2, PATIENCE_MS);
      expect(new Set(await told())).toEqual(new Set(['contradicts', 'unmatched']));
    });

    test('RelaisCallbacksForged fires for invented addresses', async () => {
      const forged = signed('d_forged').slice(0, -1);
      const answers = await Promise.all(
        Array.from({ length: 120 }, (_, index) => post(`${forged}${index % 10}`, 'success')),
      );
      expect([...new Set(answers)]).toEqual([404]);
      await fires('RelaisCallbacksForged');
    });

    test('RelaisBalanceLow fires when less is left in a country than has still to leave from there', async () => {
      await watched.control('POST', '/settings', { balances: { CI: 500 } });
      await pay('too-much', '0701020304', { withdrawMode: 'wallet-a-ci', notBefore: inAnHour() });
      expect((await fires('RelaisBalanceLow')).labels).toMatchObject({ account: 'main', country: 'CI' });
      await watched.control('POST', '/settings', { balances: { CI: 5_000 } });
      await ends('RelaisBalanceLow');
    });

    test('RelaisMisplacedJobs fires when a caller adds requests without the prefix', async () => {
      await watched.redis.lpush('bull:intake:wait', '1');
      await fires('RelaisMisplacedJobs');
      await watched.redis.del('bull:intake:wait');
      await ends('RelaisMisplacedJobs');
    });

    test('RelaisIntakeRejected fires when relais refuses a program’s request', async () => {
      const queue = new Queue('intake', { connection: { url: watched.server.url }, prefix: '{relais}' });
      try {
        await queue.add('pay', { kind: 'disbursement' });
        expect((await fires('RelaisIntakeRejected')).labels['kind']).toBe('disbursement');
      } finally {
        await queue.close();
      }
    });

    test('RelaisWrongKeys fires when a client guesses keys', async () => {
      const guess = async (_: unknown, number: number): Promise<number> => {
        const headers = { authorization: `Bearer guess-${number}` };
        const answer = await request(`${watched.urls.api}/v1/accounts`, { headers });
        await answer.body.dump();
        return answer.statusCode;
      };
      const answers = await Promise.all(Array.from({ length: 120 }, guess));
      expect(new Set(answers)).toEqual(new Set([401, 429]));
      await fires('RelaisWrongKeys');
    });

    test('RelaisEventDeliveryFailing fires when an endpoint answers 500', async () => {
      const { port } = refuses.address() as AddressInfo;
      await watched.api('POST', '/v1/event-endpoints', { url: `http://127.0.0.1:${port}/events` });
      const id = await pay('told-nobody', '771234569', { notBefore: inAnHour() });
      await watched.api('POST', `/v1/disbursements/${id}/cancel`);
      await fires('RelaisEventDeliveryFailing');
    });
  });

  test('RelaisAuditBroken fires when a line of the audit log is deleted', async () => {
    await Promise.all(['stop', 'release'].map((act) => watched.api('POST', `/v1/accounts/main/${act}`)));
    const signed = async () =>
      (await watched.ledger.query('select from relais.audit_line where mac is null')).length === 0;
    await until('every line is signed', signed, PATIENCE_MS);
    await watched.ledger.query(`delete from relais.audit_line where act = 'account.stop'`);
    expect((await fires('RelaisAuditBroken')).labels['severity']).toBe('critical');
  });

  test('RelaisEventsDelayed fires without a publisher, and ends with one', async () => {
    const lease = (at: string) =>
      watched.ledger.query(
        `update relais.leader set process = 'nobody', lease_until = ${at} where name = 'publisher'`,
      );
    await lease(`now() + interval '1 hour'`);
    await pay('not-published', '771234568', { notBefore: inAnHour() });
    await fires('RelaisEventsDelayed');
    await lease('now()');
    await ends('RelaisEventsDelayed');
  });

  test('RelaisEventsQuarantined fires when an event cannot be published, and ends once it is gone', async () => {
    await watched.ledger.query(`
      insert into relais.outbox (id, account, subject, type, data, refused)
      values ('e', 'main', 'dsb_1', 'disbursement.succeeded', '{}', 'for the test')`);
    await fires('RelaisEventsQuarantined');
    await watched.ledger.query('delete from relais.outbox where refused is not null');
    await ends('RelaisEventsQuarantined');
  });

  test('RelaisOldTransaction fires for an uncommitted transaction, and ends with that session', async () => {
    const client = new Client({ connectionString: watched.ledger.url });
    await client.connect();
    await client.query('begin; select 1');
    await fires('RelaisOldTransaction');
    await client.end();
    await ends('RelaisOldTransaction');
  });

  test('RelaisDatabaseDown fires for every process when PostgreSQL takes no connection, and ends when it does', async () => {
    const { pathname } = new URL(watched.ledger.url);
    const elsewhere = new Client({
      connectionString: Object.assign(new URL(watched.ledger.url), { pathname: '/postgres' }).href,
    });
    await elsewhere.connect();
    const database = pathname.slice(1);
    await elsewhere.query(`alter database ${database} allow_connections false`);
    await elsewhere.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database]);
    await until('all three are told', async () => (await firing('RelaisDatabaseDown')).length === 3, PATIENCE_MS);
    await elsewhere.query(`alter database ${database} allow_connections true`);
    await elsewhere.end();
    await ends('RelaisDatabaseDown');
  });

  test('RelaisEventLoopLag fires when a process runs by fits and starts', async () => {
    const over = new AbortController();
    const stuttering = stutter(watched.workerPid, over.signal);
    try {
      expect((await fires('RelaisEventLoopLag')).labels['instance']).toBe(new URL(watched.urls.workerMetrics).host);
    } finally {
      over.abort();
      await stuttering;
    }
  });

  test('RelaisContradiction fires when the provider returns a payment', async () => {
    await watched.control('DELETE', '/faults');
    const id = await pay('taken-back', '773333333');
    await stateIs(id, 'succeeded');
    const { token } = await watched.api('GET', `/v1/disbursements/${id}`);
    await watched.control('POST', `/disbursements/${String(token)}`, { status: 'reversed' });
    await stateIs(id, 'reversed');
    expect((await fires('RelaisContradiction')).labels['contradiction']).toBe('reversed');
  });

  test('RelaisContradiction fires when the provider has paid after reporting a failure', async () => {
    await watched.control('DELETE', '/faults');
    const id = await pay('failed-first', '779999901');
    await stateIs(id, 'failed');
    const { token } = await watched.api('GET', `/v1/disbursements/${id}`);
    await watched.control('POST', `/disbursements/${String(token)}`, { status: 'success' });
    await stateIs(id, 'succeeded');
    const told = async () =>
      (await firing('RelaisContradiction')).some(({ labels }) => labels['contradiction'] === 'paid_after_all');
    await until('it is told', told, PATIENCE_MS);
  });

  test('RelaisLostLocks fires when a worker was frozen for longer than its work is its own, and each is paid once', async () => {
    await watched.control('DELETE', '/faults');
    await watched.control('POST', '/settings', { latencyMs: LATENCY_MS });
    const asked = await Promise.all([1, 2, 3, 4, 5, 6].map((number) => pay(`frozen-${number}`, `77200000${number}`)));
    const leases = async () => {
      const rows = await watched.ledger.query<{ until: Date | null }>(
        `select lease_until as until from relais.operation where id in (${asked.map((id) => `'${id}'`).join(', ')})`,
      );
      return rows.map(({ until: at }) => at?.getTime() ?? 0);
    };
    await until('all are at work', async () => !(await leases()).includes(0), PATIENCE_MS);
    process.kill(watched.workerPid, 'SIGSTOP');
    try {
      const last = Math.max(...(await leases()));
      await until('their leases are over', async () => systemClock.now() > last, PATIENCE_MS);
    } finally {
      process.kill(watched.workerPid, 'SIGCONT');
    }
    await fires('RelaisLostLocks');
    for (const id of asked) await stateIs(id, 'succeeded');
    const books = await watched.books('disbursements');
    // A process that froze during its token request has requested another one, and the first was never used.
    const paid = books.filter(({ accountAlias, effects }) => String(accountAlias).startsWith('772') && effects !== 0);
    expect(paid.map(({ accountAlias, effects }) => [accountAlias, effects].join(' ')).sort()).toEqual(
      [1, 2, 3, 4, 5, 6].map((number) => `77200000${number} 1`),
    );
  });

  test('RelaisRedisDown fires for every process when Redis is killed, and ends when it is back', async () => {
    await watched.server.stop();
    await until('all three are told', async () => (await firing('RelaisRedisDown')).length === 3, PATIENCE_MS);
    await watched.startRedis();
    await ends('RelaisRedisDown');
  });
});

async function pay(reference: string, accountAlias = '771234567', more: object = {}): Promise<string> {
  const body = { accountAlias, amount: 1_000, withdrawMode: 'wallet-a-senegal', reference, ...more };
  return String((await watched.api('POST', '/v1/disbursements', body))['id']);
}

async function stateIs(id: string, state: string): Promise<void> {
  const seen = async () => (await watched.api('GET', `/v1/disbursements/${id}`))['state'] === state;
  await until(`${id} is ${state}`, seen, PATIENCE_MS);
}

const fault = (name: string, operation: string) => watched.control('POST', '/faults', { fault: name, operation });

const send = (count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      watched.api('POST', '/v1/messages', { to: `+22177${1_000_000 + index}`, text: 'hello' }),
    ),
  );

const signed = (id: string): string =>
  `${watched.urls.webhooks}${callbackPath([new Secret(CALLBACK_SECRET)], { account: 'main', kind: 'disbursement', id })}`;

async function post(url: string, status: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const answer = await request(url, { method: 'POST', headers, body: JSON.stringify({ status }) });
  await answer.body.dump();
  return answer.statusCode;
}

const inAnHour = (): string => new Date(systemClock.now() + 3_600_000).toISOString();

/** An overloaded machine: the process runs in turns with pauses. */
async function stutter(pid: number, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    process.kill(pid, 'SIGSTOP');
    await systemClock.sleep(STOPPED_MS);
    process.kill(pid, 'SIGCONT');
    await systemClock.sleep(RUNNING_MS);
  }
}
