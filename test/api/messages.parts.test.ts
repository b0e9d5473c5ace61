import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
let before: { requests: Record<string, number>; messagesSent: number };
beforeEach(async () => {
  before = await service.books('summary');
});
afterEach(() => service.control('DELETE', '/faults'));
afterAll(() => service.stop());

const send = (body: unknown, headers: Record<string, string> = {}) =>
  service.call('POST', '/v1/messages', { body, headers });
const sent = async (): Promise<number> => (await service.books('summary')).messagesSent - before.messagesSent;
const requests = async (): Promise<number> =>
  (await service.books('summary')).requests['sms.send'] - (before.requests['sms.send'] ?? 0);
const number = (n: number): string => `+22177${1_000_000 + n}`;

test('messages that come together leave together, fifty to a request', async () => {
  const { status, body } = await send(Array.from({ length: 120 }, (_, n) => ({ to: number(n), text: `n ${n}` })));
  expect(status).toBe(202);
  for (const { id } of body.items) await service.until(`/v1/messages/${id}`, ({ state }) => state === 'sent');
  expect([await requests(), await sent(), (await service.books('summary')).messagesRepeated]).toEqual([3, 120, 0]);
});

test('each message has its own verdict, and a bad one stops no other', async () => {
  const { body } = await send([
    { to: '771234567', text: 'x' },
    { to: number(1), text: '' },
    { to: number(2), text: 'ok' },
  ]);
  expect(body.items.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['invalid', 'invalid', 'accepted']);
  expect(body.items[0].problem[0].pointer).toBe('/to');
  await service.until(`/v1/messages/${body.items[2].id}`, ({ state }) => state === 'sent');
});

test('a reference makes a retry the same message', async () => {
  const first = await send({ to: number(3), text: 'once', reference: 'm-1' });
  const again = await send({ to: number(3), text: 'once', reference: 'm-1' });
  const other = await send({ to: number(3), text: 'twice', reference: 'm-1' });
  expect([again.body.items[0].outcome, again.body.items[0].id]).toEqual(['duplicate', first.body.items[0].id]);
  expect([other.status, other.body.existingId]).toEqual([409, first.body.items[0].id]);
  await service.until(`/v1/messages/${first.body.items[0].id}`, ({ state }) => state === 'sent');
  expect(await sent()).toBe(1);
  const { events } = (await service.published('/v1/events?types=message.sent&limit=1000')).body;
  const told = events.find(({ data }: { data: { id: string } }) => data.id === first.body.items[0].id);
  expect(told.data).toEqual({ id: first.body.items[0].id, state: 'sent', code: '00', reference: 'm-1' });
});
