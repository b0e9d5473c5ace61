/** A refusal lists all problems of a request, so that one retry is enough. */
import { expect, test } from 'vitest';
import { judgeDisbursement } from '../../src/producer/acceptance.ts';

const options = { environment: 'test', accounts: new Set(['main']) };
const order = { accountAlias: '771234567', amount: 5_000, withdrawMode: 'wallet-a-senegal', reference: 'r' };
const pointersOf = (request: object, more: object = {}): string[] => {
  const judged = judgeDisbursement({ ...order, ...request }, { ...options, ...more });
  return judged.is === 'invalid' ? judged.problems.map(({ pointer }) => pointer).toSorted() : [];
};

test('a wrong amount hides no wrong mode, number, account or name', () => {
  expect(pointersOf({ amount: 'many', withdrawMode: 'wallet-x-senegal', account: 'nobody' })).toEqual([
    '/account',
    '/amount',
    '/withdrawMode',
  ]);
  expect(pointersOf({ amount: 0, accountAlias: '+2250701234567', reference: undefined })).toEqual([
    '/accountAlias',
    '/amount',
    '/reference',
  ]);
  expect(pointersOf({ amount: 0, debitAccountNumber: 'BBJ0123456789', typo: 1 })).toEqual([
    '/amount',
    '/debitAccountNumber',
    '/typo',
  ]);
});

test('a field reported by its form is not reported twice', () => {
  expect(pointersOf({ withdrawMode: 5, reference: '' })).toEqual(['/reference', '/withdrawMode']);
});

test('a number that its mode does not pay is refused, unless it is meant', () => {
  expect(pointersOf({ accountAlias: '0701234567' })).toEqual(['/accountAlias']);
  expect(pointersOf({ accountAlias: '0701234567', allowUnusualNumber: true })).toEqual([]);
  expect(pointersOf({ accountAlias: '+2250701234567', allowUnusualNumber: true })).toEqual(['/accountAlias']);
  expect(pointersOf({ accountAlias: '0701234567', withdrawMode: 'wallet-a-ci' })).toEqual([]);
  // In a batch, the approver is warned.
  expect(pointersOf({ accountAlias: '0701234567' }, { unusual: 'warned' })).toEqual([]);
});

test('the same order under the same reference is the same, whether the number was vouched for or not', () => {
  const printOf = (request: object) => {
    const judged = judgeDisbursement({ ...order, ...request }, options);
    return judged.is === 'sound' && judged.names.fingerprint;
  };
  expect(printOf({ allowUnusualNumber: true })).toBe(printOf({}));
});
