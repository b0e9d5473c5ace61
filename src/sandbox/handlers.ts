import { allBalances, oneBalance } from './balances.ts';
import { confirmInvoice, createInvoice } from './checkout.ts';
import { creditAccount } from './direct-credit.ts';
import { createDisbursement } from './disbursement-create.ts';
import { submitDisbursement } from './disbursement-submit.ts';
import { disbursementStatus } from './disbursements.ts';
import type { FixedOperation } from './operations.ts';
import { createPaymentRequest, paymentRequestStatus } from './payment-requests.ts';
import { loginSms } from './sms-login.ts';
import { sendSms } from './sms-send.ts';
import { smsStatistics } from './sms-stats.ts';
import { softpay } from './softpay.ts';
import { type SoftpaySuffix, softpayMethods } from './softpay-methods.ts';
import type { Handler } from './world.ts';

/** One handler per operation. An operation without one does not compile. */
const fixed = {
  'invoice.create': createInvoice,
  'invoice.confirm': confirmInvoice,
  'direct-credit.create': creditAccount,
  'payment-request.create': createPaymentRequest,
  'payment-request.status': paymentRequestStatus,
  'balance.all': allBalances,
  'balance.one': oneBalance,
  'disbursement.create': createDisbursement,
  'disbursement.submit': submitDisbursement,
  'disbursement.status': disbursementStatus,
  'sms.login': loginSms,
  'sms.send': sendSms,
  'sms.stats': smsStatistics,
} as const satisfies Record<FixedOperation, Handler>;

export const handlers: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ...Object.entries(fixed),
  ...(Object.keys(softpayMethods) as SoftpaySuffix[]).map((suffix): [string, Handler] => [
    `softpay.${suffix.replace('/', '.')}`,
    softpay(suffix),
  ]),
]);
