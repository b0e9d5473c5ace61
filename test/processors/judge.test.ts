import { expect, test } from 'vitest';
import type { DisbursementRecord } from '../../src/operations/record.ts';
import { type Judgement, type StatusAnswer, judge } from '../../src/processors/disbursement/judge.ts';

const AT = 1_000_000_000;
const policy = { pollMs: [2_000, 5_000], quietMs: 60_000, limitMs: 72 * 3_600_000, resubmit: true };

const unknown: DisbursementRecord = {
  kind: 'disbursement',
  id: 'dsb_1',
  state: 'unknown',
  account: 'main',
  createdAt: AT - 200_000,
  updatedAt: AT,
  since: AT,
  rev: 4,
  tries: 0,
  fields: {},
  amount: 25_000,
  accountAlias: '771234567',
  withdrawMode: 'wallet-a-senegal',
  disburseId: 'a1',
  token: 'T1',
  tokenAt: AT - 200_000,
  sends: 1,
  idUsed: false,
  unnamedLooks: 0,
  late: false,
  sentAt: AT - 120_000,
  quietUntil: AT - 60_000,
};

type Case = readonly [
  what: string,
  record: Partial<DisbursementRecord>,
  answer: Partial<StatusAnswer>,
  expected: Judgement,
  strict?: 'strict',
];

const cases: readonly Case[] = [
  ['success settles it', {}, { status: 'success' }, { is: 'final', state: 'succeeded', late: false }],
  [
    'failed once is not enough',
    {},
    { status: 'failed' },
    { is: 'look again', dueInMs: 30_000, because: 'failed_once', saw: 'failedSeenAt' },
  ],
  [
    'failed twice too soon is not enough',
    { failedSeenAt: AT - 10_000 },
    { status: 'failed' },
    { is: 'look again', dueInMs: 20_000, because: 'failed_once' },
  ],
  [
    'failed twice, half a quiet period apart, settles it',
    { failedSeenAt: AT - 30_000 },
    { status: 'failed' },
    { is: 'final', state: 'failed', late: false },
  ],
  [
    'a success that does not name the payment settles nothing',
    {},
    { status: 'success', disburseId: undefined },
    { is: 'look again', dueInMs: 30_000, because: 'unnamed', saw: 'unnamedSeenAt' },
  ],
  [
    'nor does one that does not name its token, or a failed',
    { unnamedSeenAt: AT - 30_000, unnamedLooks: 1 },
    { status: 'failed', token: undefined },
    { is: 'look again', dueInMs: 30_000, because: 'unnamed' },
  ],
  [
    'three looks in less than a quiet period are not enough to give up',
    { unnamedSeenAt: AT - 59_000, unnamedLooks: 2 },
    { status: 'success', disburseId: undefined },
    { is: 'look again', dueInMs: 30_000, because: 'unnamed' },
  ],
  [
    'three looks over a quiet period that do not name it are for a person',
    { unnamedSeenAt: AT - 60_000, unnamedLooks: 2 },
    { status: 'success', disburseId: undefined },
    { is: 'review', because: 'unidentified' },
  ],
  [
    'what needs review is settled by no word that does not name it',
    { state: 'needs_review' },
    { status: 'success', disburseId: undefined },
    { is: 'look again', dueInMs: 86_400_000, because: 'unnamed' },
  ],
  [
    'a success after a failure was told is told too',
    { state: 'failed' },
    { status: 'success', amount: 25_000 },
    { is: 'final', state: 'succeeded', late: true },
  ],
  [
    'what says once more that it failed changes nothing',
    { state: 'failed' },
    { status: 'failed' },
    { is: 'over', because: 'nothing_new' },
  ],
  [
    'once more a failure is not enough where a callback has said otherwise: it may be an old answer',
    { state: 'failed', hintedAt: AT - 1_000 },
    { status: 'failed' },
    { is: 'look again', dueInMs: 30_000, because: 'contradicted_once', saw: 'contrarySeenAt' },
  ],
  [
    'said twice, it stays a failure',
    { state: 'failed', hintedAt: AT - 60_000, contrarySeenAt: AT - 30_000 },
    { status: 'failed' },
    { is: 'over', because: 'nothing_new' },
  ],
  [
    'a failed that does not name the payment takes nothing back of what was said against it',
    { state: 'failed', contrarySeenAt: AT - 30_000 },
    { status: 'failed', token: undefined, disburseId: undefined },
    { is: 'look again', dueInMs: 300_000, because: 'not_named' },
  ],
  [
    'a failure that is taken back once is looked at again',
    { state: 'failed' },
    { status: 'pending' },
    { is: 'look again', dueInMs: 30_000, because: 'contradicted_once', saw: 'contrarySeenAt' },
  ],
  [
    'a failure that is taken back twice, for no word that counts, is for a person',
    { state: 'failed', contrarySeenAt: AT - 30_000 },
    { status: 'success', amount: 24_000 },
    { is: 'review', because: 'contradicted' },
  ],
  [
    'a failure that is pending again may be an old answer',
    { state: 'failed', contrarySeenAt: AT - 30_000 },
    { status: 'pending' },
    { is: 'look again', dueInMs: 300_000, because: 'contradicted_once' },
  ],
  [
    'a failure that stays pending is for a person',
    { state: 'failed', contrarySeenAt: AT - 1_800_000 },
    { status: 'pending' },
    { is: 'review', because: 'contradicted' },
  ],
  [
    'a word about another payment is no answer to who looks at a failure: it is asked for again',
    { state: 'failed' },
    { status: 'success', disburseId: 'b2' },
    { is: 'look again', dueInMs: 30_000, because: 'mismatch_disburse_id', saw: 'contrarySeenAt' },
  ],
  [
    'and again, less often',
    { state: 'failed', contrarySeenAt: AT - 30_000 },
    { status: 'success', disburseId: 'b2' },
    { is: 'look again', dueInMs: 300_000, because: 'mismatch_disburse_id' },
  ],
  [
    'where upstream speaks of other payments for long, the failure stays as it was told',
    { state: 'failed', contrarySeenAt: AT - 1_800_000 },
    { status: 'success', disburseId: 'b2' },
    { is: 'over', because: 'status_success' },
  ],
  [
    'a success that is taken back once is looked at again',
    { state: 'succeeded' },
    { status: 'refunded' },
    { is: 'look again', dueInMs: 30_000, because: 'undone_once', saw: 'failedSeenAt' },
  ],
  ...['failed', 'reversed', 'refunded', 'cancelled'].map(
    (status): Case => [
      `a success that is taken back twice by ${status} is reversed`,
      { state: 'succeeded', failedSeenAt: AT - 30_000 },
      { status },
      { is: 'final', state: 'reversed', late: true },
    ],
  ),
  [
    'no word that does not name it reverses a success: it is asked for again',
    { state: 'succeeded', failedSeenAt: AT - 30_000 },
    { status: 'reversed', disburseId: undefined },
    { is: 'look again', dueInMs: 30_000, because: 'not_named', saw: 'contrarySeenAt' },
  ],
  [
    'a word about another payment is no answer about a success',
    { state: 'succeeded', contrarySeenAt: AT - 30_000 },
    { status: 'success', token: 'other' },
    { is: 'look again', dueInMs: 300_000, because: 'mismatch_token' },
  ],
  [
    'where upstream speaks of other payments for long, the success stays as it was told',
    { state: 'succeeded', contrarySeenAt: AT - 1_800_000 },
    { status: 'reversed', token: 'other' },
    { is: 'over', because: 'status_reversed' },
  ],
  [
    'unless it was taken back once: that is asked for every day',
    { state: 'succeeded', contrarySeenAt: AT - 1_800_000, failedSeenAt: AT - 1_900_000 },
    { status: 'reversed', token: 'other' },
    { is: 'look again', dueInMs: 86_400_000, because: 'mismatch_token' },
  ],
  [
    'a success that nothing has contradicted stays one',
    { state: 'succeeded' },
    { status: 'success' },
    { is: 'over', because: 'nothing_new' },
  ],
  [
    'one that was taken back once must be said again twice: the first may be an old answer',
    { state: 'succeeded', failedSeenAt: AT - 30_000 },
    { status: 'success' },
    { is: 'look again', dueInMs: 30_000, because: 'contradicted_once', saw: 'contrarySeenAt' },
  ],
  [
    'and so must one that a callback has contradicted',
    { state: 'succeeded', hintedAt: AT - 1_000 },
    { status: 'success' },
    { is: 'look again', dueInMs: 30_000, because: 'contradicted_once', saw: 'contrarySeenAt' },
  ],
  [
    'said twice, it stays a success',
    { state: 'succeeded', hintedAt: AT - 60_000, failedSeenAt: AT - 60_000, contrarySeenAt: AT - 30_000 },
    { status: 'success' },
    { is: 'over', because: 'nothing_new' },
  ],
  [
    'a late success settles what needed review',
    { state: 'needs_review' },
    { status: 'success' },
    { is: 'final', state: 'succeeded', late: true },
  ],
  ['pending waits for the next look', { tries: 1 }, { status: 'pending' }, { is: 'pending', dueInMs: 5_000 }],
  ['the last wait repeats', { tries: 9 }, { status: 'pending' }, { is: 'pending', dueInMs: 5_000 }],
  [
    'an unknown word is no final word',
    {},
    { status: 'archived' },
    { is: 'look again', dueInMs: 2_000, because: 'status_archived' },
  ],
  [
    'created within the quiet period is no answer',
    { quietUntil: AT + 10_000 },
    { status: 'created' },
    { is: 'look again', dueInMs: 10_000, because: 'quiet_period' },
  ],
  [
    'created once is not enough',
    {},
    { status: 'created' },
    { is: 'look again', dueInMs: 30_000, because: 'created_once', saw: 'createdSeenAt' },
  ],
  [
    'created twice too soon is not enough',
    { createdSeenAt: AT - 10_000 },
    { status: 'created' },
    { is: 'look again', dueInMs: 20_000, because: 'created_once' },
  ],
  [
    'created twice, half a quiet period apart, is sent again',
    { createdSeenAt: AT - 30_000 },
    { status: 'created' },
    { is: 'resubmit' },
  ],
  [
    'a created that does not name its token may be about any payment, and sends nothing again',
    { createdSeenAt: AT - 30_000 },
    { status: 'created', token: undefined, disburseId: undefined },
    { is: 'look again', dueInMs: 30_000, because: 'unnamed', saw: 'unnamedSeenAt' },
  ],
  [
    'created names its token, and no disburse_id before it was sent',
    { createdSeenAt: AT - 30_000 },
    { status: 'created', disburseId: undefined },
    { is: 'resubmit' },
  ],
  [
    'created, where the disburse_id is used already, may hide a payment that was lost from our books',
    { createdSeenAt: AT - 30_000, idUsed: true },
    { status: 'created' },
    { is: 'review', because: 'disburse_id_used' },
  ],
  [
    'strict never sends twice',
    { createdSeenAt: AT - 30_000 },
    { status: 'created' },
    { is: 'review', because: 'never_executed' },
    'strict',
  ],
  [
    'three sends are the most',
    { createdSeenAt: AT - 30_000, sends: 3 },
    { status: 'created' },
    { is: 'review', because: 'sent_three_times' },
  ],
  [
    'an old token is not sent again',
    { createdSeenAt: AT - 30_000, tokenAt: AT - 90_000_000 },
    { status: 'created' },
    { is: 'review', because: 'token_too_old' },
  ],
  [
    'created after pending is stale, not a reason to send',
    { state: 'pending', createdSeenAt: AT - 30_000 },
    { status: 'created' },
    { is: 'look again', dueInMs: 2_000, because: 'status_created' },
  ],
  [
    'another amount is not our answer',
    {},
    { status: 'success', amount: 24_000 },
    { is: 'review', because: 'mismatch_amount' },
  ],
  [
    'another disburse_id is not our answer',
    {},
    { status: 'success', disburseId: 'b2' },
    { is: 'review', because: 'mismatch_disburse_id' },
  ],
  [
    'another token is not our answer',
    {},
    { status: 'success', token: 'T2' },
    { is: 'review', because: 'mismatch_token' },
  ],
  [
    'an amount nobody can read proves nothing',
    {},
    { status: 'success', amountRaw: '25 000,5' },
    { is: 'review', because: 'unreadable_amount' },
  ],
  [
    'the right amount and names settle it',
    {},
    { status: 'success', amount: 25_000, disburseId: 'a1', token: 'T1' },
    { is: 'final', state: 'succeeded', late: false },
  ],
  [
    'past the limit a person looks',
    { state: 'pending', sentAt: AT - 73 * 3_600_000 },
    { status: 'pending' },
    { is: 'review', because: 'poll_exhausted' },
  ],
  [
    'a success past the limit still counts',
    { state: 'pending', sentAt: AT - 73 * 3_600_000 },
    { status: 'success' },
    { is: 'final', state: 'succeeded', late: false },
  ],
  [
    'what needs review is looked at daily',
    { state: 'needs_review' },
    { status: 'pending' },
    { is: 'look again', dueInMs: 86_400_000, because: 'pending' },
  ],
  [
    'what needs review is never sent again by itself',
    { state: 'needs_review', createdSeenAt: AT - 30_000 },
    { status: 'created' },
    { is: 'look again', dueInMs: 86_400_000, because: 'created' },
  ],
];

test.for(cases)('%s', ([, record, answer, expected, strict]) => {
  const how = { ...policy, resubmit: strict === undefined };
  expect(judge({ ...unknown, ...record }, { status: '', token: 'T1', disburseId: 'a1', ...answer }, AT, how)).toEqual(
    expected,
  );
});
