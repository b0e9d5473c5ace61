import { expect, test } from 'vitest';
import { numberingsOf, renumbered } from '../../src/lib/renumbering.ts';

test.each([
  ['Orange', '22507080910', '2250707080910'],
  ['MTN', '22505060708', '2250505060708'],
  ['Moov', '22501020304', '2250101020304'],
  ['Benin', '22997010203', '2290197010203'],
])('an old number and today’s (%s) are one person, by either number', (_, old, today) => {
  expect(numberingsOf(old)).toEqual([old, today]);
  expect(numberingsOf(today)).toEqual([today, old]);
});

test.each(['221771234567', '2250507080910', '22521222324', '225070708091', '2290297010203'])(
  '%s has no other form: it is of another country, or had no earlier form',
  (digits) => expect(numberingsOf(digits)).toEqual([digits]),
);

test('an old number of an unknown operator has no current form', () => {
  expect(renumbered('CI', '21222324')).toBeUndefined();
});
