import { afterAll, beforeAll, expect, test } from 'vitest';
import { examineRecords } from '../../src/app/examine/redis.ts';
import { Queries } from '../../src/operations/queries.ts';
import { type Service, startService } from '../support/service.ts';
import { keys } from '../../src/operations/keys.ts';
import { keysLike } from '../support/fresh-redis.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ SWEEP_INTERVAL: '10m' });
});
afterAll(() => service.stop());

const later = new Date(Date.now() + 3_600_000).toISOString();
let made = 0;
async function waiting(): Promise<string> {
  made += 1;
  const body = {
    accountAlias: '771234567',
    amount: 1_000 + made,
    withdrawMode: 'wallet-a-senegal',
    reference: `unreadable-${made}`,
    notBefore: later,
  };
  return (await service.call('POST', '/v1/disbursements', { body })).body.id;
}

/** Everything that Redis holds, to be compared. */
async function everything(): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const names = (await keysLike(service.redis, '*')).filter(
    (name) => !/^(?:api-rate|unreadable|heartbeat|workers|audit:seals|.*:meta)/.test(name),
  );
  for (const name of names) found[name] = (await service.redis.dumpBuffer(name))?.toString('base64') ?? '';
  return found;
}

test.for([
  ['of another version', { v: '2' }],
  ['with an amount that is none', { amount: 'x' }],
  ['in a state that there is not', { state: 'paid' }],
  ['with a count that is none', { rev: 'x' }],
] as const)('a record %s is one row that says so, and nobody acts on it', async ([, change]) => {
  const [good, bad] = [await waiting(), await waiting()];
  await service.redis.hset(`op:${bad}`, change);
  const { status, body } = await service.call('GET', '/v1/disbursements');
  expect(status).toBe(200);
  expect(body.items.find(({ id }: { id: string }) => id === bad)).toEqual({ id: bad, state: 'unreadable' });
  expect(body.items.find(({ id }: { id: string }) => id === good)).toMatchObject({ state: 'queued' });
  const one = await service.call('GET', `/v1/disbursements/${bad}`);
  expect([one.status, one.body]).toEqual([200, { id: bad, state: 'unreadable' }]);
  const before = await everything();
  for (const [act, asked] of [
    ['cancel', {}],
    ['approve', {}],
    ['resolve', { outcome: 'failed', note: 'seen there' }],
  ] as const) {
    const answer = await service.call('POST', `/v1/disbursements/${bad}/${act}`, {
      body: asked,
      key: 'checker-secret',
    });
    expect([act, answer.status, answer.body.type]).toEqual([act, 409, expect.stringMatching(/\/unreadable$/)]);
  }
  expect(await everything()).toEqual(before);
  expect((await service.call('GET', `/v1/disbursements/${bad}`, { key: 'stranger-secret' })).status).toBe(404);
});

test('doctor names each, until it can be read again', async () => {
  const bad = await waiting();
  await service.redis.hset(`op:${bad}`, 'v', '2');
  await service.call('GET', `/v1/disbursements/${bad}`);
  const told = async (): Promise<string> => JSON.stringify(await examineRecords(service.redis));
  expect(await told()).toContain(`${bad} cannot be read by this version: it is of version 2`);
  await service.redis.hset(`op:${bad}`, 'v', '1');
  expect(await told()).not.toContain(bad);
});

test('how many there are is counted', async () => {
  const answer = await fetch(`${service.metrics}/metrics`);
  expect(await answer.text()).toMatch(/relais_unreadable_records [1-9]/);
});

test.for([
  ['a record', { v: '2' }],
  ['one of a kind that there is not', { v: '2', kind: 'parcel' }],
] as const)('%s is counted for as long as it cannot be read, and no longer', async ([, change]) => {
  const bad = await waiting();
  const whole = await service.redis.hgetall(`op:${bad}`);
  // As each scrape does it.
  const counted = () => new Queries(service.redis).unreadable();
  const others = await counted();
  await service.redis.hset(`op:${bad}`, change);
  await service.call('GET', '/v1/disbursements');
  for (const _look of ['the first', 'the second']) expect(await counted()).toBe(others + 1);
  await service.redis.hset(`op:${bad}`, whole);
  expect(await counted()).toBe(others);
  // Another process, of the version before, may still not read it, and counts what is noted too.
  expect(await service.redis.sismember(keys.unreadable, bad)).toBe(1);
});
