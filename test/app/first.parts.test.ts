import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';
let service: Service;
beforeAll(async () => {
  service = await startService({ LOG_LEVEL: 'info' });
});
afterAll(() => service?.stop());
test('a payment', async () => {
  const made = await service.call('POST', '/v1/disbursements', {
    body: { accountAlias: '771234567', amount: 25000, withdrawMode: 'wallet-a-senegal', reference: 'a' },
  });
  console.log(made.status, made.body);
  const done = await service.until(`/v1/disbursements/${made.body.id}`, (b) => b.state === 'succeeded');
  console.log(done);
  expect((await service.call('GET', '/v1/events')).body.events.length).toBeGreaterThan(0);
});
