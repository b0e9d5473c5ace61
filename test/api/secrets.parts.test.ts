import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { type FreshRedis, freshRedis, keysLike } from '../support/fresh-redis.ts';
import { type RelaisProcess, startRelais } from '../support/relais-process.ts';

let store: FreshRedis;
let ledger: FreshLedger;
let sandbox: Sandbox;
let relais: RelaisProcess;
beforeAll(async () => {
  store = await freshRedis();
  ledger = await freshLedger({ isNew: true });
  sandbox = await startSandbox();
  relais = await startRelais(
    {
      DATABASE_URL: ledger.url,
      REDIS_URL: store.url,
      SERVICE_BASE_URL: sandbox.base,
      SERVICE_CRM_URL: sandbox.crm,
      SERVICE_MASTER_KEY: 'sandbox-master',
      SERVICE_PRIVATE_KEY: 'sandbox-private',
      SERVICE_TOKEN: 'sandbox-token',
      CALLBACK_SECRET: 'callback-secret-xyzzy',
      API_KEYS: 'all:enqueue+read+approve+operate:api-key-xyzzy',
      API_PORT: '0',
      WEBHOOKS_PORT: '0',
      UPSTREAM_TIMEOUT: '500ms',
      SOFTPAY_CARD: 'on',
      INVOICE_POLL: '100ms',
      SWEEP_INTERVAL: '50ms',
      LOG_LEVEL: 'trace',
    },
    'api,worker,webhooks',
  );
});
afterAll(async () => {
  await relais.stop();
  await sandbox.stop();
  await store.close();
  await ledger.close();
});

/** A payer's input. It must be gone after its request is answered. */
const planted = {
  card: '4242424242424242',
  declined: '4000000000000002',
  cvv: '97531',
  otp: 'OTP-864209',
  password: 'Password-Of-Awa-1',
  code: 'AUTH-753190',
};
const keys = ['sandbox-private', 'sandbox-token', 'sandbox-master', 'callback-secret-xyzzy', 'api-key-xyzzy'];

async function post(path: string, body: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(`${relais.urls['api']}${path}`, {
    method: 'POST',
    headers: { authorization: 'Bearer api-key-xyzzy', 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** Every text stored in PostgreSQL and Redis. */
async function everythingKept(): Promise<string> {
  const tables = await ledger.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'relais' and table_type = 'BASE TABLE'",
  );
  const rows = await Promise.all(
    tables.map(({ name }) => ledger.query(`select t::text as row from relais."${name}" t`)),
  );
  return JSON.stringify([rows, await everythingIn(store.redis)]);
}

async function everythingIn(redis: Redis): Promise<unknown[]> {
  const parts: unknown[] = [];
  for (const key of await keysLike(redis, '*')) {
    const type = await redis.type(key);
    parts.push(key);
    if (type === 'string') parts.push(await redis.get(key));
    else if (type === 'hash') parts.push(await redis.hgetall(key));
    else if (type === 'stream') parts.push(await redis.xrange(key, '-', '+'));
    else if (type === 'list') parts.push(await redis.lrange(key, 0, -1));
    else if (type === 'zset') parts.push(await redis.zrange(key, '0', '-1'));
    else parts.push(await redis.smembers(key));
  }
  return parts;
}

const customer = { name: 'Awa', email: 'awa@example.com' };
const withPhone = (phone: string) => ({ ...customer, phone });
const card = (number: string, cvv: string) => ({ number, cvv, expiryYear: '29', expiryMonth: '08' });

async function payEveryWay(id: string): Promise<number[]> {
  const pay = async (body: unknown) => (await post(`/v1/invoices/${id}/softpay`, body)).status;
  const orange = { method: 'wallet-a-ci', customer: withPhone('0709999902'), otp: planted.otp };
  const fault = (name: string) =>
    fetch(`${sandbox.control}/faults`, {
      method: 'POST',
      body: JSON.stringify({ fault: name, operation: 'softpay', count: 1 }),
    });
  const statuses = [
    await pay({ method: 'service', customer: withPhone('779999902'), password: planted.password }),
    await pay(orange),
    await pay({ ...orange, otp: '000000', password: planted.password }),
    await pay({ method: 'card', customer, card: card(planted.card, planted.cvv) }),
    await pay({ method: 'cash', customer, card: card(planted.card, '987'), otp: planted.otp }),
    await pay(`{"method":"card","card":{"number":"${planted.card}" oops`),
    await pay({ [planted.card]: planted.password }),
  ];
  await fault('resets the connection after doing the work');
  statuses.push(await pay(orange));
  await fault('answers 5xx before doing the work');
  statuses.push(await pay({ method: 'card', customer, card: card(planted.card, '987') }));
  const confirmation = { authorizationCode: planted.code, phone: '771234567', transactionId: 'tx-none' };
  statuses.push((await post(`/v1/invoices/${id}/softpay/confirm`, confirmation)).status);
  statuses.push(await pay({ method: 'card', customer, card: card(planted.declined, '987') }));
  return statuses;
}

test('a payer’s input is found nowhere afterwards: not in a store, not in a log, not in a metric', async () => {
  const created = await post('/v1/invoices', { totalAmount: 15_000, store: { name: 'x' }, reference: 'secrets' });
  const statuses = await payEveryWay(String(created.body['id']));
  expect(statuses).toEqual([200, 200, 422, 422, 422, 400, 422, 504, 502, 502, 502]);
  const refused = await post('/v1/invoices', {
    totalAmount: 1,
    store: { name: 'x' },
    customData: { note: planted.card },
    reference: 'card',
  });
  expect(refused.status).toBe(422);

  const kept = await everythingKept();
  expect(kept).toContain('softpay');
  // The log must have lines before the absence of secrets in it proves anything.
  await vi.waitFor(() => expect(relais.written()).toContain('attempt finished'), { timeout: 10_000 });
  const metrics = await (await fetch(`${relais.urls['metrics']}/metrics`)).text();
  for (const [what, value] of Object.entries(planted)) {
    expect(kept.includes(value), `${what} in the stores`).toBe(false);
    expect(relais.written().includes(value), `${what} in the log`).toBe(false);
    expect(metrics.includes(value), `${what} in the metrics`).toBe(false);
  }
  for (const key of keys) {
    expect(kept.includes(key), `${key} in the stores`).toBe(false);
    expect(relais.written().includes(key), `${key} in the log`).toBe(false);
  }
});
