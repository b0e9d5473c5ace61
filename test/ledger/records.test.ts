/** Rows of the table `operation` as records of their kinds. */
import { describe, expect, test } from 'vitest';
import { type OperationRow, columnsOfNew, readRow } from '../../src/ledger/records.ts';
import { UnreadableRecord } from '../../src/operations/record.ts';
import { readEvidence } from '../../src/operations/transition.ts';

const AT = new Date('2026-11-21T08:00:00.000Z');
const LATER = new Date('2026-11-21T09:00:00.000Z');

const row = (over: Partial<OperationRow> = {}): OperationRow => ({
  id: 'dsb_1',
  kind: 'disbursement',
  account: 'main',
  reference: null,
  state: 'queued',
  amount: '500',
  request: { accountAlias: '771234567', withdrawMode: 'wave-senegal' },
  metadata: null,
  payee_name: null,
  purpose: null,
  provider_id: 'd-1',
  token: null,
  transaction_id: null,
  provider_ref: null,
  facts: {},
  evidence: [],
  evidence_total: 0,
  reason: null,
  sends: 0,
  tries: 0,
  token_at: null,
  sent_at: null,
  quiet_until: null,
  not_before: null,
  batch: null,
  created_by: 'shop',
  approved_by: null,
  approved_at: null,
  rejected_by: null,
  note: null,
  trace: null,
  created_at: AT,
  updated_at: LATER,
  since: AT,
  version: 3,
  ...over,
});

describe('a disbursement', () => {
  test('has its columns, then its facts, then its request', () => {
    const facts = { late: 1, failedSeenAt: LATER.getTime(), keys: 'print', unnamedLooks: 2 };
    const read = readRow('disbursement', row({ token: 'tok', token_at: LATER, facts, note: 'why' }));
    expect(read).toEqual({
      kind: 'disbursement',
      id: 'dsb_1',
      state: 'queued',
      account: 'main',
      amount: 500,
      accountAlias: '771234567',
      withdrawMode: 'wave-senegal',
      disburseId: 'd-1',
      token: 'tok',
      tokenAt: LATER.getTime(),
      late: true,
      failedSeenAt: LATER.getTime(),
      keys: 'print',
      note: 'why',
      by: 'shop',
      createdAt: AT.getTime(),
      updatedAt: LATER.getTime(),
      since: AT.getTime(),
      rev: 3,
      sends: 0,
      tries: 0,
      idUsed: false,
      toldPaid: false,
      strangeAnswers: 0,
      unnamedLooks: 2,
      contraryLooks: 0,
      evidence: { lines: [], total: 0 },
    });
  });

  test('without a field that it must have, or in a state that its kind does not have, is unreadable', () => {
    const read = readRow('disbursement', row({ request: {} }));
    expect(read).toBeInstanceOf(UnreadableRecord);
    expect(read).toMatchObject({ id: 'dsb_1', account: 'main' });
    expect(readRow('disbursement', row({ state: 'sending' }))).toBeInstanceOf(UnreadableRecord);
    expect(readRow('invoice', row())).toBeInstanceOf(UnreadableRecord);
  });

  test('has evidence that reads like that of a record in Redis', () => {
    const evidence = [`${AT.toISOString()} submit|intended||send 1`, `${LATER.toISOString()} submit|ok|200|pending`];
    const read = readRow('disbursement', row({ evidence, evidence_total: 5 }));
    if (read instanceof UnreadableRecord) throw read;
    expect(readEvidence(read)).toEqual({
      lines: [
        { at: AT.getTime(), operation: 'submit', code: 'intended', detail: 'send 1' },
        { at: LATER.getTime(), operation: 'submit', code: 'ok', httpStatus: 200, detail: 'pending' },
      ],
      dropped: 3,
    });
  });
});

test('an invoice and a payment request have their amount and the name at the provider in the same columns', () => {
  const invoice = row({ kind: 'invoice', state: 'pending', token: 'inv', request: { request: '{"a":1}' } });
  expect(readRow('invoice', invoice)).toMatchObject({ totalAmount: 500, token: 'inv', request: '{"a":1}' });
  const asked = row({
    kind: 'payment_request',
    state: 'pending',
    provider_ref: 'PR-1',
    request: { feesPaidBy: 'customer', notify: 1 },
  });
  expect(readRow('payment_request', asked)).toMatchObject({
    askedAmount: 500,
    referenceNumber: 'PR-1',
    feesPaidBy: 'customer',
    notify: true,
  });
});

test('a message belongs to no slice', () => {
  const message = row({ kind: 'message', amount: null, request: { to: '+221771234567', lane: 'otp', text: 'Hi' } });
  expect(readRow('message', message)).toMatchObject({ to: '+221771234567', lane: 'otp', text: 'Hi' });
});

test('a new record is divided into columns, request and facts', () => {
  expect(
    columnsOfNew('disbursement', {
      by: 'shop',
      amount: 500,
      accountAlias: '771234567',
      disburseId: 'd-1',
      notBefore: AT.getTime(),
      acceptedFor: 'print',
      batch: 'bat_1',
    }),
  ).toEqual({
    columns: { created_by: 'shop', amount: 500, provider_id: 'd-1', not_before: AT.getTime(), batch: 'bat_1' },
    request: { accountAlias: '771234567' },
    facts: { acceptedFor: 'print' },
  });
});
