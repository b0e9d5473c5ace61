/** The producer in the caller's transaction, with a `pg` client on real PostgreSQL. */
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InvalidRequest, createProducer } from '../../src/producer/index.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';

let ledger: FreshLedger;
let client: Client;
const producer = createProducer({ database: {} });

beforeAll(async () => {
  ledger = await freshLedger();
  client = new Client({ connectionString: ledger.url });
  await client.connect();
  const kinds = '{disbursement,message,campaign,invoice,payment_request,direct_credit}';
  await ledger.query(`select relais.enqueue_grant(session_user::text, 'main', '${kinds}', 100000)`);
});
afterAll(async () => {
  await client?.end();
  await ledger?.close();
});

const payment = (reference: string) => ({
  reference,
  accountAlias: '771234567',
  amount: 25_000,
  withdrawMode: 'wallet-a-senegal',
});
const stored = async () => (await ledger.query<{ id: string }>('select id from relais.intake')).map(({ id }) => id);

test('a request is stored with the rows of its transaction, or not at all', async () => {
  await client.query('begin');
  const lost = await producer.disburse(payment('lost'), { client });
  await client.query('rollback');
  await client.query('begin');
  const kept = await producer.disburse(payment('kept'), { client });
  await client.query('commit');
  expect(kept).toEqual({ id: expect.stringMatching(/^dsb_/), outcome: 'enqueued' });
  expect(await stored()).toContain(kept.id);
  expect(await stored()).not.toContain(lost.id);
});

test('a request whose form is not valid leaves the transaction as it is', async () => {
  await client.query('begin');
  const wrong = { ...payment('wrong'), amount: 1.5, accountAlias: '' };
  const refused = await producer.disburse(wrong, { client }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(InvalidRequest);
  expect((refused as InvalidRequest).problems.map(({ pointer }) => pointer)).toEqual(['/accountAlias', '/amount']);
  await expect(producer.disburseEach([payment('first'), wrong], { client })).rejects.toBeInstanceOf(InvalidRequest);
  const { id } = await producer.disburse(payment('right'), { client });
  await client.query('commit');
  expect(await stored()).toContain(id);
});

test('a request that PostgreSQL refuses is an InvalidRequest with its problems', async () => {
  const refused = producer.disburse({ ...payment('dear'), amount: 100_001 }, { client });
  await expect(refused).rejects.toMatchObject({ name: 'InvalidRequest', problems: [{ pointer: '/amount' }] });
});

test('any other error of the client goes through', async () => {
  const broken = { query: async () => Promise.reject(new Error('connection ended')) };
  await expect(producer.disburse(payment('broken'), { client: broken })).rejects.toThrow('connection ended');
});

test('messages without a reference are messages of their own', async () => {
  const message = { to: '+221771234567', text: 'Your code is 4711' };
  const answers = await producer.sendMessages([message, message, { ...message, reference: 'one' }], { client });
  expect(new Set(answers.map(({ id }) => id)).size).toBe(3);
  const [again] = await producer.sendMessages([{ ...message, reference: 'one' }], { client });
  expect(again?.id).toBe(answers[2]?.id);
});

test('each kind has its method', async () => {
  const reference = 'each';
  const answers = [
    await producer.campaign({ reference, name: 'November', text: 'Hello' }, { client }),
    await producer.paymentRequest(
      { reference, amount: 500, phone: '+221771234567', feesPaidBy: 'customer' },
      { client },
    ),
    await producer.directCredit({ reference, amount: 500, accountAlias: '771234567' }, { client }),
  ];
  expect(answers.map(({ id }) => id.slice(0, 3))).toEqual(['cmp', 'prq', 'dcr']);
});
