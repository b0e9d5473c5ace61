/** What callers are told about an operation. No telephone number: a caller knows whom it paid by its reference. */
import type { RecordAt } from '../operations/record.ts';
import type { EventDraft } from '../operations/settle.ts';

/** The kinds that are carried out by attempts, each with the states that callers are told of. */
interface AnnouncedBy {
  readonly disbursement: 'succeeded' | 'failed' | 'reversed' | 'rejected' | 'cancelled' | 'needs_review' | 'held';
  readonly invoice: 'completed' | 'cancelled' | 'failed' | 'needs_review';
  /** `untracked`: it was sent and can never be looked at, so this is the last that is heard of it. */
  readonly payment_request: 'completed' | 'failed' | 'needs_review' | 'untracked';
  readonly direct_credit: 'succeeded' | 'rejected' | 'failed' | 'needs_review';
}

export type AttemptedKind = keyof AnnouncedBy;
export type CollectKind = Exclude<AttemptedKind, 'disbursement'>;
export type Announced<K extends AttemptedKind> = AnnouncedBy[K];

type Data = Readonly<Record<string, unknown>>;

const dataOf: { readonly [K in AttemptedKind]: (record: RecordAt<K>) => Data } = {
  disbursement: ({ amount, withdrawMode, disburseId, transactionId, providerRef }) => ({
    amount,
    withdrawMode,
    disburseId,
    transactionId,
    providerRef,
  }),
  invoice: ({ totalAmount, token }) => ({ totalAmount, token }),
  payment_request: ({ askedAmount, referenceNumber }) => ({ amount: askedAmount, referenceNumber }),
  direct_credit: ({ amount, transactionId }) => ({ amount, transactionId }),
};

export function eventOf<K extends AttemptedKind>(record: RecordAt<K>, to: Announced<K>, more: Data = {}): EventDraft {
  const { kind, id, reference } = record;
  const state = to === 'untracked' ? 'pending' : to;
  return { type: `${kind}.${to}`, data: { id, state, reference, ...dataOf[kind](record), ...more } };
}
