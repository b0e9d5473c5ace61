import { describeXof } from '../lib/money.ts';
import type { JsonObject } from './client.ts';
import type { Row } from './output.ts';

export const BASE = '/v1/disbursements';

export function pathOf(id: string): string {
  return `${BASE}/${encodeURIComponent(id)}`;
}

/** In the order a person asks: which, how is it, what is it, why, what does the service call it. */
export function factsOf(body: JsonObject): Row {
  const amount = body['amount'];
  return [
    ['id', body['id']],
    ['state', body['state']],
    ['reason', body['reason']],
    ['amount', typeof amount === 'number' ? describeXof(amount) : amount],
    ['to', body['accountAlias']],
    ['mode', body['withdrawMode']],
    ['debit', body['debitAccountNumber']],
    ['reference', body['reference']],
    ['account', body['account']],
    ['not before', body['notBefore']],
    ['disburse id', body['disburseId']],
    ['token', body['token']],
    ['transaction', body['transactionId']],
    ['provider ref', body['providerRef']],
    ['approved by', body['approvedBy']],
    ['resolved by', body['resolvedBy']],
    ['note', body['note']],
    ['created', body['createdAt']],
    ['updated', body['updatedAt']],
  ];
}
