import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { request } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { defaultCredentials } from '../../src/sandbox/sandbox.ts';
import { callbackPath } from '../../src/webhooks/receiver.ts';
import { type Service, startService } from '../support/service.ts';

const toClose: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

const FINAL = ['succeeded', 'failed', 'rejected', 'cancelled', 'needs_review'];

test('callbacks are answered with 503 while PostgreSQL hangs, and a status check finds the result later', async () => {
  const service = await started({});
  const { id, token } = await pendingDisbursement(service);
  const client = new Client({ connectionString: service.ledger.url });
  await client.connect();
  toClose.push(() => client.end());
  await client.query('begin');
  await client.query('lock table relais.operation in access exclusive mode');

  await service.control('POST', `/disbursements/${token}`, { status: 'success' });
  const answers = await Promise.all(Array.from({ length: 20 }, () => callBack(service, id, 'status=success')));
  // PostgreSQL still hangs here: the answers did not wait for it.
  expect(answers).toEqual(answers.map(() => ({ status: 503, retryAfter: '30' })));

  await client.query('rollback');
  const body = await service.until(`/v1/disbursements/${id}`, ({ state }) => FINAL.includes(state));
  expect(body.state).toBe('succeeded');
  expect(await finalEventsOf(service, id)).toEqual(['disbursement.succeeded']);
  expect(await callBack(service, id, 'status=success')).toEqual({ status: 200 });
});

test('a forged success, with the right hash, pays nothing and reports nothing', async () => {
  const service = await started({ DISBURSEMENT_POLL: '10m' });
  const { id, token } = await pendingDisbursement(service);
  const hash = createHash('sha512').update(defaultCredentials.masterKey).digest('hex');
  const forged = `data[status]=success&data[token]=${token}&data[amount]=5000&data[hash]=${hash}`;
  expect(await callBack(service, id, forged)).toEqual({ status: 200 });
  // The resulting status check asked the provider itself.
  const { history, state } = await service.until(`/v1/disbursements/${id}`, (body) =>
    body.history.some(({ operation, detail }: { operation: string; detail?: string }) => {
      return operation === 'status' && detail === 'pending';
    }),
  );
  expect(history.map(({ operation, code }: { operation: string; code: string }) => `${operation} ${code}`)).toContain(
    'callback success',
  );
  expect(state).toBe('pending');
  expect(await finalEventsOf(service, id)).toEqual([]);
  expect(JSON.stringify(history)).not.toContain(hash.slice(0, 16));

  await service.control('POST', `/disbursements/${token}`, { status: 'failed' });
  await callBack(service, id, forged);
  await service.until(`/v1/disbursements/${id}`, (body) => FINAL.includes(body.state));
  expect(await finalEventsOf(service, id)).toEqual(['disbursement.failed']);
});

async function started(env: Readonly<Record<string, string>>): Promise<Service> {
  const service = await startService(env);
  toClose.push(() => service.stop());
  await service.control('POST', '/settings', { settleDelayMs: 3_600_000 });
  await service.control('POST', '/faults', { fault: 'never calls back' });
  return service;
}

/** The operator decides about it when the test allows it. */
async function pendingDisbursement(service: Service): Promise<{ id: string; token: string }> {
  const body = { accountAlias: '771234567', amount: 5_000, withdrawMode: 'wallet-a-senegal', reference: 'order-1' };
  const { id } = (await service.call('POST', '/v1/disbursements', { body })).body;
  const { token } = await service.until(`/v1/disbursements/${id}`, ({ state }) => state === 'pending');
  return { id, token };
}

async function callBack({ webhooks }: Service, id: string, body: string) {
  const path = callbackPath([new Secret('callback-secret')], { account: 'main', kind: 'disbursement', id });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await request(`${webhooks}${path}`, { method: 'POST', body, headers });
  await answer.body.dump();
  const retryAfter = answer.headers['retry-after'];
  return { status: answer.statusCode, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

async function finalEventsOf(service: Service, id: string): Promise<string[]> {
  const { body } = await service.published('/v1/events?limit=1000');
  const events = body.events as { type: string; data: { id: string; state: string } }[];
  return events.filter(({ data }) => data.id === id && FINAL.includes(data.state)).map(({ type }) => type);
}
