/** The story of an operation in plain words, and what to do next. Pure, so that every sentence has a test. */
import { describeXof } from '../lib/money.ts';
import { type Evidence, readEvidence } from './evidence.ts';
import type { DisbursementState } from './lifecycle.ts';
import type { DisbursementRecord } from './record.ts';

export interface Explanation {
  readonly id: string;
  readonly state: string;
  /** One sentence: where it stands. */
  readonly summary: string;
  /** What happened, oldest first. */
  readonly story: readonly { readonly at: string; readonly what: string }[];
  /** What to do, or that nothing is to be done. */
  readonly next: string;
}

const standing: Readonly<Record<DisbursementState, string>> = {
  awaiting_approval: 'It waits for the approval of another key; nothing was sent.',
  queued: 'It is accepted and waits for its turn; nothing was sent.',
  held: 'It waits for a condition to clear; nothing was sent.',
  created: 'Upstream gave a token for it; the payment itself was not sent yet.',
  submitting: 'The payment is being sent at this moment, or was when a worker died.',
  unknown: 'The payment may or may not have been made; upstream is being asked.',
  pending: 'Upstream took it and is working on it.',
  needs_review: 'It cannot be settled without a person.',
  succeeded: 'The beneficiary was paid, once; upstream confirmed it.',
  failed: 'The beneficiary was not paid; upstream said that it failed.',
  rejected: 'It was never submitted, so nobody was paid.',
  cancelled: 'It was cancelled before anything was paid.',
};

/** Why it stands where it stands, and what to do. One row per reason that the processors give. */
const reasons: Readonly<Record<string, readonly [why: string, next: string]>> = {
  funds: ['the balance did not suffice', 'Top up the balance; it goes on by itself within HOLD_RECHECK.'],
  callback_unreachable: [
    'upstream could not reach our callback address',
    'Check PUBLIC_URL and the webhooks listener; it goes on by itself.',
  ],
  funds_or_callback: [
    'the balance did not suffice, or our callback address could not be reached; upstream did not say which',
    'Check the balance and PUBLIC_URL; it goes on by itself.',
  ],
  not_authorised: [
    'upstream refused our keys for this',
    'Check the keys, and that disbursement is enabled in the application; it goes on by itself.',
  ],
  not_submitted_in_time: [
    'it could not be submitted within DISBURSEMENT_LIMIT',
    'Send it again under another reference.',
  ],
  disburse_id_used: [
    'upstream already knows our disburse_id, although this record never sent it: it may have been paid before data was lost',
    'Look for the disburse_id in the dashboard of the service, then resolve it.',
  ],
  never_executed: [
    'upstream says twice that the payment was never executed, and DISBURSEMENT_RESUBMIT=strict forbids sending it again',
    'Resolve it with `resubmit` or `cancelled`.',
  ],
  sent_three_times: [
    'it was sent three times and never executed',
    'Ask the service about the token, then resolve it.',
  ],
  token_too_old: ['its token is older than a day', 'Ask the service about the token, then resolve it.'],
  poll_exhausted: [
    'upstream has not settled it within DISBURSEMENT_LIMIT',
    'It is still looked at daily, and a late word settles it; or ask the service and resolve it.',
  ],
  mismatch_amount: [
    'upstream names another amount than was asked for',
    'Compare with the dashboard, then resolve it.',
  ],
  mismatch_token: ['upstream answered about another token', 'Compare with the dashboard, then resolve it.'],
  mismatch_disburse_id: ['upstream names another disburse_id', 'Compare with the dashboard, then resolve it.'],
  unreadable_amount: ['upstream names an amount that cannot be read', 'Compare with the dashboard, then resolve it.'],
  cancelled_by_caller: ['the caller cancelled it', 'Nothing is to be done.'],
  '1001': ['upstream does not know the withdraw mode', 'Send it again with another withdrawMode.'],
};

const nextByDefault: Partial<Record<DisbursementState, string>> = {
  awaiting_approval: 'Approve it with another key: POST /v1/disbursements/{id}/approve.',
  needs_review: 'See the evidence, ask the service, then resolve it: relais review resolve.',
  rejected: 'Mend the cause and send it again under another reference.',
  failed: 'A new payment is a new disbursement with another reference.',
};

export function explainDisbursement(record: DisbursementRecord): Explanation {
  const { id, state, amount, withdrawMode, reference, reason } = record;
  const [why, next] = (reason ? reasons[reason] : undefined) ?? [reason, undefined];
  const names = `${describeXof(amount)} by ${withdrawMode}${reference ? `, reference ${reference}` : ''}`;
  const { lines, dropped } = readEvidence(record.fields);
  return {
    id,
    state,
    summary: `Disbursement of ${names}. ${standing[state]}${why ? ` Reason: ${why}.` : ''}`,
    story: [
      { at: new Date(record.createdAt).toISOString(), what: 'accepted' },
      ...lines.map((line) => ({ at: new Date(line.at).toISOString(), what: tell(line) })),
      ...(dropped > 0 ? [{ at: '', what: `${dropped} lines in the middle are no longer kept` }] : []),
    ],
    next: next ?? nextByDefault[state] ?? 'Nothing is to be done.',
  };
}

function tell({ operation, code, httpStatus, detail }: Evidence): string {
  const answer = `${code}${detail ? ` ${detail}` : ''}${httpStatus ? ` (HTTP ${httpStatus})` : ''}`;
  switch (operation) {
    case 'create':
      return code === 'ok' ? 'upstream gave a token' : `upstream gave no token: ${answer}`;
    case 'submit':
      return code === 'intended' ? `about to submit (${detail ?? ''})` : `submit answered: ${answer}`;
    case 'status':
      return code === 'ok' || code === '00'
        ? `asked: upstream says ${detail ?? 'nothing'}`
        : `asked in vain: ${answer}`;
    case 'callback':
      return `upstream called back, claiming ${code}: not believed, but looked at`;
    case 'resolve':
      return `resolved as ${code} by ${detail ?? 'somebody'}`;
    case 'approve':
      return `approved by ${detail ?? 'somebody'}`;
    case 'cancel':
      return `cancelled by ${detail ?? 'somebody'}`;
    default:
      return `${operation}: ${answer}`;
  }
}
