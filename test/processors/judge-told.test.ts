/** The meaning of a status check after the result was reported. */
import { test } from 'vitest';
import { AT, type Case, expectJudgement } from './judging.ts';

const cases: readonly Case[] = [
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
    { is: 'look again', dueInMs: 30_000, because: 'agreed_once', saw: 'agreedSeenAt' },
  ],
  [
    'said twice, it stays a failure',
    { state: 'failed', hintedAt: AT - 60_000, agreedSeenAt: AT - 30_000 },
    { status: 'failed' },
    { is: 'over', because: 'nothing_new' },
  ],
  [
    'a look that said otherwise is not the first of the two',
    { state: 'failed', hintedAt: AT - 60_000, contrarySeenAt: AT - 30_000 },
    { status: 'failed' },
    { is: 'look again', dueInMs: 30_000, because: 'agreed_once', saw: 'agreedSeenAt' },
  ],
  [
    'nor is one that came before the callback',
    { state: 'failed', hintedAt: AT - 1_000, agreedSeenAt: AT - 30_000 },
    { status: 'failed' },
    { is: 'look again', dueInMs: 30_000, because: 'agreed_once', saw: 'agreedSeenAt' },
  ],
  [
    'a success after a cancellation was told is told too',
    { state: 'cancelled' },
    { status: 'success', amount: 25_000 },
    { is: 'final', state: 'succeeded', late: true },
  ],
  [
    'a token that was never submitted agrees with a cancellation, without a disburse_id',
    { state: 'cancelled' },
    { status: 'created', disburseId: undefined },
    { is: 'over', because: 'nothing_new' },
  ],
  [
    'after a callback it must agree twice',
    { state: 'cancelled', hintedAt: AT - 1_000 },
    { status: 'created', disburseId: undefined },
    { is: 'look again', dueInMs: 30_000, because: 'agreed_once', saw: 'agreedSeenAt' },
  ],
  [
    'a created of no token agrees with nothing',
    { state: 'cancelled' },
    { status: 'created', token: undefined, disburseId: undefined },
    { is: 'look again', dueInMs: 30_000, because: 'not_named', saw: 'contrarySeenAt' },
  ],
  [
    'a cancelled payment that goes on is looked at again',
    { state: 'cancelled' },
    { status: 'pending' },
    { is: 'look again', dueInMs: 30_000, because: 'contradicted_once', saw: 'contrarySeenAt' },
  ],
  [
    'one that goes on for long is for a person',
    { state: 'cancelled', contrarySeenAt: AT - 1_800_000 },
    { status: 'pending' },
    { is: 'review', because: 'contradicted' },
  ],
  [
    'created says nothing of a payment that was told as failed',
    { state: 'failed' },
    { status: 'created' },
    { is: 'look again', dueInMs: 30_000, because: 'contradicted_once', saw: 'contrarySeenAt' },
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
    { state: 'failed', contrarySeenAt: AT - 1_800_000, contraryLooks: 6 },
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
    'where upstream says it was taken back for long, and never of which payment, the success is for a person',
    { state: 'succeeded', contrarySeenAt: AT - 1_800_000, contraryLooks: 6 },
    { status: 'reversed', disburseId: undefined },
    { is: 'review', because: 'contradicted' },
  ],
  [
    'so is one that stays pending, or is another payment, for long',
    { state: 'succeeded', contrarySeenAt: AT - 1_800_000, contraryLooks: 6 },
    { status: 'reversed', token: 'other' },
    { is: 'review', because: 'contradicted' },
  ],
  [
    'and one of which it says no more than that somebody was paid, after it was taken back once',
    { state: 'succeeded', contrarySeenAt: AT - 1_800_000, contraryLooks: 6, failedSeenAt: AT - 1_900_000 },
    { status: 'success', token: 'other' },
    { is: 'review', because: 'contradicted' },
  ],
  [
    'or after a callback said so',
    { state: 'succeeded', contrarySeenAt: AT - 1_800_000, contraryLooks: 6, hintedAt: AT - 1_900_000 },
    { status: 'success', disburseId: undefined },
    { is: 'review', because: 'contradicted' },
  ],
  [
    'and not while only a few looks have said so: they may have been answered with what is old',
    { state: 'succeeded', contrarySeenAt: AT - 1_800_000, contraryLooks: 5 },
    { status: 'pending' },
    { is: 'look again', dueInMs: 300_000, because: 'status_pending' },
  ],
  [
    'where nothing was said against it, that somebody was paid leaves it as it was told',
    { state: 'succeeded', contrarySeenAt: AT - 1_800_000, contraryLooks: 6 },
    { status: 'success', disburseId: undefined },
    { is: 'over', because: 'status_success' },
  ],
  ...['failed', 'reversed', 'refunded', 'cancelled'].map(
    (status): Case => [
      `what was told as paid and is for a person is reversed when ${status} is said twice`,
      { state: 'needs_review', toldPaid: true, failedSeenAt: AT - 30_000 },
      { status },
      { is: 'final', state: 'reversed', late: true },
    ],
  ),
  [
    'and not when it is said once',
    { state: 'needs_review', toldPaid: true },
    { status: 'reversed' },
    { is: 'look again', dueInMs: 30_000, because: 'undone_once', saw: 'failedSeenAt' },
  ],
  [
    'what was never told as paid is not reversed by a word of such',
    { state: 'needs_review', failedSeenAt: AT - 30_000 },
    { status: 'reversed' },
    { is: 'look again', dueInMs: 86_400_000, because: 'reversed' },
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
    { is: 'look again', dueInMs: 30_000, because: 'agreed_once', saw: 'agreedSeenAt' },
  ],
  [
    'and so must one that a callback has contradicted',
    { state: 'succeeded', hintedAt: AT - 1_000 },
    { status: 'success' },
    { is: 'look again', dueInMs: 30_000, because: 'agreed_once', saw: 'agreedSeenAt' },
  ],
  [
    'said twice, it stays a success',
    { state: 'succeeded', hintedAt: AT - 60_000, failedSeenAt: AT - 60_000, agreedSeenAt: AT - 30_000 },
    { status: 'success' },
    { is: 'over', because: 'nothing_new' },
  ],
  [
    'where the first time was before the last word against it, it is not said twice',
    { state: 'succeeded', hintedAt: AT - 1_000, agreedSeenAt: AT - 30_000 },
    { status: 'success' },
    { is: 'look again', dueInMs: 30_000, because: 'agreed_once', saw: 'agreedSeenAt' },
  ],
  [
    'nor is an answer about something else the first time',
    { state: 'succeeded', hintedAt: AT - 1_000, contrarySeenAt: AT - 30_000, contraryLooks: 1 },
    { status: 'success' },
    { is: 'look again', dueInMs: 30_000, because: 'agreed_once', saw: 'agreedSeenAt' },
  ],
  [
    'a clock that has gone back since keeps nobody looking',
    { state: 'succeeded', hintedAt: AT + 3_600_000, agreedSeenAt: AT - 30_000 },
    { status: 'success' },
    { is: 'over', because: 'nothing_new' },
  ],
];

test.for(cases)('%s', (one) => expectJudgement(one));
