/**
 * All operations (interface: Endpoints). Names are ours; methods and paths are those of the interface. A path that
 * ends in `/*` has one more segment, which the handler gets as `tail`.
 */
import { allBalances, creditAccount, oneBalance } from './accounts.ts';
import type { Family } from './answers.ts';
import { confirmInvoice, createInvoice } from './checkout.ts';
import { createDisbursement, disbursementStatus, submitDisbursement } from './disbursements.ts';
import { createPaymentRequest, paymentRequestStatus } from './payment-requests.ts';
import type { Handler } from './simulator.ts';
import { sendSms, smsStatistics } from './sms.ts';
import { loginSms } from './sms-login.ts';
import { softpay } from './softpay.ts';
import { softpaySuffixes } from './softpay-methods.ts';

/** The payment host or the messaging host. */
export type Host = 'base' | 'crm';
type Mode = 'test' | 'live';

interface Operation {
  readonly family: Family;
  readonly method: 'GET' | 'POST';
  /** Path by mode; most operations have a live path only. */
  readonly paths: { readonly live: string; readonly test?: string };
  readonly handle: Handler;
}

export interface Endpoint extends Operation {
  /** `disbursement.submit`; softpay paths give `softpay.wallet-b-senegal`, and so on. */
  readonly operation: string;
  readonly mode: Mode;
  /** The segment at `*`. */
  readonly tail: string;
}

const fixed: Readonly<Record<string, Operation>> = {
  'invoice.create': {
    family: 'payment',
    method: 'POST',
    paths: { test: '/sandbox-api/v1/checkout-invoice/create', live: '/api/v1/checkout-invoice/create' },
    handle: createInvoice,
  },
  'invoice.confirm': {
    family: 'payment',
    method: 'GET',
    paths: { test: '/sandbox-api/v1/checkout-invoice/confirm/*', live: '/api/v1/checkout-invoice/confirm/*' },
    handle: confirmInvoice,
  },
  'direct-credit.create': {
    family: 'payment',
    method: 'POST',
    paths: { test: '/sandbox-api/v1/direct-pay/credit-account', live: '/api/v1/direct-pay/credit-account' },
    handle: creditAccount,
  },
  'payment-request.create': {
    family: 'payment-request',
    method: 'POST',
    paths: { live: '/api/v1/dmp-api' },
    handle: createPaymentRequest,
  },
  'payment-request.status': {
    family: 'payment-request',
    method: 'POST',
    paths: { live: '/api/v1/dmp-api/check-status' },
    handle: paymentRequestStatus,
  },
  'balance.all': {
    family: 'flag',
    method: 'GET',
    paths: { live: '/api/v2/disburse/check-balance' },
    handle: allBalances,
  },
  'balance.one': {
    family: 'flag',
    method: 'GET',
    paths: { live: '/api/v2/disburse/check-balance/*' },
    handle: oneBalance,
  },
  'disbursement.create': {
    family: 'payment',
    method: 'POST',
    paths: { live: '/api/v2/disburse/get-invoice' },
    handle: createDisbursement,
  },
  'disbursement.submit': {
    family: 'payment',
    method: 'POST',
    paths: { live: '/api/v2/disburse/submit-invoice' },
    handle: submitDisbursement,
  },
  'disbursement.status': {
    family: 'payment',
    method: 'POST',
    paths: { live: '/api/v2/disburse/check-status' },
    handle: disbursementStatus,
  },
  'sms.login': {
    family: 'sms',
    method: 'POST',
    paths: { live: '/api/v1/auth/login' },
    handle: loginSms,
  },
  'sms.send': {
    family: 'sms',
    method: 'POST',
    paths: { live: '/api/v1/sms/send' },
    handle: sendSms,
  },
  'sms.stats': {
    family: 'sms',
    method: 'POST',
    paths: { live: '/api/v1/sms/stats' },
    handle: smsStatistics,
  },
};

const softpayRows = softpaySuffixes.map((suffix): [string, Operation] => [
  `softpay.${suffix.replace('/', '.')}`,
  { family: 'flag', method: 'POST', paths: { live: `/api/v1/softpay/${suffix}` }, handle: softpay(suffix) },
]);

export const operations: ReadonlyArray<readonly [string, Operation]> = [...Object.entries(fixed), ...softpayRows];

export const hostOf = ({ family }: Pick<Operation, 'family'>): Host => (family === 'sms' ? 'crm' : 'base');

const byHostAndPath = new Map<string, Endpoint>(
  operations.flatMap(([operation, row]) =>
    (['test', 'live'] as const).flatMap((mode): Array<[string, Endpoint]> => {
      const path = row.paths[mode];
      return path === undefined ? [] : [[`${hostOf(row)} ${path}`, { ...row, operation, mode, tail: '' }]];
    }),
  ),
);

/** The endpoint at a path, for any method. The query string is not part of a path. */
export function findEndpoint(host: Host, path: string): Endpoint | undefined {
  const exact = byHostAndPath.get(`${host} ${path}`);
  if (exact !== undefined) return exact;
  const slash = path.lastIndexOf('/');
  const open = byHostAndPath.get(`${host} ${path.slice(0, slash)}/*`);
  const tail = path.slice(slash + 1);
  return open === undefined || tail === '' ? undefined : { ...open, tail: decodeTail(tail) };
}

function decodeTail(tail: string): string {
  try {
    return decodeURIComponent(tail);
  } catch (thrown) {
    if (thrown instanceof URIError) return tail;
    throw thrown;
  }
}
