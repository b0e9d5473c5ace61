import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CollectService, startCollectService } from '../support/collect-service.ts';

let service: CollectService;
beforeAll(async () => {
  service = await startCollectService({ SOFTPAY_CARD: 'on' });
});
afterAll(() => service.stop());

let made = 0;
const invoice = async (): Promise<{ id: string; token: string }> => {
  made += 1;
  const asked = { totalAmount: 15_000, store: { name: 'La Boutique' }, reference: `softpay-${made}` };
  return (await service.post('/v1/invoices', asked)).body;
};
const pay = (id: string, body: unknown) => service.post(`/v1/invoices/${id}/softpay`, body);
const customer = { name: 'Awa Diop', email: 'awa@example.com', phone: '77000000' };
const becomes = (id: string, wanted: string) =>
  service.until(`/v1/invoices/${id}`, ({ state }: { state: string }) => state === wanted);

/** Method → the payer's number there, and its other fields. */
const methods: Readonly<Record<string, readonly [phone: string, more?: object, address?: string]>> = {
  card: ['', { card: { number: '4242 4242 4242 4242', cvv: '987', expiryYear: '29', expiryMonth: '08' } }],
  'new-wallet-a-senegal': ['+221 77 123 45 67'],
  'wallet-b-senegal': ['771234567'],
  'wallet-c-senegal': ['00221771234567'],
  'wallet-d-senegal': ['771234567'],
  'wallet-h-senegal': ['771234567'],
  'wallet-a-ci': ['+2250701020304', { otp: '4321' }],
  'wallet-e-ci': ['0701020304', { provider: 'moov' }],
  'wallet-f-ci': ['0701020304'],
  'wallet-d-ci': ['0701020304'],
  'wallet-a-burkina': ['70112233', { otp: '4321' }],
  'wallet-f-burkina': ['+22670112233'],
  'wallet-f-benin': ['0197112233'],
  'wallet-e-benin': ['+2290197112233', { provider: 'moov' }],
  'wallet-g-togo': ['90112233'],
  'wallet-f-togo': ['+22890112233', {}, 'Rue 1, Lomé'],
  'wallet-a-mali': ['70112233', {}, 'Rue 1, Bamako'],
  'wallet-f-mali': ['+22370112233', {}, 'Rue 1, Bamako'],
  service: ['771234567', { password: 'payer-password' }],
};

describe('each of the nineteen methods', () => {
  test.for(Object.entries(methods))(
    '%s starts a payment, and the invoice is completed by looking',
    async ([method, row]) => {
      const [phone, more = {}, address] = row;
      const { id } = await invoice();
      const who = {
        name: customer.name,
        email: customer.email,
        ...(phone ? { phone } : {}),
        ...(address ? { address } : {}),
      };
      const { status, body } = await pay(id, { method, customer: who, ...more });
      expect([status, body.state]).toEqual([200, 'awaiting_payer']);
      expect(body.message).toEqual(expect.any(String));
      if (method === 'wallet-h-senegal') {
        const confirmation = { authorizationCode: '123456', phone, transactionId: body.transactionId };
        const confirmed = await service.post(`/v1/invoices/${id}/softpay/confirm`, confirmation);
        expect([confirmed.status, confirmed.body.state]).toEqual([200, 'awaiting_payer']);
      }
      await becomes(id, 'completed');
    },
  );

  test('reach the provider without a breach of its rules', async () => {
    expect(await service.books('breaches')).toEqual([]);
    const { body } = await service.call('GET', '/v1/queues');
    expect(body.items.length).toBeGreaterThan(0);
  });
});

test('links and fees are passed on', async () => {
  const { id } = await invoice();
  const { body } = await pay(id, { method: 'new-wallet-a-senegal', customer: { ...customer, phone: '779999905' } });
  expect(body).toMatchObject({
    fees: 150,
    currency: 'XOF',
    url: expect.any(String),
    links: { walletApp: expect.any(String) },
  });
  const paid = await becomes(id, 'completed');
  expect(paid).toMatchObject({ fees: 150, totalWithoutFees: null });
  expect((await service.eventsOf(id))[0]?.data).toMatchObject({ fees: 150 });
});

describe('a payment that does not start', () => {
  test('a refusal has the provider’s text, and the invoice can still be paid', async () => {
    const { id } = await invoice();
    const body = { method: 'wallet-a-ci', customer: { ...customer, phone: '0701020304' }, otp: '000000' };
    const refused = await pay(id, body);
    expect([refused.status, refused.body.code, refused.body.retryable]).toEqual([502, 'softpay_refused', false]);
    expect(refused.body.detail).toContain('not valid');
    expect((await pay(id, { ...body, otp: '4321' })).status).toBe(200);
  });

  test('a late confirmation of the payer is checked before the answer', async () => {
    const { id } = await invoice();
    const slow = { method: 'wallet-f-ci', customer: { ...customer, phone: '0709999904' } };
    const told = await pay(id, slow);
    expect([told.status, told.body.code, told.body.retryable, told.body.state]).toEqual([
      502,
      'payer_too_slow',
      false,
      'pending',
    ]);
    expect((await service.books('summary')).requests['invoice.confirm']).toBeGreaterThan(0);
  });

  test('a declined card ends with the invoice’s status', async () => {
    const { id } = await invoice();
    const card = { number: '4000000000000002', cvv: '987', expiryYear: '29', expiryMonth: '08' };
    const declined = await pay(id, { method: 'card', customer, card });
    expect([declined.status, declined.body.code]).toEqual([502, 'softpay_refused']);
    expect((await becomes(id, 'failed')).failure).toEqual(expect.any(String));
  });

  test('an answer that is lost is not a reason to ask the payer again', async () => {
    const { id, token } = await invoice();
    await service.fault('resets the connection after doing the work', { operation: 'softpay' });
    // The payer takes their time, so that the invoice is still pending when relais checks it.
    const lost = await pay(id, { method: 'wallet-g-togo', customer: { ...customer, phone: '99999902' } });
    expect([lost.status, lost.body.retryable]).toEqual([504, false]);
    await service.control('POST', `/invoices/${token}`, { status: 'completed' });
    await becomes(id, 'completed');
  });

  test('an invoice that is paid is not paid again', async () => {
    const { id, token } = await invoice();
    await service.control('POST', `/invoices/${token}`, { status: 'completed' });
    await becomes(id, 'completed');
    const again = await pay(id, { method: 'wallet-g-togo', customer: { ...customer, phone: '90112233' } });
    expect([again.status, again.body.state]).toEqual([409, 'completed']);
  });
});

describe('a request that is not valid', () => {
  const refusals: readonly (readonly [why: string, body: object, pointers: readonly string[]])[] = [
    ['no method', { customer }, ['/method']],
    ['a withdraw mode for a method', { method: 'wallet-a-senegal', customer }, ['/method']],
    ['a method that there is not', { method: 'cash', customer }, ['/method']],
    [
      'words that the method asks for',
      { method: 'wallet-a-ci', customer: { name: 'Awa' } },
      ['/customer/email', '/customer/phone', '/otp'],
    ],
    [
      'an address that is asked for',
      { method: 'wallet-f-togo', customer: { ...customer, phone: '90112233' } },
      ['/customer/address'],
    ],
    [
      'a password that is not asked for',
      { method: 'wallet-g-togo', customer: { ...customer, phone: '90112233' }, password: 'x' },
      ['/password'],
    ],
    [
      'a number of another country',
      { method: 'wallet-g-togo', customer: { ...customer, phone: '+221771234567' } },
      ['/customer/phone'],
    ],
    [
      'a card that is none',
      { method: 'card', customer, card: { number: '1', cvv: '1', expiryYear: '2029', expiryMonth: '13' } },
      ['/card/number', '/card/cvv', '/card/expiryYear', '/card/expiryMonth'],
    ],
  ];

  test.for(refusals)('%s: every problem is named, and nothing is sent', async ([, body, pointers]) => {
    const { id } = await invoice();
    const before = (await service.books('summary')).requests;
    const { status, body: problem } = await pay(id, body);
    expect(status).toBe(422);
    expect(problem.problems.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers);
    const after = (await service.books('summary')).requests;
    expect(Object.keys(after).filter((name) => name.startsWith('softpay') && after[name] !== before[name])).toEqual(
      [],
    );
  });

  test('a similar name is refused with the right one', async () => {
    const { id } = await invoice();
    const { body } = await pay(id, { method: 'wallet-f-burkina-faso', customer });
    expect(body.detail).toContain('did you mean "wallet-f-burkina"?');
  });
});
