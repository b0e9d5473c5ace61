import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  // The lease is two seconds: a time-out of the service is half of one.
  service = await startService({ UPSTREAM_TIMEOUT: '500ms', UPSTREAM_CONNECT_TIMEOUT: '500ms' });
});
afterEach(async () => {
  await service.control('DELETE', '/faults');
  for (const { name } of (await service.call('GET', '/v1/accounts')).body.items) {
    await service.call('POST', `/v1/accounts/${name}/release`);
  }
});
afterAll(() => service.stop());

const fault = (name: string, operation: string, more: object = {}) =>
  service.control('POST', '/faults', { fault: name, operation, count: 1, ...more });

let made = 0;
async function pay(): Promise<{ id: string; disburseId: string }> {
  made += 1;
  const body = {
    accountAlias: '771234567',
    amount: 1_000 + made,
    withdrawMode: 'wallet-a-senegal',
    reference: `f${made}`,
  };
  return (await service.call('POST', '/v1/disbursements', { body })).body;
}

const ended = (id: string) =>
  service.until(`/v1/disbursements/${id}`, ({ state }) =>
    ['succeeded', 'failed', 'rejected', 'needs_review'].includes(state),
  );

async function booked(disburseId: string): Promise<{ effects: number; submits: number }[]> {
  const books = await service.books('disbursements');
  const entries = (Array.isArray(books) ? books : books.items) as {
    disburseId: string;
    effects: number;
    submits: number;
  }[];
  return entries.filter((entry) => entry.disburseId === disburseId);
}

async function eventsOf(id: string): Promise<string[]> {
  const { events } = (await service.published('/v1/events?limit=1000')).body;
  return events
    .filter(({ data }: { data: { id: string } }) => data.id === id)
    .map(({ type }: { type: string }) => type);
}

describe('a submit whose answer is lost after it took effect is paid once and reported as paid', () => {
  test.for([
    'hangs after doing the work',
    'resets the connection after doing the work',
    'closes the connection after doing the work',
    'answers 5xx after doing the work',
    'answers 5000 after doing the work',
    'answers an unknown code',
    'cuts its JSON',
    'answers HTML',
    'answers empty',
  ])('%s', async (name) => {
    await fault(name, 'disbursement.submit');
    const { id, disburseId } = await pay();
    expect((await ended(id)).state).toBe('succeeded');
    expect(await booked(disburseId)).toMatchObject([{ effects: 1, submits: 1 }]);
    expect(await eventsOf(id)).toEqual(['disbursement.succeeded']);
  });
});

describe('a submit that was lost before it took effect is sent again, with the same token and disburse_id', () => {
  test.for([
    'resets the connection before doing the work',
    'answers 5xx before doing the work',
    'answers 5000 before doing the work',
  ])('%s', async (name) => {
    await fault(name, 'disbursement.submit');
    const { id, disburseId } = await pay();
    const done = await ended(id);
    expect(done.state).toBe('succeeded');
    expect(await booked(disburseId)).toMatchObject([{ effects: 1 }]);
    expect(done.history.filter(({ code }: { code: string }) => code === 'intended')).toHaveLength(2);
    expect(await eventsOf(id)).toEqual(['disbursement.succeeded']);
  });
});

test('a failed disbursement is reported as failed, and nobody was paid', async () => {
  await fault('fails the disbursement', 'disbursement.submit');
  const { id, disburseId } = await pay();
  expect((await ended(id)).state).toBe('failed');
  expect((await booked(disburseId)).map(({ effects }) => effects)).toEqual([0]);
  expect(await eventsOf(id)).toEqual(['disbursement.failed']);
});

test('a callback that overtakes its own answer completes the disbursement once', async () => {
  await service.control('POST', '/faults', {
    fault: 'calls back early',
    operation: 'disbursement.callback',
    count: 1,
  });
  const { id, disburseId } = await pay();
  expect((await ended(id)).state).toBe('succeeded');
  expect((await booked(disburseId)).map(({ effects }) => effects)).toEqual([1]);
  expect(await eventsOf(id)).toEqual(['disbursement.succeeded']);
});

test('an answer about another amount needs a person, and is told once', async () => {
  await service.control('POST', '/faults', { fault: 'reports another amount', operation: 'disbursement.status' });
  const { id } = await pay();
  expect(await ended(id)).toMatchObject({ state: 'needs_review', reason: 'mismatch_amount' });
  expect(await eventsOf(id)).toEqual(['disbursement.needs_review']);
  const { items } = (await service.call('GET', '/v1/review')).body;
  expect(items.map((item: { id: string }) => item.id)).toContain(id);
});

test('while nobody listens, nothing is lost; when the service is back, it is paid once', async () => {
  const { id: faultId } = await service.control('POST', '/faults', { fault: 'refuses the connection' });
  const { id, disburseId } = await pay();
  await service.until(`/v1/disbursements/${id}`, ({ history }) => history.length > 0);
  await service.control('DELETE', `/faults/${faultId}`);
  expect((await ended(id)).state).toBe('succeeded');
  expect((await booked(disburseId)).map(({ effects }) => effects)).toEqual([1]);
});
