/** SMS costs are counted before SMS leave, and a budget stops at the exact SMS. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';

const toStop: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of toStop.splice(0).toReversed()) await stop();
});

const PRICE = 20;

async function started(env: Readonly<Record<string, string>>): Promise<Service> {
  const prices = join(await mkdtemp(join(tmpdir(), 'relais-prices-')), 'prices.json');
  await writeFile(prices, JSON.stringify({ SN: PRICE }));
  const service = await startService({ SMS_PRICES_FILE: prices, ...env });
  toStop.push(() => service.stop());
  return service;
}

const people = (count: number): string =>
  ['numero', ...Array.from({ length: count }, (_, n) => `77${String(1_000_000 + n)}`)].join('\n');

async function running(service: Service, count: number, more: object = {}): Promise<string> {
  const body = { name: 'test', text: 'Bonjour', country: 'SN', reference: 'november', ...more };
  const { body: made } = await service.call('POST', '/v1/campaigns', { body });
  const path = `/v1/campaigns/${made.id}`;
  const headers = { 'content-type': 'text/csv' };
  await service.call('POST', `${path}/recipients`, { body: people(count), headers });
  expect((await service.call('POST', `${path}/start`)).status).toBe(200);
  return path;
}

interface Booked {
  readonly to: string;
  readonly times: number;
}
async function sent(service: Service): Promise<number> {
  const items: Booked[] = await service.books('messages');
  expect(items.every(({ times }) => times === 1)).toBe(true);
  return items.length;
}

/** Whole XOF, of the month and of the day. */
async function counted({ ledger }: Service): Promise<number[]> {
  const rows = await ledger.query<{ cents: number }>(
    "select cents::int from relais.sms_cost where account = 'main' order by period",
  );
  return rows.map(({ cents }) => cents / 100);
}

const raise = async (service: Service, value: number, name = 'SMS_BUDGET_DAY') => {
  const asked = (key: string) => service.call('POST', `/v1/limits/${name}`, { body: { value }, key });
  return [(await asked('maker-secret')).status, (await asked('checker-secret')).status];
};

test('a campaign stops at the exact SMS, and resumes after two people have raised the budget', async () => {
  const service = await started({});
  const budget = { body: { value: 63 * PRICE + 7 } };
  expect((await service.call('POST', '/v1/limits/SMS_BUDGET_DAY', budget)).status).toBe(200);
  const path = await running(service, 120);
  const held = await service.until(path, ({ state }) => state === 'held');
  expect(held).toMatchObject({ reason: 'budget' });
  await service.until(path, ({ totals }) => totals.sending === 0);
  expect(await sent(service)).toBe(63);
  expect(await counted(service)).toEqual([63 * PRICE, 63 * PRICE]);
  const { body: accounts } = await service.call('GET', '/v1/accounts');
  expect(JSON.stringify(accounts)).toContain('"budget"');
  // A user resumes it: the budget is unchanged.
  await service.call('POST', `${path}/resume`);
  await service.until(path, ({ state }) => state === 'held');
  expect(await sent(service)).toBe(63);
  expect(await raise(service, 10_000)).toEqual([202, 200]);
  await service.until(path, ({ state }) => state === 'finished');
  expect(await sent(service)).toBe(120);
  expect(await counted(service)).toEqual([120 * PRICE, 120 * PRICE]);
});

test('the budget of a month holds beside that of a day', async () => {
  const service = await started({ SMS_BUDGET_DAY: '5000', SMS_BUDGET_MONTH: String(10 * PRICE) });
  const path = await running(service, 30);
  await service.until(path, ({ state, totals }) => state === 'held' && totals.sending === 0);
  expect(await sent(service)).toBe(10);
});

test('single messages and one-time passwords count, and wait', async () => {
  const service = await started({ SMS_BUDGET_DAY: String(3 * PRICE) });
  const ask = (text: string, lane: string) =>
    service.call('POST', '/v1/messages', { body: { to: '+221771234567', text, lane } });
  for (const [text, lane] of [
    ['one', 'normal'],
    ['two', 'otp'],
    ['x'.repeat(161), 'normal'],
  ] as const) {
    const { body } = await ask(text, lane);
    const path = `/v1/messages/${body.items[0].id}`;
    if (text.length < 10) await service.until(path, ({ state }) => state === 'sent');
    else await service.until('/v1/accounts', (all) => JSON.stringify(all).includes('"budget"'));
  }
  expect(await sent(service)).toBe(2);
  expect(await counted(service)).toEqual([2 * PRICE, 2 * PRICE]);
});

test('SMS that provably did not leave are given back', async () => {
  const service = await started({ SMS_BUDGET_DAY: String(20 * PRICE) });
  // A request refused because of one recipient is split.
  await service.control('POST', '/faults', {
    fault: 'answers a given code',
    code: 'ERROR_110',
    operation: 'sms.send',
    count: 1,
  });
  const path = await running(service, 20);
  await service.until(path, ({ state }) => state === 'finished');
  expect(await sent(service)).toBe(20);
  expect(await counted(service)).toEqual([20 * PRICE, 20 * PRICE]);
});

test('a worker that knows no price sends nothing under a budget', async () => {
  const service = await startService({});
  toStop.push(() => service.stop());
  await service.call('POST', '/v1/limits/SMS_BUDGET_DAY', { body: { value: 5_000 } });
  const path = await running(service, 3);
  expect(await service.until(path, ({ state }) => state === 'held')).toMatchObject({ reason: 'budget' });
  expect(await sent(service)).toBe(0);
});
