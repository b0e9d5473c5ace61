import type { PaymentContext } from './ask.ts';
import { balances } from './balance.ts';
import { checkout } from './checkout.ts';
import { directCredit } from './direct-credit.ts';
import { disbursements } from './disbursement.ts';
import { paymentRequests } from './payment-request.ts';
import { softpay } from './softpay.ts';
import type { Payments } from './types.ts';

/** interface: Payment area. */
export function createPayments(context: PaymentContext): Payments {
  return {
    ...checkout(context),
    directCredit: directCredit(context),
    ...paymentRequests(context),
    ...balances(context),
    ...disbursements(context),
    ...softpay(context),
  };
}
