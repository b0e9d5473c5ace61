import type { Kind } from '../operations/lifecycle.ts';
import type { ProcessorContext, AttemptResult } from './context.ts';
import { lookAtChunk } from './chunk-look.ts';
import { lookAtDisbursement } from './look.ts';
import { advancePaymentRequest } from './payment-request.ts';

/** What is looked at, by kind. A kind that can be in doubt and is not listed here would stay so for ever. */
const looks: Partial<Record<Kind, (id: string, context: ProcessorContext) => Promise<AttemptResult>>> = {
  disbursement: lookAtDisbursement,
  chunk: lookAtChunk,
  payment_request: advancePaymentRequest,
};

/** An id says what it names, so nobody has to ask. Chunks are named after their campaign, or for themselves. */
const PREFIX: Readonly<Record<string, Kind>> = {
  dsb: 'disbursement',
  prq: 'payment_request',
  cmp: 'chunk',
  chk: 'chunk',
};

export async function pollStatus(id: string, context: ProcessorContext): Promise<AttemptResult> {
  const kind = PREFIX[id.slice(0, id.indexOf('_'))] ?? (await context.queries.kindOf(id));
  const look = kind ? looks[kind] : undefined;
  return look ? look(id, context) : { did: 'idle', because: kind ? 'nothing_to_look_at' : 'none' };
}
