import { unasked } from '../exchange.ts';
import type { JsonObject } from '../json.ts';
import { readXof } from '../../lib/money.ts';
import { askPayments, type PaymentContext, type PaymentQuestion } from './ask.ts';
import { type Refine, readPayment } from './envelope.ts';
import type { Balances, Payments } from './types.ts';

type BalanceCalls = Pick<Payments, 'balances' | 'balance'>;

const ROOT = '/v2/disburse/check-balance';

/** interface: Balance record. An approximation, so never proof of anything. */
export function balances(context: PaymentContext): BalanceCalls {
  return {
    balances: async (account, call = {}) => askPayments(context, account, questionFor(ROOT), call),
    balance: async (account, { accountNumber }, call = {}) => {
      const number = accountNumber.trim();
      if (!/^[A-Za-z0-9]+$/.test(number)) return unasked(account, 'balance', 'field_invalid', 'account_number');
      return askPayments(context, account, questionFor(`${ROOT}/${encodeURIComponent(number)}`), call);
    },
  };
}

function questionFor(path: string): PaymentQuestion<Balances> {
  return {
    operation: 'balance',
    kind: 'read',
    method: 'GET',
    path,
    only: 'live',
    read: (answer) => readPayment(answer, takeBalances, refineBalance),
  };
}

/** interface: Errors, balance. Neither message says what is wrong, but waiting changes neither. */
const refineBalance: Refine = ({ code }, failure) =>
  code === undefined && failure !== 'server_error' && failure !== 'throttled_silently' && failure !== 'no_answer'
    ? { code: 'balance_user_not_found' }
    : {};

function takeBalances(body: JsonObject): Balances {
  const rows = Object.entries(body).flatMap(([key, value]) => {
    const country = /^Balance ([A-Z]{2})$/.exec(key.trim())?.[1];
    return country === undefined ? [] : [[country, readXof(value) ?? null] as const];
  });
  return { approximate: true, balances: Object.fromEntries(rows) };
}
