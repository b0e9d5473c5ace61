import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';
import { actsOn } from '../support/stored.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ WORKER_CONCURRENCY: '8' });
});
afterEach(async () => {
  await service.control('DELETE', '/faults');
  await service.control('POST', '/settings', { latencyMs: 0, smsMaxTextLength: 1_530 });
});
afterAll(() => service.stop());

/** Refused because of the number: the sandbox answers ERROR_110 for the whole request. */
const POISON = '779999902';

let made = 0;
/** A started campaign whose numbers no other test uses. */
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

test('the campaign shows recipients and results by country', async () => {
  const id = await started([...people(3), '+2250700000001', POISON]);
  expect((await ended(id)).countries).toEqual({
    SN: { recipients: 4, sent: 3, failed: 1, unknown: 0 },
    CI: { recipients: 1, sent: 1, failed: 0, unknown: 0 },
  });
});

describe('a retry', () => {
  /** At first the provider refuses the text as too long, for all recipients. */
  const failedCampaign = async (count: number, more: object = {}): Promise<string> => {
    await service.control('POST', '/settings', { smsMaxTextLength: 1 });
    const id = await started(people(count), more);
    await ended(id);
    await service.control('POST', '/settings', { smsMaxTextLength: 1_530 });
    return id;
  };

  test('repeated under the same key has no effect, and without recipients is refused with the reason', async () => {
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
    expect((await actsOn(service, id)).filter((act) => act === 'campaign.retry')).toHaveLength(1);
    expect(await sentTimes()).toEqual([1, 1, 1]);
  });

  test('leaves out recipients who may have got it, unless requested, and then reports the number of resends', async () => {
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

  test('is refused while the campaign has not ended, and for a body that is not one', async () => {
    await service.control('POST', '/settings', { latencyMs: 300 });
    const id = await started(people(2));
    expect((await retry(id)).status).toBe(409);
    expect((await retry(id, { everybody: true })).status).toBe(422);
    await ended(id);
  });
});
