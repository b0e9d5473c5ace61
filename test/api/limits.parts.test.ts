/** No limit is ever looser than the strictest requested value, unless two people agreed. */
import { Queue, QueueEvents } from 'bullmq';
import { afterEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { startRoles } from '../../src/app/run.ts';
import { createProducer } from '../../src/producer/producer.ts';
import { relaisSettings } from '../support/relais-settings.ts';
import { type Answer, KEYS, type Service, ask as askUrl, startService } from '../support/service.ts';

const toStop: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of toStop.splice(0).toReversed()) await stop();
});

async function started(env: Readonly<Record<string, string>> = {}): Promise<Service> {
  const service = await startService(env);
  toStop.push(() => service.stop());
  return service;
}

/** Another process on the same database, with its own environment file. */
async function another(service: Service, env: Readonly<Record<string, string>>, role: 'worker' | 'api' = 'api') {
  const config = loadConfig({
    ...relaisSettings({ ...service.sandbox, redisUrl: service.redisUrl, databaseUrl: service.ledger.url }),
    API_KEYS: KEYS,
    CALLBACK_SECRET: 'callback-secret',
    LOG_LEVEL: 'silent',
    ...env,
  });
  const running = await startRoles(config, [role]);
  toStop.push(() => running.stop());
  return running.urls;
}

const order = (reference: string, amount: number) => ({
  accountAlias: '771234567',
  amount,
  withdrawMode: 'wallet-a-senegal' as const,
  reference,
});

async function pay(url: string, reference: string, amount: number): Promise<string> {
  const { status, body } = await askUrl(`${url}/v1/disbursements`, 'POST', { body: order(reference, amount) });
  return status === 202 ? 'accepted' : `${status} ${body.detail}`;
}

const readyz = (url = ''): Promise<Answer> => askUrl(`${url}/readyz`, 'GET', { key: null });

async function limitOf(service: Service, name: string) {
  const { body } = await service.call('GET', '/v1/limits');
  return body.items.find((item: { name: string }) => item.name === name);
}

const set = (service: Service, value: unknown, key = 'maker-secret', name = 'MAX_DISBURSEMENT') =>
  service.call('POST', `/v1/limits/${name}`, { body: { value }, key });

const TOO_MUCH = /^422 .*MAX_DISBURSEMENT/;

test('a waiting payment is not approved above a limit that was lowered meanwhile', async () => {
  const service = await started({ APPROVAL_ABOVE: '1000' });
  const { body } = await service.call('POST', '/v1/disbursements', { body: order('waits', 900_000) });
  expect(body.state).toBe('awaiting_approval');
  expect((await set(service, 10_000)).status).toBe(200);
  const approve = () => service.call('POST', `/v1/disbursements/${body.id}/approve`, { key: 'checker-secret' });
  const refused = await approve();
  expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('MAX_DISBURSEMENT')]);
  expect((await service.call('GET', `/v1/disbursements/${body.id}`)).body.state).toBe('awaiting_approval');
  await set(service, 1_000_000);
  await set(service, 1_000_000, 'checker-secret');
  expect((await approve()).status).toBe(200);
});

describe('a process that starts', () => {
  test('without the setting takes no limit away', async () => {
    const service = await started({ MAX_DISBURSEMENT: '10000' });
    await another(service, {}, 'worker');
    expect(await pay(service.api, 'a', 900_000)).toMatch(TOO_MUCH);
  });

  test('with a looser setting, or none, uses the limit in force, and is not ready', async () => {
    const service = await started({ MAX_DISBURSEMENT: '10000' });
    for (const MAX_DISBURSEMENT of ['900000', 'off']) {
      const old = await another(service, { MAX_DISBURSEMENT });
      expect(await pay(old.api ?? '', `to-${MAX_DISBURSEMENT}`, 900_000)).toMatch(TOO_MUCH);
      const { status, body } = await readyz(old.metrics);
      expect([status, body.reasons]).toEqual([
        503,
        [expect.stringMatching(/MAX_DISBURSEMENT.*10.000.*relais limits set MAX_DISBURSEMENT/)],
      ]);
    }
    expect(await pay(service.api, 'a', 900_000)).toMatch(TOO_MUCH);
    expect((await readyz(service.metrics)).status).toBe(200);
  });

  test('with a stricter setting lowers the limit for all, and processes that ran before stay ready', async () => {
    const service = await started({ MAX_DISBURSEMENT: '10000' });
    const stricter = await another(service, { MAX_DISBURSEMENT: '5000' });
    expect(await pay(service.api, 'a', 5_001)).toMatch(TOO_MUCH);
    expect(await limitOf(service, 'MAX_DISBURSEMENT')).toMatchObject({ value: 5_000, by: 'settings of api' });
    expect((await readyz(service.metrics)).status).toBe(200);
    expect((await readyz(stricter.metrics)).status).toBe(200);
  });

  test('applies its own setting when the limits are lost, at each of its entry points', async () => {
    const service = await started({ MAX_DISBURSEMENT: '10000', DIRECT_CREDIT: 'on' });
    await service.ledger.query('delete from relais.limit_value');
    expect(await pay(service.api, 'a', 10_001)).toMatch(TOO_MUCH);

    const { body: lines } = await service.call('POST', '/v1/disbursements', {
      body: `${JSON.stringify(order('b', 10_001))}\n`,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(lines).toContain('(MAX_DISBURSEMENT)');

    const batch = await service.call('POST', '/v1/disbursement-batches', {
      body: JSON.stringify([order('c', 10_001)]),
      headers: { 'content-type': 'application/json' },
    });
    expect(batch.body).toMatchObject({ state: 'invalid', problems: [{ row: 1, column: 'amount' }] });

    const credit = { accountAlias: '771234567', amount: 10_001, reference: 'd' };
    expect((await service.call('POST', '/v1/direct-credits', { body: credit })).body.detail).toContain(
      'MAX_DISBURSEMENT',
    );

    const { host = '', port = 0, db = 0 } = service.redis.options;
    const options = { connection: { host, port, db }, prefix: '{relais}' };
    const [queue, events] = [new Queue('intake', options), new QueueEvents('intake', options)];
    toStop.push(() => Promise.all([queue.close(), events.close()]));
    await events.waitUntilReady();
    const job = await queue.add('request', { kind: 'disbursement', ...order('e', 10_001) });
    await expect(job.waitUntilFinished(events, 10_000)).rejects.toThrow('MAX_DISBURSEMENT');
  });
});

describe('for an unset limit', () => {
  test('the default holds, through the library too', async () => {
    const service = await started();
    expect(await pay(service.api, 'a', 2_000_001)).toMatch(TOO_MUCH);
    expect(await pay(service.api, 'b', 2_000_000)).toBe('accepted');
    const producer = createProducer({ redis: service.redisUrl });
    toStop.push(() => producer.close());
    await expect(producer.disburse(order('c', 2_000_001))).rejects.toThrow(/MAX_DISBURSEMENT/);
    expect(await limitOf(service, 'MAX_DISBURSEMENT')).toEqual({
      name: 'MAX_DISBURSEMENT',
      value: 2_000_000,
      since: null,
      by: null,
    });
  });
});

describe('a user', () => {
  test('makes a limit stricter alone, at once, through every entry point', async () => {
    const service = await started({ MAX_DISBURSEMENT: '10000' });
    const answer = await set(service, 5_000);
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { name: 'MAX_DISBURSEMENT', value: 5_000, by: 'maker' },
    ]);
    expect(await pay(service.api, 'a', 5_001)).toMatch(TOO_MUCH);
    const producer = createProducer({ redis: service.redisUrl });
    toStop.push(() => producer.close());
    await expect(producer.disburse(order('c', 5_001))).rejects.toThrow(/MAX_DISBURSEMENT/);
  });

  test('makes it looser only with another person who requests the same', async () => {
    const service = await started({ MAX_PER_DAY: '10000' });
    const looser = (value: number | null, key: string) => set(service, value, key, 'MAX_PER_DAY');
    const asked = await looser(20_000, 'maker-secret');
    expect([asked.status, asked.body]).toMatchObject([202, { value: 10_000, asked: { value: 20_000, by: 'maker' } }]);
    expect((await looser(20_000, 'maker-secret')).status).toBe(202);
    expect((await looser(30_000, 'checker-secret')).body).toMatchObject({ value: 10_000, asked: { value: 30_000 } });
    expect((await looser(null, 'maker-secret')).body).toMatchObject({ value: 10_000, asked: { value: null } });
    const done = await looser(null, 'checker-secret');
    expect([done.status, done.body]).toEqual([
      200,
      { name: 'MAX_PER_DAY', value: null, since: expect.any(String), by: 'maker and checker' },
    ]);
  });

  test('needs a limit and a value that there are', async () => {
    const service = await started();
    expect((await set(service, 1, 'maker-secret', 'MAX_SPEED')).status).toBe(404);
    for (const value of [0, -1, 1.5, '5', undefined, 1e15]) expect((await set(service, value)).status).toBe(422);
  });
});
