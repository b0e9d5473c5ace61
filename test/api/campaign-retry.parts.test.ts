import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ WORKER_CONCURRENCY: '8' });
});
afterEach(async () => {
  await service.control('DELETE', '/faults');
  await service.control('POST', '/settings', { latencyMs: 0, smsMaxTextLength: 1_530 });
});
afterAll(() => service.stop());

/** Refused for the number itself: the sandbox answers ERROR_110 for the whole request. */
const POISON = '779999902';

let made = 0;
/** A campaign whose numbers no other test uses, started. */
async function started(people: readonly string[], more: object = {}): Promise<string> {
  made += 1;
  const body = { name: 'test', text: `Bonjour {{prenom}} (${made})`, country: 'SN', reference: `r-${made}`, ...more };
  const { id } = (await service.call('POST', '/v1/campaigns', { body })).body;
  const csv = ['numero;prenom', ...people.map((to, at) => `${to};Awa ${at}`)].join('\n');
  await service.call('POST', `/v1/campaigns/${id}/recipients`, {
    body: csv,
    headers: { 'content-type': 'text/csv' },
  });
  await service.call('POST', `/v1/campaigns/${id}/start`);
  return id;
}

const people = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `77${String(2_000_000 + made * 1_000 + at)}`);
const ended = (id: string) => service.until(`/v1/campaigns/${id}`, ({ state }) => state === 'finished');
const retry = (id: string, body: object = {}, headers: Record<string, string> = {}) =>
  service.call('POST', `/v1/campaigns/${id}/retry`, { body, headers });
const bins = ({ totals: { total, ...rest } }: { totals: Record<string, number> }): [number, number] => [
  total ?? 0,
  Object.values(rest).reduce((sum, count) => sum + count, 0),
];

interface Booked {
  readonly to: string;
  readonly text: string;
  readonly times: number;
}

async function booked(): Promise<Booked[]> {
  const messages = (await service.books('messages')) as Booked[];
  return messages.filter(({ text }) => text.endsWith(`(${made})`));
}
const sentTimes = async (): Promise<number[]> => (await booked()).map(({ times }) => times);

test('a poison number fails alone, and everybody else is texted once', async () => {
  const id = await started([...people(70), POISON, '761234567']);
  const done = await ended(id);
  expect(done.totals).toMatchObject({ total: 72, sent: 71, failed: 1 });
  expect(await sentTimes()).toEqual(Array.from({ length: 71 }, () => 1));
  const { items } = (await service.call('GET', `/v1/campaigns/${id}/recipients?state=failed`)).body;
  expect(items).toMatchObject([{ to: `+221${POISON}`, code: 'ERROR_110' }]);
});

test('the campaign tells how many of each country, and what became of them', async () => {
  const id = await started([...people(3), '+2250700000001', POISON]);
  expect((await ended(id)).countries).toEqual({
    SN: { recipients: 4, sent: 3, failed: 1, unknown: 0 },
    CI: { recipients: 1, sent: 1, failed: 0, unknown: 0 },
  });
});

describe('a retry', () => {
  /** The first time the text is too long for the service, for all of them alike. */
  const failedCampaign = async (count: number, more: object = {}): Promise<string> => {
    await service.control('POST', '/settings', { smsMaxTextLength: 1 });
    const id = await started(people(count), more);
    await ended(id);
    await service.control('POST', '/settings', { smsMaxTextLength: 1_530 });
    return id;
  };

  test('sends to those who failed, under the same campaign, and its end is told again', async () => {
    const id = await failedCampaign(3);
    expect((await service.call('GET', `/v1/campaigns/${id}`)).body.totals).toMatchObject({ failed: 3, sent: 0 });
    expect((await retry(id)).body).toMatchObject({ id, state: 'running', retries: 1 });
    const done = await ended(id);
    expect([done.totals, bins(done)]).toEqual([expect.objectContaining({ sent: 3, failed: 0 }), [3, 3]]);
    expect(done.countries).toEqual({ SN: { recipients: 3, sent: 3, failed: 0, unknown: 0 } });
    expect(await sentTimes()).toEqual([1, 1, 1]);
    const { events } = (await service.published('/v1/events?types=campaign.finished')).body;
    const own = events.filter(({ data }: { data: { id: string } }) => data.id === id);
    expect(own.map(({ data }: { data: object }) => data)).toMatchObject([
      { totals: { failed: 3 } },
      { totals: { sent: 3 }, retries: 1 },
    ]);
    expect(own[1].sequence).toBeGreaterThan(own[0].sequence);
  });

  test('asked for again under the same key does nothing again, and with nobody to send to says so', async () => {
    const id = await failedCampaign(3);
    const key = { 'idempotency-key': `retry-${made}` };
    await retry(id, {}, key);
    await ended(id);
    const again = await retry(id, {}, key);
    expect([again.status, again.headers['idempotency-replayed'], again.body.state]).toEqual([
      200,
      'true',
      'finished',
    ]);
    expect((await retry(id)).status).toBe(409);
    expect(await sentTimes()).toEqual([1, 1, 1]);
  });

  test('leaves out those who may have got it, unless it is asked for, and then says how many times more', async () => {
    await service.control('POST', '/faults', {
      fault: 'resets the connection before doing the work',
      operation: 'sms.send',
      count: 1,
    });
    const id = await started(people(5));
    expect((await ended(id)).totals).toMatchObject({ unknown: 5 });
    expect((await retry(id)).status).toBe(409);
    await retry(id, { includeUnknown: true });
    const done = await ended(id);
    expect([done.totals, done.resent, bins(done)]).toEqual([
      expect.objectContaining({ sent: 5, unknown: 0 }),
      5,
      [5, 5],
    ]);
  });

  test('can be paused, resumed and cancelled, and nobody is lost from the bins', async () => {
    const id = await failedCampaign(3);
    await service.control('POST', '/settings', { latencyMs: 200 });
    await retry(id);
    await service.call('POST', `/v1/campaigns/${id}/pause`);
    const paused = await service.until(`/v1/campaigns/${id}`, ({ totals }) => totals.sending === 0);
    expect(bins(paused)).toEqual([3, 3]);
    await service.call('POST', `/v1/campaigns/${id}/resume`);
    expect((await ended(id)).totals).toMatchObject({ sent: 3 });
    expect(await sentTimes()).toEqual([1, 1, 1]);
  });

  test('is refused while the campaign has not ended, and for a body that is not one', async () => {
    await service.control('POST', '/settings', { latencyMs: 300 });
    const id = await started(people(2));
    expect((await retry(id)).status).toBe(409);
    expect((await retry(id, { everybody: true })).status).toBe(422);
    await ended(id);
  });
});

describe('onUnknown: resend', () => {
  test('nobody is left in doubt, and what went out twice is counted', async () => {
    await service.control('POST', '/faults', {
      fault: 'resets the connection before doing the work',
      operation: 'sms.send',
      count: 2,
    });
    const id = await started(people(120), { onUnknown: 'resend' });
    const done = await ended(id);
    expect(done.totals).toMatchObject({ total: 120, sent: 120, unknown: 0 });
    const posts = (await sentTimes()).reduce((sum, times) => sum + times, 0);
    expect(done.resent).toBeGreaterThanOrEqual(posts - 120);
    expect(done.resent).toBeGreaterThan(0);
  });

  test('a text that did go out and is not shown yet goes out again, and its row says so', async () => {
    await service.control('POST', '/settings', { statsLagMs: 60_000 });
    await service.control('POST', '/faults', {
      fault: 'resets the connection after doing the work',
      operation: 'sms.send',
      count: 1,
    });
    const id = await started(people(2), { onUnknown: 'resend' });
    const done = await ended(id);
    await service.control('POST', '/settings', { statsLagMs: 0 });
    expect([done.totals.sent, done.resent, await sentTimes()]).toEqual([2, 2, [2, 2]]);
    const { items } = (await service.call('GET', `/v1/campaigns/${id}/recipients`)).body;
    expect(items).toMatchObject([
      { state: 'sent', resent: 1 },
      { state: 'sent', resent: 1 },
    ]);
  });
});
