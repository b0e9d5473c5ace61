/** `TRIAL_NUMBERS`: no payment and no SMS to another number, through any entry point. */
import { Queue } from 'bullmq';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, type Service, startService } from '../support/service.ts';

const [OURS, OTHER] = ['+221771234567', '+221779999999'];
const SETTINGS = { TRIAL_NUMBERS: `${OURS},+2250701020304`, DIRECT_CREDIT: 'on' };

let service: Service;
beforeAll(async () => {
  service = await startService(SETTINGS);
});
afterAll(() => service?.stop());

const payment = (accountAlias: string, reference: string) => ({
  accountAlias,
  amount: 5_000,
  withdrawMode: 'wallet-a-senegal',
  reference,
});
const refusal = (pointer: string) => ({
  status: 422,
  body: { rule: 'trial_number', problems: [{ pointer, message: 'is not a number of TRIAL_NUMBERS' }] },
});

test('a payment, an SMS, a payment request or a direct credit to another number is refused', async () => {
  const asked = async (path: string, body: object): Promise<Answer> => service.call('POST', path, { body });
  expect(await asked('/v1/disbursements', payment(OTHER, 'd1'))).toMatchObject(refusal('/accountAlias'));
  expect(await asked('/v1/disbursements?dryRun=true', payment(OTHER, 'd1'))).toMatchObject(refusal('/accountAlias'));
  expect(await asked('/v1/messages', { to: OTHER, text: 'Bonjour' })).toMatchObject(refusal('/to'));
  const request = { phone: OTHER, amount: 1_000, reference: 'p1', feesPaidBy: 'customer' };
  expect(await asked('/v1/payment-requests', request)).toMatchObject(refusal('/phone'));
  const credit = { accountAlias: '779999999', amount: 1_000, reference: 'c1' };
  expect(await asked('/v1/direct-credits', credit)).toMatchObject(refusal('/accountAlias'));
  expect((await service.ledger.query('select id from relais.operation')).length).toBe(0);
});

test('one of the numbers is paid and gets SMS, however it is written', async () => {
  const paid = await service.call('POST', '/v1/disbursements', { body: payment('77 123 45 67', 'd2') });
  expect(paid.status).toBe(202);
  await service.until(`/v1/disbursements/${paid.body.id}`, ({ state }) => state === 'succeeded');
  const { body } = await service.call('POST', '/v1/messages', { body: { to: OURS, text: 'Bonjour' } });
  expect(body.items).toMatchObject([{ outcome: 'accepted' }]);
});

test('a row of a batch with another number is a problem of the file', async () => {
  const csv = `reference;accountAlias;amount;withdrawMode\nb1;${OURS};500;wallet-a-senegal\nb2;${OTHER};500;wallet-a-senegal\n`;
  const { body } = await service.call('POST', '/v1/disbursement-batches', {
    body: csv,
    headers: { 'content-type': 'text/csv', 'idempotency-key': 'batch' },
  });
  expect(body).toMatchObject({
    state: 'invalid',
    problems: [{ row: 3, column: 'accountAlias', reason: 'is not a number of TRIAL_NUMBERS' }],
  });
});

test('a campaign with a recipient of another number does not start', async () => {
  const campaign = async (reference: string, ...phones: readonly string[]) => {
    const body = { name: 'test', text: 'Bonjour', reference };
    const { id } = (await service.call('POST', '/v1/campaigns', { body })).body;
    const file = { body: ['to', ...phones].join('\n'), headers: { 'content-type': 'text/csv' } };
    expect((await service.call('POST', `/v1/campaigns/${id}/recipients`, file)).status).toBe(200);
    return { id, started: await service.call('POST', `/v1/campaigns/${id}/start`) };
  };
  const refused = await campaign('c1', OURS, OTHER);
  expect(refused.started).toMatchObject({ status: 422, body: { rule: 'trial_number' } });
  expect((await service.call('GET', `/v1/campaigns/${refused.id}`)).body.state).toBe('ready');
  const allowed = await campaign('c2', OURS);
  expect(allowed.started.status).toBe(200);
  await service.until(`/v1/campaigns/${allowed.id}`, ({ state }) => state === 'finished');
  const sent = (await service.books('messages')) as { readonly to: string }[];
  expect(new Set(sent.map(({ to }) => to))).toEqual(new Set([OURS]));
});

test('a request of SQL or of the queue intake with another number is rejected', async () => {
  await service.ledger.query(`select relais.enqueue_grant('postgres', 'main', '{disbursement}')`);
  await service.ledger.query(`select relais.enqueue('disbursement', '${JSON.stringify(payment(OTHER, 'sql'))}')`);
  const queue = new Queue('intake', { connection: { url: service.redisUrl }, prefix: '{relais}' });
  await queue.add('disbursement', { kind: 'disbursement', ...payment(OTHER, 'job') });
  await queue.close();
  const { items } = await service.until('/v1/intake?state=rejected', (page) => page.items.length >= 2);
  for (const { problems } of items)
    expect(problems).toEqual([{ pointer: '/accountAlias', message: 'is not a number of TRIAL_NUMBERS' }]);
});

test('status and doctor show that a trial is on, without numbers', async () => {
  const { body: status } = await service.call('GET', '/v1/status');
  expect(status.trialNumbers).toBe(2);
  const { body: doctor } = await service.call('GET', '/v1/doctor');
  const says = 'TRIAL_NUMBERS: only its 2 numbers get payments and SMS';
  expect(doctor.findings).toContainEqual(expect.objectContaining({ check: 'settings', is: 'ok', says }));
  expect(JSON.stringify([status, doctor])).not.toContain('771234567');
});
