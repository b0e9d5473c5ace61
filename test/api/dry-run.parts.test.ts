import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';
import { BATCHES, HEADER } from './batch-desk.ts';
import { operationIds } from '../support/stored.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({
    MAX_PER_DAY: '30000',
    APPROVAL_ABOVE: '15000',
    DUPLICATE_WINDOW: '10m',
    DIRECT_CREDIT: 'on',
  });
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.ledger.query('delete from relais.spent');
});

const asked = (reference: string, more: object = {}) => ({
  accountAlias: '771234567',
  amount: 10_000,
  withdrawMode: 'wallet-a-senegal',
  reference,
  ...more,
});
const judge = (path: string, body: unknown) => service.call('POST', `${path}?dryRun=true`, { body });
const records = async () => (await operationIds(service)).length;
const DISBURSEMENTS = '/v1/disbursements';

test('a dry run returns the result and the id, and counts for nothing', async () => {
  const before = await records();
  for (let times = 0; times < 5; times += 1) {
    const { status, body } = await judge(
      DISBURSEMENTS,
      asked('valid', { accountAlias: '77123', allowUnusualNumber: true }),
    );
    expect([status, body.dryRun, body.outcome, body.state]).toEqual([200, true, 'valid', 'queued']);
    expect(body.warnings).toEqual([expect.stringContaining('5 digits')]);
  }
  expect(await records()).toBe(before);
  const { body } = await judge(DISBURSEMENTS, asked('valid'));
  const made = await service.call('POST', DISBURSEMENTS, { body: asked('valid') });
  expect([made.status, made.body.id]).toEqual([202, body.id]);
  expect((await judge(DISBURSEMENTS, asked('valid'))).body).toMatchObject({ outcome: 'duplicate', id: body.id });
});

test('a dry run shows that a different person must approve', async () => {
  const { body } = await judge(DISBURSEMENTS, asked('above', { amount: 20_000 }));
  expect(body.state).toBe('awaiting_approval');
});

test.each([
  ['a mode that there is not', asked('m', { withdrawMode: 'wallet-a-sn' }), 422, '/withdrawMode'],
  ['a limit', asked('l', { amount: 40_000 }), 422, 'MAX_PER_DAY'],
  ['the same payment again', asked('again'), 422, 'DUPLICATE_WINDOW'],
  ['a reference of another request', asked('first', { accountAlias: '771230009', amount: 10_001 }), 409, 'dsb_'],
  ['no reference', { ...asked('x'), reference: undefined }, 400, 'Idempotency-Key'],
] as const)('%s is refused as usual', async (_what, body, status, told) => {
  await service.call('POST', DISBURSEMENTS, { body: asked('first', { accountAlias: '771230009' }) });
  const before = await records();
  const judged = await judge(DISBURSEMENTS, body);
  expect([judged.status, judged.body.detail]).toEqual([status, expect.stringContaining(told)]);
  const real = await service.call('POST', DISBURSEMENTS, { body });
  expect([real.status, real.body.detail]).toEqual([judged.status, judged.body.detail]);
  expect(await records()).toBe(before);
});

test('lines are judged one by one', async () => {
  const before = await records();
  const { status, body } = await service.call('POST', `${DISBURSEMENTS}?dryRun=true`, {
    body: `${JSON.stringify(asked('line', { accountAlias: '771234500' }))}\n{"amount":1}\n`,
    headers: { 'content-type': 'application/x-ndjson' },
  });
  const verdicts = String(body)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).outcome);
  expect([status, verdicts]).toEqual([200, ['valid', 'invalid']]);
  expect(await records()).toBe(before);
});

test.each([
  ['/v1/messages', { to: '+221771234567', text: 'a' }],
  ['/v1/campaigns', { name: 'n', text: 'Bonjour {{prenom}}', reference: 'c' }],
  ['/v1/direct-credits', { accountAlias: '771230001', amount: 5_000, reference: 'd' }],
  ['/v1/payment-requests', { amount: 5_000, phone: '+221771234567', feesPaidBy: 'merchant', reference: 'p' }],
  ['/v1/invoices', { totalAmount: 5_000, store: { name: 's' }, reference: 'i' }],
] as const)('%s writes nothing and sends nothing', async (path, body) => {
  // Earlier payments may take effect meanwhile; none of this test may.
  const effects = async () => {
    const { messagesSent, invoices, paymentRequests, directCredits } = await service.books('summary');
    return { messagesSent, invoices, paymentRequests, directCredits };
  };
  const [before, heard] = [await records(), await effects()];
  const { status, body: told } = await judge(path, body);
  expect([status, told.outcome ?? told.items[0].outcome]).toEqual([200, 'valid']);
  const wrong = await judge(path, { ...body, account: 'nosuch' });
  expect(wrong.body.items?.[0].outcome ?? wrong.status).toSatisfy((said) => said === 'invalid' || said === 422);
  expect(await records()).toBe(before);
  expect(await effects()).toEqual(heard);
});

test('a file is judged whole, and every row with something wrong comes back as a file', async () => {
  const before = await records();
  const rows = Array.from({ length: 150 }, (_, at) => `r-${at};771234567;=1+${at};wallet-a-senegal`);
  const send = (headers: object) =>
    service.call('POST', `${BATCHES}?dryRun=true`, {
      body: [HEADER.trim(), 'sal-1;771234567;1000;wallet-a-senegal', ...rows, ''].join('\n'),
      headers: { 'content-type': 'text/csv', ...headers },
    });
  const { status, body } = await send({});
  expect([status, body.dryRun, body.state, body.problemCount]).toEqual([200, true, 'invalid', 150]);
  expect(body.problems).toHaveLength(100);
  const csv = await send({ accept: 'text/csv' });
  const lines = String(csv.body).trimEnd().split('\r\n');
  expect(lines).toHaveLength(151);
  expect(lines[0]).toBe('reference;accountAlias;amount;withdrawMode;row;problem');
  expect(lines[1]).toBe(
    'r-0;771234567;\'=1+0;wallet-a-senegal;3;"amount must be whole francs in plain digits, such as 25000"',
  );
  expect(await records()).toBe(before);
});
