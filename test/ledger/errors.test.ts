/** Texts of PostgreSQL quote rows, so our errors contain none of them. */
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import {
  DatabaseAway,
  IsStandby,
  StatementRefused,
  UnsafeDatabase,
  isLedgerAway,
  readError,
  readOpening,
} from '../../src/ledger/errors.ts';

const person = '+221771234567';
const told = {
  message: `null value in column "state" of ${person}`,
  detail: `Failing row contains (dsb_1, ${person}).`,
  hint: person,
  where: `unnamed portal parameter $1 = '${person}'`,
  internalQuery: person,
};

test.for(['23502', '22021', '23505', '57014', '40P01', '42703', 'RL001', '57P01'])(
  'an error with SQLSTATE %s has no text of PostgreSQL',
  (code) => {
    const error = readError(Object.assign(new Error(told.message), told, { code, severity: 'ERROR' }));
    expect(inspect(error, { depth: 9 })).not.toContain(person);
  },
);

test('a connection that cannot be opened is away, and one that cannot be prepared says why', () => {
  const reported = (code: string, severity: string): unknown =>
    Object.assign(new Error(told.message), told, { code, severity });
  const unsafe = new UnsafeDatabase('fsync is off');
  expect(readOpening(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))).toBeInstanceOf(DatabaseAway);
  expect(readOpening(reported('57P03', 'FATAL'))).toBeInstanceOf(DatabaseAway);
  expect(readOpening(reported('42501', 'ERROR'))).toEqual(new StatementRefused('42501', undefined));
  expect(readOpening(unsafe)).toBe(unsafe);
});

test('a server that cannot be used now may be fit when the same call is made again', () => {
  expect([new UnsafeDatabase('fsync is off'), new IsStandby()].map(isLedgerAway)).toEqual([true, true]);
});
