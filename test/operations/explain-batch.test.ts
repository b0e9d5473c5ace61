import { expect, test } from 'vitest';
import type { StateOf } from '../../src/kinds/index.ts';
import { explainBatch } from '../../src/operations/explain-batch.ts';
import type { Circumstances } from '../../src/operations/explanation.ts';
import { readRecord } from '../../src/operations/record.ts';

const NOW = Date.parse('2026-11-21T08:00:00Z');
const calm: Circumstances = {
  now: NOW,
  holds: [],
  accountKnown: true,
  pausedQueues: [],
  failureOf: () => undefined,
};
const batch = (state: StateOf<'batch'>) =>
  readRecord('batch', {
    kind: 'batch',
    id: 'bat_1',
    state,
    account: 'main',
    createdAt: String(NOW),
    since: String(NOW),
    by: 'awa',
    contentHash: 'b5bb9d80',
    fileName: 'salaires.csv',
    totals: JSON.stringify({ count: 200, xof: 45_677_500, countries: {}, modes: {} }),
    problems: '{"count":0,"list":[]}',
    warnings: '{"count":0,"list":[]}',
  });

const MOSTLY_PAID = { succeeded: { count: 197, xof: 45_013_500 }, failed: { count: 3, xof: 664_000 } };

test('a finished batch with unpaid rows shows how many, for how much, and how to pay them again', () => {
  const { summary, next } = explainBatch(batch('finished'), MOSTLY_PAID, calm);
  expect(summary).toMatch(/^Batch salaires\.csv of 200 payments, 45\s677\s500\sXOF\./);
  expect(summary).toMatch(/197 paid: 45\s013\s500\sXOF\. 3 not paid: 664\s000\sXOF\./);
  expect(next).toContain('relais disburse batch-rows bat_1 --outcome notPaid');
  expect(next).toContain('relais disburse batch-retry bat_1');
  const french = explainBatch(batch('finished'), MOSTLY_PAID, { ...calm, language: 'fr' });
  expect(french.summary).toMatch(/197 payés : 45\s013\s500\sF\sCFA\. 3 non payés : 664\s000\sF\sCFA\./);
});

test('a finished batch of which every row was paid leaves nothing to do', () => {
  const { next } = explainBatch(batch('finished'), { succeeded: { count: 200, xof: 45_677_500 } }, calm);
  expect(next).toBe('There is nothing to do.');
});

test('uncertain payments come first in the next steps', () => {
  const states = { ...MOSTLY_PAID, needs_review: { count: 1, xof: 500 } };
  const { summary, next } = explainBatch(batch('finished'), states, calm);
  expect(summary).toMatch(/1 uncertain: 500\sXOF\./);
  expect(next).toMatch(/^Decide the uncertain payments: relais review list/);
});

test('a batch that waits for its approval is described, with the need for a different person', () => {
  const { summary, next } = explainBatch(batch('awaiting_approval'), {}, calm);
  expect(summary).not.toContain('paid:');
  expect(next).toContain('relais disburse approve bat_1');
});
