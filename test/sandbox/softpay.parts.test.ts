import { describe, expect, test } from 'vitest';
import { cardOutcomes } from '../../src/sandbox/softpay.ts';
import {
  phoneFieldOf,
  type SoftpaySuffix,
  softpayMethods,
  softpaySuffixes,
  tokenFieldOf,
} from '../../src/sandbox/softpay-methods.ts';
import { confirmed, invoiceToken, sandboxForTest, type TestSandbox } from './sandbox-client.ts';

describe('softpay', () => {
  const fieldsFor = (suffix: SoftpaySuffix, { token, phone = '771234567' }: { token: string; phone?: string }) =>
    Object.fromEntries(
      softpayMethods[suffix].map((name) => [
        name,
        name === tokenFieldOf(suffix) ? token : name === phoneFieldOf(suffix) ? phone : 'x',
      ]),
    );
  const call = (sandbox: TestSandbox, suffix: SoftpaySuffix, values: { token: string; phone?: string }) =>
    sandbox.pay(`/api/v1/softpay/${suffix}`, fieldsFor(suffix, values));
  const oneStep = softpaySuffixes.filter((name) => !name.startsWith('wallet-h'));

  test.each(oneStep)('%s is accepted, and the payer consents later', async (suffix) => {
    const sandbox = await sandboxForTest();
    const token = await invoiceToken(sandbox);
    expect((await call(sandbox, suffix, { token })).body).toMatchObject({
      success: true,
      message: expect.any(String),
    });
    expect((await confirmed(sandbox, token)).status).toBe('pending');
    await sandbox.advance('1h');
    expect((await confirmed(sandbox, token)).status).toBe('completed');
    expect((await sandbox.books()).invoices).toMatchObject([{ payments: 1 }]);
  });

  test('wallet-h takes two steps', async () => {
    const sandbox = await sandboxForTest();
    const token = await invoiceToken(sandbox);
    const { body } = await call(sandbox, 'wallet-h-senegal', { token });
    await sandbox.advance('1h');
    expect((await confirmed(sandbox, token)).status).toBe('pending');
    const second = await call(sandbox, 'wallet-h-senegal/confirm', { token: body.data.TransactionID });
    expect(second.body).toMatchObject({ success: true, token });
    await sandbox.advance('1h');
    expect((await confirmed(sandbox, token)).status).toBe('completed');
  });

  test.each([
    ['9999901', false, 'pending'],
    ['9999902', true, 'pending'],
    ['9999903', true, 'failed'],
    ['9999904', false, 'pending'],
    ['9999905', true, 'completed'],
  ])('a payer whose number ends in %s: success %s, invoice %s', async (ending, success, status) => {
    const sandbox = await sandboxForTest();
    const token = await invoiceToken(sandbox);
    const { body } = await call(sandbox, 'wallet-f-ci', { token, phone: `07${ending}` });
    expect(body.success).toBe(success);
    expect(body.currency).toBe(ending === '9999905' ? 'XOF' : undefined);
    await sandbox.advance('1h');
    expect((await confirmed(sandbox, token)).status).toBe(status);
  });

  test('a payment that fails takes nothing from one that was made before it', async () => {
    const sandbox = await sandboxForTest();
    const token = await invoiceToken(sandbox);
    await call(sandbox, 'wallet-f-ci', { token });
    await call(sandbox, 'wallet-f-ci', { token, phone: '079999903' });
    await sandbox.advance('1h');
    expect((await confirmed(sandbox, token)).status).toBe('completed');
    expect((await sandbox.books()).invoices).toMatchObject([{ payments: 1 }]);
  });

  test('the second step of wallet-h confirms no payment of another wallet', async () => {
    const sandbox = await sandboxForTest();
    const token = await invoiceToken(sandbox);
    const { body } = await call(sandbox, 'wallet-b-senegal', { token });
    const second = await call(sandbox, 'wallet-h-senegal/confirm', { token: body.data.transactionid });
    expect(second.body.success).toBe(false);
    await sandbox.advance('1h');
    expect((await sandbox.books()).invoices).toMatchObject([{ payments: 1 }]);
  });

  test('wallet-a-mali never names fees', async () => {
    const sandbox = await sandboxForTest();
    const token = await invoiceToken(sandbox);
    const { body } = await call(sandbox, 'wallet-a-mali', { token, phone: '779999905' });
    expect(Object.keys(body)).toEqual(['success', 'message']);
  });

  test('a code of zeros is wrong', async () => {
    const sandbox = await sandboxForTest();
    const token = await invoiceToken(sandbox);
    const fields = { ...fieldsFor('wallet-a-ci', { token }), wallet_a_ci_otp: '000000' };
    expect((await sandbox.pay('/api/v1/softpay/wallet-a-ci', fields)).body.success).toBe(false);
  });

  test.each([...cardOutcomes])('the card %s is %s', async (card_number, outcome) => {
    const sandbox = await sandboxForTest();
    const token = await invoiceToken(sandbox);
    const fields = { ...fieldsFor('card', { token }), card_number };
    const { body } = await sandbox.pay('/api/v1/softpay/card', fields);
    if (outcome === 'declined') expect(body).toMatchObject({ success: false, errors: { message: 'Declined' } });
    else expect(body).toMatchObject({ success: true, url: expect.any(String) });
    expect(JSON.stringify(await sandbox.books())).not.toContain(card_number);
  });

  test('refuses a missing field, an unknown invoice and one that is paid', async () => {
    const sandbox = await sandboxForTest();
    const token = await invoiceToken(sandbox);
    const { phone_phone: _, ...less } = fieldsFor('service', { token }) as Record<string, string>;
    expect((await sandbox.pay('/api/v1/softpay/service', less)).body.success).toBe(false);
    expect((await call(sandbox, 'service', { token: 'nonsense' })).body.success).toBe(false);
    await sandbox.order(`/invoices/${token}`, { status: 'completed' });
    expect((await call(sandbox, 'service', { token })).body.success).toBe(false);
    expect((await sandbox.books()).breaches).toHaveLength(1);
  });
});
