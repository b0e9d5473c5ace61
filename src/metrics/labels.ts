/**
 * Every value a label may have. All of them are words of our own declarations: an id, a telephone number or what
 * upstream wrote must never become one, since each new value is a new time series that is kept for weeks.
 */
import { kinds, type StateOf, statesOf } from '../operations/lifecycle.ts';
import { STOPPED } from '../operations/accounts.ts';
import { dueQueues } from '../operations/due-queues.ts';
import { queueNames } from '../queues/index.ts';
import { failures } from '../upstream/failures.ts';
import type { HoldCondition, UpstreamOperation } from '../upstream/verdict.ts';

/** What a value that is not listed is counted as, so that no surprise can add a series. */
export const OTHER = 'other';

/** Keys of a record, because the compiler finds a missing key and no missing list item. */
const wordsOf = <Word extends string>(words: Readonly<Record<Word, true>>): readonly Word[] =>
  Object.keys(words) as Word[];

const settlements = [
  'advanced',
  'ended',
  'waits',
  'retries',
  'unknown',
  'needs_review',
  'idle',
  'lost',
  'refused',
] as const;

const operations = wordsOf<UpstreamOperation>({
  invoice_create: true,
  invoice_confirm: true,
  direct_credit: true,
  payment_request_create: true,
  payment_request_status: true,
  balance: true,
  disbursement_create: true,
  disbursement_submit: true,
  disbursement_status: true,
  softpay: true,
  softpay_confirm: true,
  sms_login: true,
  sms_send: true,
  sms_statistics: true,
});

const holdReasons = wordsOf<HoldCondition | typeof STOPPED>({
  [STOPPED]: true,
  funds: true,
  callback_unreachable: true,
  funds_or_callback: true,
  not_authorised: true,
  maintenance: true,
  not_understood: true,
});

/** A chunk is how we send, not what a caller asked for, so it is no operation to anybody who reads a gauge. */
export const countedKinds = kinds.filter((kind) => kind !== 'chunk');

/** An operation in one of these may have moved money already, or may do so any moment. */
export const moneyInDoubt = {
  disbursement: ['submitting', 'unknown', 'pending', 'needs_review'],
  direct_credit: ['sending', 'needs_review'],
} as const satisfies {
  readonly disbursement: readonly StateOf<'disbursement'>[];
  readonly direct_credit: readonly StateOf<'direct_credit'>[];
};

/** Texts of a chunk in one of these may have been sent, and nobody knows yet. */
export const chunksInDoubt = ['sending', 'unknown'] as const satisfies readonly StateOf<'chunk'>[];

/** Names that only the settings know. How many series they make is bounded where the holds are read. */
export const ACCOUNT_NAMES = 'account names';

/** As the script that settles a chunk counts them. */
export const messageOutcomes = ['sent', 'failed', 'unknown', 'expired'] as const;

/** Those of the catalogue, which lies on our own row; a test holds them together. */
const eventTypes = [
  'disbursement.succeeded',
  'disbursement.failed',
  'disbursement.reversed',
  'disbursement.rejected',
  'disbursement.cancelled',
  'disbursement.needs_review',
  'disbursement.held',
  'message.sent',
  'message.failed',
  'message.unknown',
  'message.expired',
  'message.skipped',
  'campaign.finished',
  'campaign.paused',
  'campaign.cancelled',
  'campaign.held',
  'batch.finished',
  'batch.needs_review',
  'invoice.completed',
  'invoice.cancelled',
  'invoice.failed',
  'invoice.needs_review',
  'payment_request.completed',
  'payment_request.failed',
  'payment_request.needs_review',
  'payment_request.untracked',
  'direct_credit.succeeded',
  'direct_credit.rejected',
  'direct_credit.failed',
  'direct_credit.needs_review',
  'account.held',
  'account.released',
  'endpoint.disabled',
  'system.recovering',
  'system.recovered',
] as const;

/** Settlements that take back an end of which callers were told. */
export const contradictions = ['paid_after_all', 'reversed', 'contradicted'] as const;

/** The closed sets, by the name that `declarations` uses for them. */
export const words = {
  queues: queueNames,
  dueQueues,
  jobStates: ['waiting', 'active', 'delayed', 'prioritized', 'waiting-children', 'completed', 'failed'],
  settlements,
  operations,
  codes: ['ok', ...Object.keys(failures)],
  kinds: countedKinds,
  states: [...new Set<string>(countedKinds.flatMap((kind) => statesOf(kind)))],
  inDoubtStates: [...new Set(Object.values(moneyInDoubt).flat())],
  chunksInDoubt,
  messageOutcomes,
  callbackKinds: ['disbursement', 'invoice', 'none'],
  deliveryOutcomes: ['delivered', 'retried', 'undelivered'],
  wrongKeyAnswers: ['401', '429'],
  contradictions,
  callbackVerdicts: ['look', 'noted', 'unmatched', 'contradicts', 'probe', 'wrong_path', 'unavailable'],
  areas: ['payments', 'messaging', 'direct_credit'],
  holdReasons,
  eventTypes,
  roles: ['worker', 'webhooks', 'api'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type WordSet = keyof typeof words;

export function fold(set: WordSet, value: string): string {
  const known: readonly string[] = words[set];
  return known.includes(value) ? value : OTHER;
}
