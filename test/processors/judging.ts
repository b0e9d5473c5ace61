/** Status checks case by case: the differences of record and answer from the usual ones. */
import { expect } from 'vitest';
import { type DisbursementRecord, NO_EVIDENCE } from '../../src/operations/record.ts';
import { type Judgement, type StatusAnswer, judge } from '../../src/processors/disbursement/judge.ts';

export const AT = 1_000_000_000;
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
  evidence: NO_EVIDENCE,
  fields: {},
  amount: 25_000,
  accountAlias: '771234567',
  withdrawMode: 'wallet-a-senegal',
  disburseId: 'a1',
  token: 'T1',
  tokenAt: AT - 200_000,
  sends: 1,
  idUsed: false,
  toldPaid: false,
  strangeAnswers: 0,
  contraryLooks: 0,
  unnamedLooks: 0,
  late: false,
  sentAt: AT - 120_000,
  quietUntil: AT - 60_000,
};

export type Case = readonly [
  what: string,
  record: Partial<DisbursementRecord>,
  answer: Partial<StatusAnswer>,
  expected: Judgement,
  strict?: 'strict',
];

export function expectJudgement([, record, answer, expected, strict]: Case): void {
  const how = { ...policy, resubmit: strict === undefined };
  expect(judge({ ...unknown, ...record }, { status: '', token: 'T1', disburseId: 'a1', ...answer }, AT, how)).toEqual(
    expected,
  );
}
