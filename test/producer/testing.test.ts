import { expect, test } from 'vitest';
import { InvalidRequest, Unconfirmed } from '../../src/producer/errors.ts';
import { fakeProducer } from '../../src/producer/testing.ts';
import { aCampaign, aDisbursement, aMessage } from './asking.ts';

test('requests are recorded as the caller wrote them', async () => {
  const producer = fakeProducer();
  const { id } = await producer.disburse(aDisbursement());
  await producer.sendMessages([aMessage()]);
  await producer.campaign(aCampaign());
  expect(producer.asked.map(({ kind }) => kind)).toEqual(['disbursement', 'message', 'campaign']);
  expect(producer.asked[0]).toEqual({ kind: 'disbursement', id, request: aDisbursement() });
});

test('the same request again is a duplicate with the same id, and is not asked twice', async () => {
  const producer = fakeProducer();
  const first = await producer.disburse(aDisbursement());
  expect(await producer.disburse(aDisbursement())).toEqual({ ...first, outcome: 'duplicate' });
  expect(producer.asked).toHaveLength(1);
});

test('a reference of another request is a conflict', async () => {
  const producer = fakeProducer();
  const { id } = await producer.disburse(aDisbursement());
  const other = await producer.disburse(aDisbursement({ amount: 6_000 }));
  expect(other).toEqual({ id, outcome: 'conflict', differs: ['/amount'] });
  // Another name: nothing else differs.
  const renamed = await producer.disburse(aDisbursement(), { idempotencyKey: 'another' });
  expect(renamed).toEqual({ id, outcome: 'conflict', differs: [] });
  expect(producer.asked).toHaveLength(1);
});

test('a key is one name however it is composed, and hides nothing', async () => {
  const producer = fakeProducer();
  const { reference: _, ...anonymous } = aDisbursement();
  const { id } = await producer.disburse(anonymous, { idempotencyKey: 'caf\u00e9' });
  expect(await producer.disburse(anonymous, { idempotencyKey: 'cafe\u0301' })).toEqual({ id, outcome: 'duplicate' });
  await expect(producer.disburse(anonymous, { idempotencyKey: 'caf\u200b\u00e9' })).rejects.toMatchObject({
    problems: [expect.objectContaining({ pointer: '/Idempotency-Key' })],
  });
});

test('a request that is not valid is refused with every problem and the place of each', async () => {
  const producer = fakeProducer();
  const refusal = producer.disburse({ ...aDisbursement(), amount: 1.5, colour: 'red' } as never);
  await expect(refusal).rejects.toThrow(InvalidRequest);
  await expect(refusal).rejects.toMatchObject({
    problems: expect.arrayContaining([
      expect.objectContaining({ pointer: '/amount' }),
      expect.objectContaining({ pointer: '/colour' }),
    ]),
  });
  expect(producer.asked).toEqual([]);
});

test('money without a reference or a key is refused', async () => {
  const { reference: _, ...anonymous } = aDisbursement();
  // @ts-expect-error -- neither a reference nor a key
  await expect(fakeProducer().disburse(anonymous)).rejects.toThrow(/reference is required/);
  expect(await fakeProducer().disburse(anonymous, { idempotencyKey: 'k' })).toMatchObject({ outcome: 'accepted' });
});

test('each message of a list has a verdict of its own', async () => {
  const producer = fakeProducer();
  const verdicts = await producer.sendMessages([aMessage(), aMessage({ to: '77' }), aMessage()]);
  expect(verdicts.map(({ index, outcome }) => [index, outcome])).toEqual([
    [0, 'accepted'],
    [1, 'invalid'],
    [2, 'accepted'],
  ]);
  expect(new Set(producer.asked.map(({ id }) => id)).size).toBe(2);
});

test('a service can be tested with an unreachable Redis', async () => {
  const producer = fakeProducer();
  producer.failNext(new Unconfirmed('unknown', new Error('Command timed out')));
  await expect(producer.disburse(aDisbursement())).rejects.toThrow(/may have been accepted: ask again/);
  expect(await producer.disburse(aDisbursement())).toMatchObject({ outcome: 'accepted' });
});
