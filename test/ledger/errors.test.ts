/** Texts of PostgreSQL quote rows, so our errors contain none of them. */
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { readError } from '../../src/ledger/errors.ts';

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
