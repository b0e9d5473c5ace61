/** Two systems with one SMS login end each other's sessions: SMS wait, and the status shows the reason. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ HOLD_RECHECK: '1s' });
});
afterAll(() => service.stop());

test('a campaign whose bearers are refused shows why and until when, promises no end, and resumes automatically', async () => {
  const { id: fault } = await service.control('POST', '/faults', {
    fault: 'answers a given code',
    code: 'ERROR_122',
    operation: 'sms.send',
  });
  const made = { name: 'N', text: 'Bonjour', reference: 'contested' };
  const { id } = (await service.call('POST', '/v1/campaigns', { body: made })).body;
  const upload = { body: 'to\n+221771234567\n', headers: { 'content-type': 'text/csv' } };
  await service.call('POST', `/v1/campaigns/${id}/recipients`, upload);
  await service.call('POST', `/v1/campaigns/${id}/start`);

  const held = await service.until(`/v1/campaigns/${id}`, ({ reason }) => reason === 'login_contested');
  expect(held).toMatchObject({ state: 'running', eta: null, heldUntil: expect.stringMatching(/Z$/) });
  expect(Date.parse(held.heldUntil)).toBeLessThanOrEqual(Date.now() + 1_000);
  const { body } = await service.call('GET', '/v1/status');
  expect(body.holds).toMatchObject([
    { area: 'messaging', reason: 'login_contested', until: expect.stringMatching(/Z$/), count: 1 },
  ]);
  const told = (await service.call('GET', `/v1/explain/${id}`)).body;
  expect(told).toMatchObject({ summary: expect.stringContaining('another system may be using the same login') });
  expect(told.next).not.toContain('Check the keys');

  await service.control('DELETE', `/faults/${fault}`);
  const over = await service.until(`/v1/campaigns/${id}`, ({ state }) => state === 'finished');
  expect([over.reason, over.totals.sent]).toEqual([null, 1]);
  await service.until('/v1/status', ({ holds }) => holds.length === 0);
});
