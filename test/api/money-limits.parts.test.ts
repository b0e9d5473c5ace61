import { afterEach, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';
import { dueAt } from '../support/stored.ts';

let service: Service | undefined;
afterEach(async () => {
  await service?.stop();
  service = undefined;
});

const asked = (reference: string, more: object = {}) => ({
  body: { accountAlias: '771234567', amount: 10_000, withdrawMode: 'wallet-a-senegal', reference, ...more },
});

async function ask(api: Service, reference: string, more: object = {}): Promise<string> {
  const { status, body } = await api.call('POST', '/v1/disbursements', asked(reference, more));
  return status === 202 ? body.state : `${status} ${body.detail}`;
}

test('the same payment within DUPLICATE_WINDOW is refused, naming the first, unless it is meant', async () => {
  service = await startService({ DUPLICATE_WINDOW: '10m' });
  const first = await service.call('POST', '/v1/disbursements', asked('a'));
  expect(await ask(service, 'b')).toContain(first.body.id);
  expect(await ask(service, 'b', { allowDuplicate: true })).toBe('queued');
  expect(await ask(service, 'c', { amount: 9_999 })).toBe('queued');
});

test('above APPROVAL_ABOVE nothing is sent before a different person has approved', async () => {
  service = await startService({ APPROVAL_ABOVE: '9999' });
  const { body } = await service.call('POST', '/v1/disbursements', asked('a'));
  expect(body.state).toBe('awaiting_approval');
  const approve = (key: string) => service?.call('POST', `/v1/disbursements/${body.id}/approve`, { key });
  expect((await approve('maker-secret'))?.status).toBe(403);
  expect((await approve('reader-secret'))?.status).toBe(403);
  expect((await approve('stranger-secret'))?.status).toBe(404);
  expect((await service.books('summary')).disbursements).toBe(0);
  expect((await approve('checker-secret'))?.status).toBe(200);
  await service.until(`/v1/disbursements/${body.id}`, ({ state }) => state === 'succeeded');
  expect((await service.books('summary')).effects).toBe(1);
  expect(await ask(service, 'b', { amount: 9_999 })).toBe('queued');
});

test('a stopped account sends nothing until it is released', async () => {
  service = await startService();
  await service.call('POST', '/v1/accounts/main/stop');
  const { body } = await service.call('POST', '/v1/disbursements', asked('a'));
  const { items } = (await service.call('GET', '/v1/accounts')).body;
  expect(items[0].held).toMatchObject([{ area: 'payments', reason: 'stopped' }]);
  const events = (await service.published('/v1/events')).body.events;
  expect(events.map(({ type }: { type: string }) => type)).toEqual(['account.held']);
  expect((await service.call('GET', `/v1/disbursements/${body.id}`)).body.state).toBe('queued');
  await service.call('POST', '/v1/accounts/main/release');
  await service.until(`/v1/disbursements/${body.id}`, ({ state }) => state === 'succeeded');
});

test('an approval pays no earlier than was asked', async () => {
  service = await startService({ APPROVAL_ABOVE: '9999' });
  const notBefore = new Date(Date.now() + 3_600_000).toISOString();
  const { body } = await service.call('POST', '/v1/disbursements', asked('later', { notBefore }));
  await service.call('POST', `/v1/disbursements/${body.id}/approve`, { key: 'checker-secret' });
  const due = Number(await dueAt(service, body.id));
  expect(Math.abs(due - Date.parse(notBefore))).toBeLessThan(60_000);
  expect((await service.books('summary')).disbursements).toBe(0);
});

test('a payment scheduled later than the time limit does not expire before it begins', async () => {
  service = await startService({ DISBURSEMENT_LIMIT: '4s' });
  const notBefore = new Date(Date.now() + 5_500).toISOString();
  const { body } = await service.call('POST', '/v1/disbursements', asked('much-later', { notBefore }));
  const done = await service.until(`/v1/disbursements/${body.id}`, ({ state }) => state !== 'queued');
  expect(done.state).not.toBe('rejected');
});

test('a wake-up that comes too early sends nothing', async () => {
  service = await startService();
  const notBefore = new Date(Date.now() + 3_600_000).toISOString();
  const { body } = await service.call('POST', '/v1/disbursements', asked('early', { notBefore }));
  await service.ledger.query(`update relais.operation set due_at = now() where id = '${body.id}'`);
  const early = await service.until(
    `/v1/disbursements/${body.id}`,
    ({ updatedAt, createdAt }) => updatedAt > createdAt,
  );
  expect(early.state).toBe('queued');
  expect((await service.books('summary')).disbursements).toBe(0);
});
