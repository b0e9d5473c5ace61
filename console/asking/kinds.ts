/** Kinds of operations: list requests, counts, and the kind of an id. */
import type { Kind } from '../words/states.ts';
import type { OperationId } from './ask.ts';

export type Listed = Exclude<Kind, 'recipient'>;

export const getters = {
  disbursement: 'getDisbursement',
  batch: 'getBatch',
  campaign: 'getCampaign',
  message: 'getMessage',
  invoice: 'getInvoice',
  payment_request: 'getPaymentRequest',
  direct_credit: 'getDirectCredit',
} as const satisfies Readonly<Record<Listed, OperationId>>;

export const lists = {
  disbursement: 'listDisbursements',
  batch: 'listBatches',
  campaign: 'listCampaigns',
  message: 'listMessages',
  invoice: 'listInvoices',
  payment_request: 'listPaymentRequests',
  direct_credit: 'listDirectCredits',
} as const satisfies Readonly<Record<Listed, OperationId>>;

export const listed = Object.keys(lists) as readonly Listed[];

const PREFIXES: Readonly<Record<string, Listed>> = {
  dsb: 'disbursement',
  bat: 'batch',
  cmp: 'campaign',
  msg: 'message',
  inv: 'invoice',
  prq: 'payment_request',
  dcr: 'direct_credit',
};

export function kindOf(id: string): Listed | undefined {
  return PREFIXES[id.slice(0, id.indexOf('_'))];
}

/** A campaign has a page of its own. */
export function pageOf(id: string): string {
  return kindOf(id) === 'campaign' ? `/campaigns/${id}` : `/o/${id}`;
}

/** Common fields, for tables with several kinds. */
export interface AnyRow {
  readonly id: string;
  readonly state: string;
  readonly name?: string;
  readonly account?: string;
  readonly amount?: number;
  readonly totalAmount?: number;
  readonly totalWithoutFees?: number | null;
  readonly fees?: number | null;
  readonly customer?: { readonly name?: string; readonly phone?: string; readonly email?: string };
  readonly totals?: { readonly xof?: number; readonly count?: number; readonly total?: number };
  readonly accountAlias?: string;
  readonly to?: string;
  readonly withdrawMode?: string;
  readonly reference?: string | null;
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly sentAt?: string | null;
  readonly transactionId?: string | null;
  readonly providerRef?: string | null;
  readonly disburseId?: string;
  readonly token?: string | null;
  readonly batch?: string;
  readonly campaign?: string | null;
  readonly approvedBy?: string | null;
  readonly approvedAt?: string | null;
  readonly uploadedBy?: string;
  readonly fileName?: string;
  readonly retryOf?: string;
  readonly outcome?: {
    readonly notPaid: { readonly count: number };
    readonly uncertain: { readonly count: number };
  } | null;
  readonly resolvedBy?: string;
  readonly note?: string;
  readonly reason?: string | null;
  readonly failure?: string | null;
  readonly code?: string | null;
  readonly url?: string | null;
  readonly history?: readonly Evidence[];
  readonly historyDropped?: number;
}

export interface Evidence {
  readonly at: string;
  readonly operation: string;
  readonly code: string;
  readonly httpStatus?: number;
  readonly detail?: string;
}

/** XOF of any kind; undefined: it moves no money. */
export function xofOf({ amount, totalAmount, totals }: AnyRow): number | undefined {
  return amount ?? totalAmount ?? totals?.xof;
}
