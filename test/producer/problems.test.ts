import { expect, test } from 'vitest';
import { z } from 'zod';
import { amountXof } from '../../src/kinds/request-pieces.ts';
import { check } from '../../src/producer/problems.ts';
import { reworded } from '../support/reworded.ts';

const schema = z.strictObject({
  amount: amountXof.optional(),
  mode: z.enum(['a', 'b']).optional(),
  yes: z.literal(true).optional(),
  name: z.string().min(1).max(5).optional(),
  list: z.array(z.string()).min(1).max(2).optional(),
  count: z.int().min(1).max(500).optional(),
  on: z.boolean().optional(),
  form: z.string().regex(/^x/).optional(),
  inner: z.strictObject({ q: z.string() }).optional(),
  either: z.union([z.string(), z.strictObject({})]).optional(),
});

test.for([
  [{ amount: 1e13 }, '/amount', 'must be at most 1000000000000'],
  [{ amount: 1e16 }, '/amount', 'must be at most 1000000000000'],
  [{ amount: 0 }, '/amount', 'must be more than 0'],
  [{ amount: 1.5 }, '/amount', 'must be a whole number of XOF, written without quotes or decimals'],
  [{ amount: '5' }, '/amount', 'must be a whole number of XOF, written without quotes or decimals'],
  [{ mode: 'c' }, '/mode', 'must be one of a, b'],
  [{ yes: false }, '/yes', 'must be true'],
  [{ name: '' }, '/name', 'must not be empty'],
  [{ name: 'longer' }, '/name', 'must have at most 5 characters'],
  [{ name: 5 }, '/name', 'must be a string'],
  [{ list: [] }, '/list', 'must not be empty'],
  [{ list: ['a', 'b', 'c'] }, '/list', 'must have at most 2 entries'],
  [{ count: 501 }, '/count', 'must be at most 500'],
  [{ count: 1.5 }, '/count', 'must be an integer'],
  [{ on: 'yes' }, '/on', 'must be true or false'],
  [{ form: 'y' }, '/form', 'has an invalid format'],
  [{ inner: {} }, '/inner/q', 'is required'],
  [{ inner: [] }, '/inner', 'must be an object'],
  [{ either: 1 }, '/either', 'has an invalid format (none of the accepted formats)'],
  [{ odd: 1 }, '/odd', expect.stringMatching(/^unknown field\. Known fields: \w+, /)],
  [{ amont: 1 }, '/amont', 'unknown field. Did you mean "amount"?'],
] as const)('%j: %s %s', ([input, pointer, message]) => {
  expect(reworded(check(schema, input).problems)).toEqual([{ pointer, message }]);
});

test('valid values are returned as parsed', () => {
  expect(check(schema, { amount: 5 }).data).toEqual({ amount: 5 });
});
