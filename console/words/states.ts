/** Words for states, by kind. A state of openapi.json that is missing here does not compile. */
import type {
  BatchRow,
  CampaignRow,
  DirectCreditRow,
  DisbursementRow,
  InvoiceRow,
  MessageRow,
  PaymentRequestRow,
  RecipientList,
} from '../../src/client/generated/api.ts';

export interface StatesOf {
  disbursement: DisbursementRow['state'];
  batch: BatchRow['state'];
  campaign: CampaignRow['state'];
  recipient: RecipientList['items'][number]['state'] | 'held';
  message: MessageRow['state'];
  invoice: InvoiceRow['state'];
  payment_request: PaymentRequestRow['state'];
  direct_credit: DirectCreditRow['state'];
}

export type Kind = keyof StatesOf;
export type StateWords = { readonly [K in Kind]: Readonly<Record<StatesOf[K], string>> };

/** The meaning of a colour and an icon. Uncertain is separate from all others. */
export type Tone = 'done' | 'bad' | 'uncertain' | 'moving' | 'asks' | 'held' | 'off';

const tones: { readonly [K in Kind]: Readonly<Record<StatesOf[K], Tone>> } = {
  disbursement: {
    awaiting_approval: 'asks',
    queued: 'moving',
    held: 'held',
    created: 'moving',
    submitting: 'moving',
    unknown: 'uncertain',
    pending: 'moving',
    needs_review: 'asks',
    succeeded: 'done',
    failed: 'bad',
    reversed: 'bad',
    rejected: 'bad',
    cancelled: 'off',
  },
  batch: {
    invalid: 'bad',
    awaiting_approval: 'asks',
    running: 'moving',
    needs_review: 'asks',
    finished: 'done',
    cancelled: 'off',
    expired: 'off',
  },
  campaign: {
    draft: 'off',
    ready: 'off',
    awaiting_approval: 'asks',
    scheduled: 'moving',
    running: 'moving',
    paused: 'held',
    held: 'held',
    finished: 'done',
    cancelled: 'off',
  },
  recipient: {
    queued: 'off',
    held: 'held',
    sending: 'moving',
    sent: 'done',
    failed: 'bad',
    unknown: 'uncertain',
    skipped: 'off',
    expired: 'off',
    cancelled: 'off',
  },
  message: {
    queued: 'moving',
    sending: 'moving',
    unknown: 'uncertain',
    sent: 'done',
    failed: 'bad',
    skipped: 'off',
    expired: 'off',
    cancelled: 'off',
  },
  invoice: {
    creating: 'moving',
    pending: 'moving',
    needs_review: 'asks',
    completed: 'done',
    cancelled: 'off',
    failed: 'bad',
  },
  payment_request: {
    creating: 'moving',
    pending: 'moving',
    needs_review: 'asks',
    completed: 'done',
    failed: 'bad',
  },
  direct_credit: {
    queued: 'moving',
    held: 'held',
    sending: 'moving',
    needs_review: 'asks',
    succeeded: 'done',
    rejected: 'bad',
    failed: 'bad',
  },
};

/** An unknown state of a newer relais is shown neutrally by its name. */
export function toneOf(kind: Kind, state: string): Tone {
  const known: Readonly<Record<string, Tone>> = tones[kind];
  return known[state] ?? 'off';
}

export function stateWord(words: StateWords, kind: Kind, state: string): string {
  const known: Readonly<Record<string, string>> = words[kind];
  return known[state] ?? state;
}

export function statesOf(kind: Kind): readonly string[] {
  return Object.keys(tones[kind]);
}
