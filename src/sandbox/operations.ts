/**
 * The endpoints, as one table (interface: Endpoints). Names are ours; methods and paths are the page's. A path that
 * ends in `/*` has one more segment, handed to the handler.
 */
import type { Family } from './answers.ts';
import { softpayMethods } from './softpay-methods.ts';

export type Area = 'base' | 'crm';
type Mode = 'test' | 'live';

interface EndpointRow {
  readonly area: Area;
  readonly family: Family;
  readonly method: 'GET' | 'POST';
  /** Path by mode; most operations have a live path only. */
  readonly paths: { readonly live: string; readonly test?: string };
}

const fixed = {
  'invoice.create': {
    area: 'base',
    family: 'payment',
    method: 'POST',
    paths: { test: '/sandbox-api/v1/checkout-invoice/create', live: '/api/v1/checkout-invoice/create' },
  },
  'invoice.confirm': {
    area: 'base',
    family: 'payment',
    method: 'GET',
    paths: { test: '/sandbox-api/v1/checkout-invoice/confirm/*', live: '/api/v1/checkout-invoice/confirm/*' },
  },
  'direct-credit.create': {
    area: 'base',
    family: 'payment',
    method: 'POST',
    paths: { test: '/sandbox-api/v1/direct-pay/credit-account', live: '/api/v1/direct-pay/credit-account' },
  },
  'payment-request.create': {
    area: 'base',
    family: 'payment-request',
    method: 'POST',
    paths: { live: '/api/v1/dmp-api' },
  },
  'payment-request.status': {
    area: 'base',
    family: 'payment-request',
    method: 'POST',
    paths: { live: '/api/v1/dmp-api/check-status' },
  },
  'balance.all': { area: 'base', family: 'flag', method: 'GET', paths: { live: '/api/v2/disburse/check-balance' } },
  'balance.one': { area: 'base', family: 'flag', method: 'GET', paths: { live: '/api/v2/disburse/check-balance/*' } },
  'disbursement.create': {
    area: 'base',
    family: 'payment',
    method: 'POST',
    paths: { live: '/api/v2/disburse/get-invoice' },
  },
  'disbursement.submit': {
    area: 'base',
    family: 'payment',
    method: 'POST',
    paths: { live: '/api/v2/disburse/submit-invoice' },
  },
  'disbursement.status': {
    area: 'base',
    family: 'payment',
    method: 'POST',
    paths: { live: '/api/v2/disburse/check-status' },
  },
  'sms.login': { area: 'crm', family: 'sms', method: 'POST', paths: { live: '/api/v1/auth/login' } },
  'sms.send': { area: 'crm', family: 'sms', method: 'POST', paths: { live: '/api/v1/sms/send' } },
  'sms.stats': { area: 'crm', family: 'sms', method: 'POST', paths: { live: '/api/v1/sms/stats' } },
} as const satisfies Record<string, EndpointRow>;

export type FixedOperation = keyof typeof fixed;

export interface Endpoint extends EndpointRow {
  /** `disbursement.submit`; softpay paths give `softpay.wallet-b-senegal`, and so on. */
  readonly operation: string;
  readonly mode: Mode;
  /** What stood in the place of `*`. */
  readonly tail: string;
}

const softpayRows = Object.keys(softpayMethods).map((suffix): [string, EndpointRow] => [
  `softpay.${suffix.replace('/', '.')}`,
  { area: 'base', family: 'flag', method: 'POST', paths: { live: `/api/v1/softpay/${suffix}` } },
]);

export const endpointRows: ReadonlyArray<readonly [string, EndpointRow]> = [...Object.entries(fixed), ...softpayRows];

const byAreaAndPath = new Map<string, Endpoint>(
  endpointRows.flatMap(([operation, row]) =>
    (['test', 'live'] as const).flatMap((mode): Array<[string, Endpoint]> => {
      const path = row.paths[mode];
      return path === undefined ? [] : [[`${row.area} ${path}`, { ...row, operation, mode, tail: '' }]];
    }),
  ),
);

/** The endpoint at a path, whatever the method. The query string is not part of a path. */
export function findEndpoint(area: Area, path: string): Endpoint | undefined {
  const exact = byAreaAndPath.get(`${area} ${path}`);
  if (exact !== undefined) return exact;
  const slash = path.lastIndexOf('/');
  const open = byAreaAndPath.get(`${area} ${path.slice(0, slash)}/*`);
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
