import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { defaultCredentials } from '../../src/sandbox/sandbox.ts';
import { type Service, startService } from '../support/service.ts';
import { actsOn } from '../support/stored.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ WORKER_CONCURRENCY: '2' });
});
afterEach(async () => {
  await service.control('DELETE', '/faults');
  await service.control('POST', '/settings', { latencyMs: 0 });
});
afterAll(() => service.stop());

const people = (count: number, first = 0): string =>
  ['numero', ...Array.from({ length: count }, (_, n) => `77${String(1_000_000 + first + n)}`)].join('\n');

let made = 0;
async function ready(count: number, more: object = {}): Promise<string> {
  made += 1;
  const body = { name: 'test', text: `Bonjour (${made})`, country: 'SN', reference: `pace-${made}`, ...more };
  const answer = await service.call('POST', '/v1/campaigns', { body });
  expect([answer.status, answer.body.problems]).toEqual([201, undefined]);
  const headers = { 'content-type': 'text/csv' };
  const file = people(count, made * 50_000);
  await service.call('POST', `/v1/campaigns/${answer.body.id}/recipients`, { body: file, headers });
  return answer.body.id;
}
const act = (id: string, action: string) => service.call('POST', `/v1/campaigns/${id}/${action}`);
const amend = (id: string, body: object) => service.call('PATCH', `/v1/campaigns/${id}`, { body });
const becomes = (id: string, wanted: string) => service.until(`/v1/campaigns/${id}`, ({ state }) => state === wanted);

test('the pace of a campaign is shown, and can change while it is sent', async () => {
  const id = await ready(200, { perSecond: 1, quietHours: '02:00-02:01', timezone: 'Africa/Abidjan', canary: false });
  const { body } = await service.call('GET', `/v1/campaigns/${id}`);
  expect(body).toMatchObject({
    perSecond: 1,
    quietHours: '02:00-02:01',
    timezone: 'Africa/Abidjan',
    canary: 0,
    sendAt: null,
  });
  await act(id, 'start');
  await service.until(`/v1/campaigns/${id}`, ({ totals }) => totals.sent === 50);
  const changed = await amend(id, { perSecond: 100_000, quietHours: false, pauseOnFailure: 20 });
  expect([changed.status, changed.body]).toMatchObject([
    200,
    { perSecond: 100_000, quietHours: false, pauseOnFailure: 20 },
  ]);
  expect((await becomes(id, 'finished')).totals.sent).toBe(200);
  expect((await amend(id, { perSecond: 5 })).status).toBe(409);
});

test.for([
  [{ perSecond: 0 }, '/perSecond'],
  [{ quietHours: '9-17' }, '/quietHours'],
  [{ timezone: 'Mars/Olympus' }, '/timezone'],
  [{ sendAt: 'tomorrow' }, '/sendAt'],
  [{ pauseOnFailure: 101 }, '/pauseOnFailure'],
] as const)('%o is refused by name', async ([more, pointer]) => {
  const body = { name: 'x', text: 'y', reference: `bad-${pointer}`, ...more };
  const answer = await service.call('POST', '/v1/campaigns', { body });
  expect([answer.status, answer.body.problems[0].pointer]).toEqual([422, pointer]);
});

describe('the quiet hours', () => {
  test('hold it with the reason, and name the way to send anyway', async () => {
    const id = await ready(10, { quietHours: '00:00-23:59' });
    await act(id, 'start');
    const held = await becomes(id, 'held');
    expect([held.reason, held.totals.queued]).toEqual(['quiet_hours', 10]);
    const { status, body } = await act(id, 'resume');
    expect([status, body.detail]).toEqual([409, expect.stringContaining('{"quietHours": false}')]);
    for (const action of ['pause', 'resume']) await act(id, action);
    expect((await actsOn(service, id)).slice(-2)).toEqual(['campaign.pause', 'campaign.resume']);
    await amend(id, { quietHours: false });
    expect((await becomes(id, 'finished')).totals.sent).toBe(10);
    const { body: story } = await service.call('GET', `/v1/explain/${id}`);
    expect(story.summary).toContain('has a final status');
  });
});

test('an account that is slowed down does not hold up another one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'relais-accounts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { smsUserKey, smsSecretKey, smsAppKey, smsSender } = defaultCredentials;
  const file = join(folder, 'accounts.json');
  writeFileSync(file, JSON.stringify({ other: { smsUserKey, smsSecretKey, smsAppKey, smsSender } }));
  const slow = await startService({ WORKER_CONCURRENCY: '4', UPSTREAM_RATE: '20', ACCOUNTS_FILE: file });
  onTestFinished(() => slow.stop());
  const make = async (account: string, count: number): Promise<string> => {
    const body = {
      name: account,
      text: `from ${account}`,
      country: 'SN',
      reference: account,
      account,
      canary: false,
    };
    const { body: campaign } = await slow.call('POST', '/v1/campaigns', { body });
    const headers = { 'content-type': 'text/csv' };
    await slow.call('POST', `/v1/campaigns/${campaign.id}/recipients`, { body: people(count), headers });
    return campaign.id;
  };
  const huge = await make('main', 20_000);
  const small = await make('other', 100);
  await slow.call('POST', `/v1/campaigns/${huge}/start`);
  await slow.until(`/v1/campaigns/${huge}`, ({ totals }) => totals.sent > 0);
  await slow.call('POST', `/v1/campaigns/${small}/start`);
  await slow.until(`/v1/campaigns/${small}`, ({ state }) => state === 'finished');
  const { body } = await slow.call('GET', `/v1/campaigns/${huge}`);
  expect(body.totals.queued).toBeGreaterThan(10_000);
});
