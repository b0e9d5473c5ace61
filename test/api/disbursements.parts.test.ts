import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const asked = (more: object = {}) => ({
  accountAlias: '771234567',
  amount: 25_000,
  withdrawMode: 'wallet-a-senegal',
  ...more,
});

const paid = async (reference: string): Promise<unknown[]> => {
  const { body } = await service.call('GET', `/v1/disbursements?reference=${reference}`);
  const [{ disburseId }] = body.items;
  const books = await service.books('disbursements');
  return books.filter((entry: { disburseId: string }) => entry.disburseId === disburseId);
};

test('a disbursement is paid and reported one time', async () => {
  const created = await service.call('POST', '/v1/disbursements', { body: asked({ reference: 'once' }) });
  expect(created.status).toBe(202);
  const done = await service.until(`/v1/disbursements/${created.body.id}`, ({ state }) => state === 'succeeded');
  expect(done).toMatchObject({ amount: 25_000, reference: 'once', reason: null });
  expect(await paid('once')).toMatchObject([{ effects: 1, amount: 25_000, accountAlias: '771234567' }]);
  const { body } = await service.published('/v1/events?types=disbursement.succeeded');
  expect(body.events.filter((event: { data: { id: string } }) => event.data.id === created.body.id)).toHaveLength(1);
});

describe('identity', () => {
  test('a repeated request gets the same answer, marked as a repetition', async () => {
    const first = await service.call('POST', '/v1/disbursements', { body: asked({ reference: 'twice' }) });
    const again = await service.call('POST', '/v1/disbursements', { body: asked({ reference: 'twice' }) });
    expect([again.status, again.body.id]).toEqual([202, first.body.id]);
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  test('the same reference under another key is a conflict that names the operation', async () => {
    const body = asked({ reference: 'two-keys' });
    const first = await service.call('POST', '/v1/disbursements', { body, headers: { 'idempotency-key': 'k1' } });
    const other = await service.call('POST', '/v1/disbursements', { body, headers: { 'idempotency-key': 'k2' } });
    expect([first.status, other.status, other.body.existingId]).toEqual([202, 409, first.body.id]);
  });

  test('without a key or a reference the request is refused, since a retry could not be recognised', async () => {
    const { status, body } = await service.call('POST', '/v1/disbursements', { body: asked() });
    expect([status, body.type]).toEqual([400, expect.stringMatching(/no-identity$/)]);
  });
});

describe('bad input is refused with its place, and leaves no trace', () => {
  beforeAll(async () => {
    const over = ({ state }: { state: string }): boolean => state === 'succeeded';
    await service.until('/v1/disbursements?limit=500', ({ items }) => items.every(over));
  });

  const cases: readonly (readonly [what: string, body: object, pointer: string])[] = [
    ['a decimal amount', asked({ amount: 10.5 }), '/amount'],
    ['a negative amount', asked({ amount: -5 }), '/amount'],
    ['nothing', asked({ amount: 0 }), '/amount'],
    ['an amount in quotes', asked({ amount: '25000' }), '/amount'],
    ['more than there is', asked({ amount: 1e13 }), '/amount'],
    ['an unknown mode', asked({ withdrawMode: 'wallet-z-senegal' }), '/withdrawMode'],
    ['a look-alike of a mode', asked({ withdrawMode: 'wallet-f-burkina' }), '/withdrawMode'],
    ['a number that its mode does not pay', asked({ accountAlias: '0701020304' }), '/accountAlias'],
    ['a number of another country', asked({ accountAlias: '+2250701020304' }), '/accountAlias'],
    ['a debit account with a wallet', asked({ debitAccountNumber: 'BBJ0123456789' }), '/debitAccountNumber'],
    ['an unknown field', asked({ callback_url: 'https://evil.example' }), '/callback_url'],
    ['an unknown account', asked({ account: 'nobody' }), '/account'],
    ['a date that is none', asked({ notBefore: 'tomorrow' }), '/notBefore'],
  ];
  test.for(cases)('%s', async ([, body, pointer], { expect: check }) => {
    const before = await service.books('summary');
    const answer = await service.call('POST', '/v1/disbursements', {
      body: { ...body, reference: `bad ${pointer}` },
    });
    check(answer.status).toBe(422);
    check(answer.body.problems.map((problem: { pointer: string }) => problem.pointer)).toContain(pointer);
    check(
      (await service.call('GET', `/v1/disbursements?reference=bad ${encodeURIComponent(pointer)}`)).body.items,
    ).toEqual([]);
    check((await service.books('summary')).disbursements).toBe(before.disbursements);
  });

  test('every problem is named at once', async () => {
    const { body } = await service.call('POST', '/v1/disbursements', { body: { amount: 'x', withdrawMode: 7 } });
    expect(body.problems.map((problem: { pointer: string }) => problem.pointer)).toEqual(
      expect.arrayContaining(['/accountAlias', '/amount', '/withdrawMode']),
    );
  });
});

describe('cancel', () => {
  test('a payment that is not due can be cancelled, and is never sent', async () => {
    const notBefore = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await service.call('POST', '/v1/disbursements', {
      body: asked({ reference: 'later', notBefore }),
    });
    const cancelled = await service.call('POST', `/v1/disbursements/${body.id}/cancel`);
    expect([cancelled.status, cancelled.body.state]).toEqual([200, 'cancelled']);
    expect((await service.call('POST', `/v1/disbursements/${body.id}/cancel`)).body.state).toBe('cancelled');
    expect(await paid('later')).toEqual([]);
  });

  test('a submitted payment cannot be cancelled', async () => {
    const { body } = await service.call('POST', '/v1/disbursements', { body: asked({ reference: 'too-late' }) });
    await service.until(`/v1/disbursements/${body.id}`, ({ state }) => state === 'succeeded');
    const { status, body: problem } = await service.call('POST', `/v1/disbursements/${body.id}/cancel`);
    expect([status, problem.state]).toEqual([409, 'succeeded']);
  });
});

test('a mode that the provider added since is accepted if configured, and is sent unchanged', async () => {
  const later = await startService({ EXTRA_WITHDRAW_MODES: 'wallet-b-mali' });
  const body = asked({ reference: 'new-mode', withdrawMode: 'wallet-b-mali', accountAlias: '+22370123456' });
  const accepted = await later.call('POST', '/v1/disbursements', { body });
  expect([accepted.status, accepted.body.accountAlias]).toEqual([202, '70123456']);
  // The sandbox knows only the modes of the interface, and refuses others with its documented code.
  const ended = await later.until(`/v1/disbursements/${accepted.body.id}`, ({ state }) => state === 'rejected');
  expect(ended.reason).toBe('1001');
  await later.stop();
});
