import { type Kind, kindOf } from '../kinds/index.ts';
import type { ProcessorContext, AttemptResult } from './context.ts';
import { lookAtChunk } from './chunk-look.ts';
import { isSlice } from '../operations/slices.ts';
import { lookAtDisbursement } from './look.ts';
import { advancePaymentRequest } from './payment-request.ts';
import { lookAtSlice } from './text/look.ts';

/** What is looked at, by kind. A kind that can be in doubt and is not listed here would stay so for ever. */
const looks: Partial<Record<Kind, (id: string, context: ProcessorContext) => Promise<AttemptResult>>> = {
  disbursement: lookAtDisbursement,
  chunk: lookAtChunk,
  payment_request: advancePaymentRequest,
};

export async function pollStatus(id: string, context: ProcessorContext): Promise<AttemptResult> {
  if (isSlice(id)) return lookAtSlice(id, context);
  const kind = kindOf(id) ?? (await context.queries.kindOf(id));
  const look = kind ? looks[kind] : undefined;
  return look ? look(id, context) : { outcome: 'idle', reason: kind ? 'nothing_to_look_at' : 'none' };
}
