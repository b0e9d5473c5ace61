import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ DEFAULT_COUNTRY: 'SN' });
  for (const [reference, text] of [
    ['s-1', 'Bonjour Awa, votre code est 884417'],
    ['s-2', 'Reponse A4F9K2 le 12'],
  ] as const) {
    await service.call('POST', '/v1/messages', { body: { to: AWA, text, reference } });
  }
  const isSent = ({ items }: { items: { state: string }[] }) =>
    items.length === 2 && items.every(({ state }) => state === 'sent');
  await service.until('/v1/messages', isSent);
});
afterAll(() => service.stop());

const AWA = '+221771234567';
const statistics = (query: string, key?: string) =>
  service.call('GET', `/v1/sms-statistics?${query}`, key === undefined ? {} : { key });

test('an SMS that the provider lists is returned with its code, without words that can be a one-time password', async () => {
  const { status, body } = await statistics(`phone=${encodeURIComponent('77 123 45 67')}`, 'reader-secret');
  expect(status).toBe(200);
  expect(body).toMatchObject({ account: 'main', startDate: null, endDate: null, invalid: [], notNamed: [] });
  const items = body.items.toSorted((a: { text: string }, b: { text: string }) => (a.text < b.text ? -1 : 1));
  expect(items).toEqual([
    { phone: AWA, outcome: 'sent', code: expect.any(String), text: 'Bonjour Awa, votre code est ••••' },
    { phone: AWA, outcome: 'sent', code: expect.any(String), text: 'Reponse •••• le 12' },
  ]);
});

test('a period is sent as the interface writes it, and decides what the provider lists', async () => {
  const { body } = await statistics(`phone=%2B221771234567&from=2020-01-01T02:00:00%2B02:00&to=2020-01-02T00:00:00Z`);
  expect(body).toMatchObject({ startDate: '2020-01-01 00:00:00', endDate: '2020-01-02 00:00:00', items: [] });
  expect(await service.books('breaches')).toEqual([]);
});

test('a number that the provider calls invalid is named as such', async () => {
  const { body } = await statistics('phone=%2B221779999904');
  expect([body.items, body.invalid, body.notNamed]).toEqual([[], ['+221779999904'], []]);
});

test.for([
  ['phone=12', '/phone'],
  ['phone=%2B221771234567&from=yesterday', '/from'],
  ['from=2020-01-01T00:00:00Z', '/phone'],
] as const)('%s is refused by name', async ([query, pointer]) => {
  const { status, body } = await statistics(query);
  expect([status, body.problems[0].pointer]).toEqual([422, pointer]);
});

test('an account that there is not is not found, and neither is one of somebody else', async () => {
  expect((await statistics('phone=%2B221771234567&account=nobody')).status).toBe(404);
  expect((await statistics('phone=%2B221771234567', 'stranger-secret')).status).toBe(404);
});

test('a refusal of the provider is reported with its code', async () => {
  await service.control('POST', '/faults', {
    fault: 'hangs before doing the work',
    operation: 'sms.stats',
    count: 1,
  });
  const { status, body } = await statistics('phone=%2B221771234567');
  expect([status, body.retryable]).toEqual([504, true]);
});
