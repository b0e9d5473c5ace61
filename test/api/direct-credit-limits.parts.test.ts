import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CollectService, startCollectService } from '../support/collect-service.ts';

let service: CollectService;
beforeAll(async () => {
  service = await startCollectService({
    DIRECT_CREDIT: 'on',
    MAX_DISBURSEMENT: '40000',
    APPROVAL_ABOVE: '20000',
    MAX_PER_BENEFICIARY_DAY: '30000',
    DUPLICATE_WINDOW: '1h',
  });
});
afterAll(() => service.stop());

const credit = (reference: string, amount: number, more: object = {}) =>
  service.post('/v1/direct-credits', { accountAlias: '771234567', amount, reference, ...more });
const refusedBy = (body: { problems: { message: string }[] }) =>
  /\(([A-Z_]+)\)/.exec(body.problems[0]?.message ?? '')?.[1];

test('the limits of money hold for direct credits too', async () => {
  expect(refusedBy((await credit('much', 40_001)).body)).toBe('MAX_DISBURSEMENT');
  expect(refusedBy((await credit('approval', 20_001)).body)).toBe('APPROVAL_ABOVE');
  expect((await credit('first', 20_000)).status).toBe(202);
  expect(refusedBy((await credit('day', 10_001)).body)).toBe('MAX_PER_BENEFICIARY_DAY');
});

test('the same credit twice within the window must be meant', async () => {
  const other = { accountAlias: '779876543' };
  expect((await credit('one', 1_000, other)).status).toBe(202);
  expect(refusedBy((await credit('two', 1_000, other)).body)).toBe('DUPLICATE_WINDOW');
  expect((await credit('three', 1_000, { ...other, allowDuplicate: true })).status).toBe(202);
});

test('incoming money is not limited by the outgoing limits', async () => {
  const { status } = await service.post('/v1/invoices', {
    totalAmount: 1_000_000,
    store: { name: 'x' },
    reference: 'big',
  });
  expect(status).toBe(201);
});
