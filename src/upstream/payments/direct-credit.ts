import { claimsSuccess, unasked } from '../exchange.ts';
import { type JsonObject, readText } from '../json.ts';
import { askPayments, type PaymentContext, type PaymentQuestion } from './ask.ts';
import { readPayment } from './envelope.ts';
import { isPositiveXof, present } from './fields.ts';
import type { Payments } from './types.ts';

type Credited = { readonly transactionId?: string; readonly description?: string };

/**
 * interface: Direct credit. Moves money in one step, with no reference of ours and nothing to ask afterwards, so only
 * a refusal that is beyond doubt is one.
 */
export function directCredit(context: PaymentContext): Payments['directCredit'] {
  return async (account, { accountAlias, amount }, call = {}) => {
    if (accountAlias.trim() === '') return unasked(account, 'direct_credit', 'field_missing', 'account_alias');
    if (!isPositiveXof(amount)) return unasked(account, 'direct_credit', 'field_invalid', 'amount');
    const question: PaymentQuestion<Credited> = {
      operation: 'direct_credit',
      kind: 'effect',
      method: 'POST',
      path: '/v1/direct-pay/credit-account',
      fresh: true,
      body: { account_alias: accountAlias.trim(), amount },
      read: (answer) => {
        const reading = readPayment(answer, takeCredited);
        // Services of this kind leave the address out altogether until the option is enabled. One that says at once that
        // it is not there and that it has paid is for nobody to believe.
        const notThere = answer.status === 404 && 'code' in reading && !claimsSuccess(answer.body);
        return notThere ? { ...reading, code: 'no_such_path' } : reading;
      },
    };
    return askPayments(context, account, question, call);
  };
}

/** Without the number of the transaction it may be the answer to anything, such as an invoice that was created. */
function takeCredited(body: JsonObject): Credited | undefined {
  const transactionId = readText(body['transaction_id']);
  return transactionId === undefined
    ? undefined
    : { transactionId, ...present('description', readText(body['description'])) };
}
