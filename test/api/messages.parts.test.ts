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

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

test('a scheduled message is not sent before its time', async () => {
  const sendAt = inMs(1_500);
  const { body } = await send({ to: number(20), text: 'later', sendAt });
  const { id } = body.items[0];
  expect((await service.call('GET', `/v1/messages/${id}`)).body).toMatchObject({ state: 'queued', sendAt });
  const { sentAt } = await service.until(`/v1/messages/${id}`, ({ state }) => state === 'sent');
  expect(Date.parse(sentAt)).toBeGreaterThanOrEqual(Date.parse(sendAt));
});

test('the time of a message is part of its request, and comes before its end', async () => {
  const [sendAt, expiresAt] = [inMs(3_600_000), inMs(3_000_000)];
  const wrong = await send({ to: number(21), text: 'x', sendAt, expiresAt });
  expect([wrong.status, wrong.body.problems]).toEqual([
    422,
    [{ pointer: '/expiresAt', message: 'must be later than sendAt' }],
  ]);
  const asked = { to: number(21), text: 'x', reference: 'scheduled-1' };
  await send({ ...asked, sendAt });
  expect((await send({ ...asked, sendAt })).body.items[0].outcome).toBe('duplicate');
  const other = await send(asked);
  expect([other.status, other.body.differs]).toEqual([409, ['/sendAt']]);
});

test('a scheduled message is cancelled while it is queued, with an event, and is never sent', async () => {
  const { body } = await send({ to: number(22), text: 'never', sendAt: inMs(3_600_000), reference: 'scheduled-2' });
  const { id } = body.items[0];
  const cancel = (key?: string) =>
    service.call('POST', `/v1/messages/${id}/cancel`, key === undefined ? {} : { key });
  expect([(await cancel('reader-secret')).status, (await cancel('stranger-secret')).status]).toEqual([403, 404]);
  for (const answer of [await cancel(), await cancel()]) {
    expect([answer.status, answer.body.state]).toEqual([200, 'cancelled']);
  }
  const { events } = (await service.published('/v1/events?types=message.cancelled')).body;
  const data = events.map((event: { data: object }) => event.data);
  expect(data).toEqual([{ id, state: 'cancelled', reference: 'scheduled-2' }]);
  const [line] = (await service.call('GET', '/v1/audit')).body.items;
  expect(line).toMatchObject({ act: 'message.cancel', target: id });
});

test('a message that was sent is not cancelled', async () => {
  const { body } = await send({ to: number(23), text: 'now' });
  const { id } = body.items[0];
  await service.until(`/v1/messages/${id}`, ({ state }) => state === 'sent');
  const refused = await service.call('POST', `/v1/messages/${id}/cancel`);
  expect([refused.status, refused.body.state]).toEqual([409, 'sent']);
});
