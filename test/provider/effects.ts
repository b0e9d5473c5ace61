/** Every request with an effect, as one call of the client. */
import type { Upstream, UpstreamAccount } from '../../src/provider/client.ts';
import type { CallOptions } from '../../src/provider/transport.ts';
import type { Verdict } from '../../src/provider/verdict.ts';

type Effect = (upstream: Upstream, account: UpstreamAccount, call: CallOptions) => Promise<Verdict<unknown>>;

const payer = { name: 'Awa Diop', email: 'awa@example.com', phone: '771234567', token: 'inv-1' };

export const effects = {
  'submit of a disbursement': ({ payments }, account, call) =>
    payments.submitDisbursement(account, { token: 'disb-1', disburseId: 'id-1' }, call),
  'creation of a disbursement': ({ payments }, account, call) =>
    payments.createDisbursement(
      account,
      {
        accountAlias: '771234567',
        amount: 1_000,
        callbackUrl: 'https://relais.example/cb',
        withdrawMode: 'wallet-a-senegal',
      },
      call,
    ),
  'direct credit': ({ payments }, account, call) =>
    payments.directCredit(account, { accountAlias: '771234567', amount: 1_000 }, call),
  invoice: ({ payments }, account, call) =>
    payments.createInvoice(account, { totalAmount: 1, store: { name: 'Shop' } }, call),
  'payment request': ({ payments }, account, call) =>
    payments.createPaymentRequest(account, { amount: 200, phone: '+221771234567', feesPaidBy: 'merchant' }, call),
  'direct payment': ({ payments }, account, call) => payments.softpay(account, 'wallet-c-senegal', payer, call),
  'confirmation of a direct payment': ({ payments }, account, call) =>
    payments.confirmSoftpay(
      account,
      { authorizationCode: 'auth-1', phone: '771234567', transactionId: 'tx-1' },
      call,
    ),
  'texts to people': ({ messaging }, account, call) =>
    messaging.send(account, { messages: [{ to: '+221771234567', text: 'Bonjour' }] }, call),
} as const satisfies Record<string, Effect>;

export type EffectName = keyof typeof effects;
export const effectNames = Object.keys(effects) as EffectName[];
